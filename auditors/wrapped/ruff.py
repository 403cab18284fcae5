"""ruff, one run a group: https://docs.astral.sh/ruff/rules/ says what each rule looks for.

Only rules that state a defect are selected, and only those for which a concrete failure can be told; style is left to
the project. ruff runs isolated: no configuration, no `noqa`, no exclusion, no cache of the audited project counts. Test
code is looked at for the group `tests` alone.

What it cannot see: more than one file at a time, and types.
"""

import json
import os
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from auditors.wrapped.place import masked_quote, symbol_at
from auditors.wrapped.process import run
from auditors.wrapped.suppression import suppression_at
from auditors.wrapped.words import Words, fill, names_in, rule
from harness.contracts import Bench
from harness.errors import LaneFailed
from harness.files import displayable
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location
from harness.schema.run import Skip
from harness.source.project import Project

ARGUMENTS_CAP = 400_000
"""Bytes of file names in one command line; Linux allows 2 MB with the environment."""
MOST_FATAL = 20
"""Files that kill ruff before the lane gives up."""
CODE_CAP = 120
"""Characters of code in a sentence."""
HOLD_SECRETS = frozenset({"S105", "S106", "S107"})
"""Rules whose place is a secret: it is never quoted."""


class RuffAuditor(NamedTuple):
    """The selected rules of one group; see `harness.contracts.Auditor`."""

    group: str
    table: Mapping[str, Words]
    executes: bool = False

    @property
    def id(self) -> str:
        return f"{self.group}-ruff"

    @property
    def version(self) -> str:
        return "1"

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule("ruff", code, self.group, words) for code, words in sorted(self.table.items()))

    def wants(self, language: str) -> bool:
        return language == "python"

    def audit(self, bench: Bench) -> Iterator[Claim | Skip]:
        """Claims by path, line and rule. Raises LaneFailed when ruff cannot be run or says something unreadable."""
        project = bench.project
        tests_only = self.group == "tests"
        paths = [p for p in project.paths("python") if project.entries[p].test is tests_only]
        on_disk = {os.fsencode(project.disk_path(path)): path for path in paths}
        found: list[tuple[str, int, int, str, Any]] = []
        unread: set[str] = set()
        fatal: list[bytes] = []
        for chunk in _chunks(sorted(on_disk)):
            for item in _ruff_without(fatal, chunk, sorted(self.table)):
                path = on_disk.get(os.fsencode(item["filename"]))
                if path is None:
                    continue
                if item["code"] in self.table:
                    found.append((path, item["location"]["row"], item["location"]["column"], item["code"], item))
                else:
                    unread.add(path)
        yield from (Skip(path=on_disk[name], reason="ruff dies of it") for name in fatal)
        yield from (Skip(path=path, reason="ruff does not parse it") for path in sorted(unread))
        for path, _, _, code, item in sorted(found, key=lambda entry: entry[:4]):
            yield _claim(project, path, code, self.table[code], item)


def _chunks(names: list[bytes]) -> Iterator[list[bytes]]:
    chunk: list[bytes] = []
    size = 0
    for name in names:
        if chunk and size + len(name) > ARGUMENTS_CAP:
            yield chunk
            chunk, size = [], 0
        chunk.append(name)
        size += len(name) + 1
    if chunk:
        yield chunk


class _Died(LaneFailed):
    """A signal ended ruff: some file nests deeper than its stack."""


def _ruff_without(fatal: list[bytes], files: list[bytes], codes: list[str]) -> Iterator[Any]:
    """What ruff says of these files. Where it dies, the files are halved until the one that kills it is in `fatal`."""
    try:
        yield from _ruff(files, codes)
    except _Died:
        if len(fatal) >= MOST_FATAL:
            raise
        if len(files) == 1:
            fatal += files
            return
        half = len(files) // 2
        yield from _ruff_without(fatal, files[:half], codes)
        yield from _ruff_without(fatal, files[half:], codes)


def _ruff(files: list[bytes], codes: list[str]) -> list[Any]:
    """What ruff says of these files, as its JSON lists it. Raises LaneFailed."""
    argv: list[str | bytes] = [
        _executable(), "check", "--isolated", "--no-cache", "--ignore-noqa", "--no-fix", "--preview", "--quiet",
        "--no-respect-gitignore", "--target-version", "py314", "--output-format", "json", "--exit-zero",
        "--config", "lint.explicit-preview-rules=true",
        "--select", ",".join(codes), "--", *files,
    ]  # fmt: skip
    ended = run(argv)
    if ended.returncode:
        failure = _Died if ended.returncode < 0 else LaneFailed
        raise failure(f"ruff ended with {ended.returncode}: {displayable(ended.stderr.strip())[:400]}")
    try:
        items = json.loads(ended.stdout)
    except ValueError as error:
        raise LaneFailed(f"ruff printed no JSON: {error}") from error
    if not isinstance(items, list):
        raise LaneFailed("ruff printed JSON that is no list")
    return items


def _executable() -> str:
    """ruff as installed beside us, never whatever the search path finds first."""
    for folder in (sysconfig.get_path("scripts"), os.path.expanduser("~/.local/bin")):  # noqa: PTH111  # no Path needed
        for name in ("ruff", "ruff.exe"):
            candidate = Path(folder, name)
            if candidate.is_file():
                return str(candidate)
    raise LaneFailed("ruff is not installed beside this program", hint="Install it with: pip install ruff")


def _literal(line: str, column: int) -> int:
    """Column of the first string literal at or behind `column`."""
    places = [line.find(mark, column - 1) for mark in "\"'"]
    return min((place + 1 for place in places if place >= 0), default=column)


def _claim(project: Project, path: str, code: str, words: Words, item: Any) -> Claim:
    start, end = item["location"], item["end_location"]
    lines = project.lines(path)
    line = lines[start["row"] - 1] if start["row"] <= len(lines) else ""
    names = names_in(item["message"])
    symbol = symbol_at(project, path, start["row"])
    facts = {"code": code}
    if code in HOLD_SECRETS:
        quote = masked_quote(line, _literal(line, start["column"]))
        facts["masked"] = "true"
    else:
        quote = line.strip()
    snippet = displayable(quote)[:CODE_CAP]
    facts |= {f"name{number}": name for number, name in enumerate(names)}
    hidden = suppression_at(path, lines, start["row"], item.get("noqa_row"))
    return Claim(
        rule=f"ruff:{code}",
        severity=Severity.LOW if project.entries[path].test else words.severity,
        cwe=words.cwe,
        location=Location(
            path=path,
            line=start["row"],
            end_line=max(start["row"], end["row"]),
            column=max(1, start["column"]),
            end_column=max(1, end["column"]),
        ),
        quote=quote,
        symbol=symbol,
        scenario=displayable(fill(words.scenario, names, at=symbol, code=snippet)),
        fix=displayable(fill(words.fix, names, at=symbol, code=snippet)),
        facts=facts,
        related=hidden,
    )
