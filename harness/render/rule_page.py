"""Rules as `harness explain` prints them."""

import difflib
import re
from collections.abc import Iterator, Mapping

from harness.files import displayable
from harness.render.ansi import Paint, wrap
from harness.schema.finding import Rule

CWE = "https://cwe.mitre.org/data/definitions/{}.html"


def page(rule: Rule, *, color: bool, width: int) -> str:
    """The page of one rule: its own text, then references and how to live with it."""
    return "\n".join(_page(rule, Paint(color), width)) + "\n"


def _page(rule: Rule, paint: Paint, width: int) -> Iterator[str]:
    yield f"{paint('bold', displayable(rule.title))}  {paint(rule.severity.value, rule.severity.value)}"
    yield paint("dim", f"{rule.id} · group {rule.group}" + (f" · CWE-{rule.cwe}" if rule.cwe else ""))
    yield ""
    text = rule.page.strip()
    if text:
        for paragraph in displayable(text).split("\n\n"):
            yield from _flowed(paragraph.splitlines(), width)
    else:
        yield "This rule comes from a wrapped analyser, whose documentation explains it."
        yield ""
    if rule.cwe:
        yield f"References: {CWE.format(rule.cwe)}"
    yield f"To suppress one place, with a reason: # harness: ignore[{rule.id}] reason"
    yield "To decide for later: harness findings waive ID --reason TEXT --until DATE"


def _flowed(lines: list[str], width: int) -> Iterator[str]:
    """A paragraph, wrapped anew when it is prose that is too wide; code and lists stay as they are."""
    prose = not any(line.startswith((" ", "\t", "-", "*", "|", "#")) for line in lines)
    if prose and any(len(line) > width for line in lines):
        yield from wrap(" ".join(lines), width, "")
    else:
        yield from lines
    yield ""


def listing(rules: Mapping[str, Rule], *, color: bool) -> str:
    """All rules by group: id, severity, title."""
    return "\n".join(_listing(rules, Paint(color))) + "\n"


def _listing(rules: Mapping[str, Rule], paint: Paint) -> Iterator[str]:
    width = max((len(id_) for id_ in rules), default=0)
    groups = sorted({rule.group for rule in rules.values()})
    for number, group in enumerate(groups):
        if number:
            yield ""
        members = sorted((r for r in rules.values() if r.group == group), key=lambda r: r.id)
        yield f"{paint('bold', group)} {paint('dim', str(len(members)))}"
        for rule in members:
            severity = paint(rule.severity.value, f"{rule.severity.value:<6}")
            yield f"  {rule.id:<{width}}  {severity}  {displayable(rule.title)}"
    yield ""
    yield paint("dim", f"{len(rules)} rules · harness explain RULE")


def nearest(wanted: str, rules: Mapping[str, Rule]) -> str:
    """A hint for a rule that does not exist: the nearest ids, else those that hold the word, else where the list is."""
    word = wanted.lower().strip()
    near = difflib.get_close_matches(word, rules, n=3) or sorted(id_ for id_ in rules if word and word in id_)[:3]
    if near:
        return f"Did you mean {' or '.join(near)}?"
    if re.fullmatch(r"[0-9a-f]{4,32}", word):
        return f"The id of a finding? harness findings show {word}"
    return "All rules: harness explain"
