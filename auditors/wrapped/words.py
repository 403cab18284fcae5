"""A wrapped analyser's rule in our words: every claim needs a scenario and a fix, and tools give neither."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from harness.schema.finding import Rule, Severity

_QUOTED = re.compile(r"`([^`]+)`|\"([^\"]+)\"")


class Words(NamedTuple):
    """One selected rule of a tool. In `scenario` and `fix`, `{0}` and `{1}` stand for the names that the tool's message
    puts in backquotes, `{at}` for the function around the place, `{code}` for its first line."""

    title: str
    """What is wrong, in a few words."""
    scenario: str
    """Who does what, and what goes wrong."""
    fix: str
    """What to write instead."""
    severity: Severity = Severity.MEDIUM
    """By the rubric."""
    cwe: int | None = None
    """CWE number, where one fits."""
    group: str = ""
    """Group of the rule when two groups look for it; empty means the group of the auditor."""


def rule(tool: str, code: str, group: str, words: Words) -> Rule:
    """The rule as `harness explain` shows it."""
    page = (
        f"{tool}:{code}: {words.title.lower()}.\n\nFound by {tool} ({code}), which reads the file alone, under our own "
        f"configuration.\n\nWhy: {_plain(words.scenario)}\n\nInstead: {_plain(words.fix)}\n\n"
        "What it cannot see: what other modules do with the same names, and whether the place is ever reached. A comment "
        "that silences the tool silences nothing here."
    )
    return Rule(
        id=f"{tool}:{code}",
        group=words.group or group,
        title=words.title,
        severity=words.severity,
        cwe=words.cwe,
        page=page,
    )


def names_in(message: str) -> list[str]:
    """The names that a message quotes, in order."""
    return [first or second for first, second in _QUOTED.findall(message)]


def fill(template: str, names: list[str], *, at: str | None, code: str) -> str:
    """`template` with its slots filled; a slot for which there is no name reads as the code itself."""
    slots: Mapping[str, str] = {
        "0": names[0] if names else code,
        "1": names[1] if len(names) > 1 else (names[0] if names else code),
        "at": f"`{at}`" if at else "this module",
        "code": code,
    }
    return re.sub(r"\{(0|1|at|code)\}", lambda match: slots[match.group(1)], template)


def _plain(template: str) -> str:
    return fill(template, ["NAME", "OTHER"], at="function", code="the statement")
