"""GitHub Actions annotations, within what a step may show, and lines for the log that cannot command the runner.

The runner shows ten annotations of each level a step and drops the rest without a word, so the most severe come first
and the number of those left out is said. Everything else is printed between `stop-commands` markers, whose token no
audited text can know: it is the hash of everything printed between them.
"""

from collections.abc import Iterator

from harness.files import displayable, sha256
from harness.render import summary
from harness.render.concise import line as one_line
from harness.render.selection import chosen
from harness.render.view import View
from harness.schema.finding import Finding, Severity
from harness.schema.run import Report, RunStatus
from harness.schema.verdict import Verdict

PER_LEVEL = 10
"""Annotations of one level that a step may show."""
_LEVELS = {Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "notice"}
ESCAPES_OF_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
ESCAPES_OF_PROPERTIES = ESCAPES_OF_DATA | {":": "%3A", ",": "%2C"}


def render(report: Report, view: View) -> str:
    """Annotations, then the log."""
    return "\n".join(_lines(report, view)) + "\n"


def _lines(report: Report, view: View) -> Iterator[str]:
    found = chosen(report, view)
    room = dict.fromkeys(("error", "warning", "notice"), PER_LEVEL)
    if report.run.status is not RunStatus.COMPLETE or not report.coverage.files:
        room["error"] -= 1
        yield f"::error title=harness::{_data(summary.state(report))}"
    room["notice"] -= 1  # kept for the sentence about those left out
    left = 0
    for finding in found:
        level = _LEVELS[finding.severity] if finding.verdict is Verdict.CONFIRMED else "notice"
        if room[level]:
            room[level] -= 1
            yield _annotation(level, finding)
        else:
            left += 1
    if left:
        yield f"::notice title=harness::{left} more in the log of this step and in the report"
    log = list(_log(report, view, found))
    token = sha256("\n".join(log))[:40]
    yield f"::stop-commands::{token}"
    yield from log
    yield f"::{token}::"


def _log(report: Report, view: View, found: list[Finding]) -> Iterator[str]:
    yield from map(one_line, found)
    for sentence in (summary.counts(report), summary.pipeline(report), summary.coverage(report), *summary.gaps(report)):
        yield displayable(sentence, keep="").strip()
    if view.outcome:
        yield displayable(view.outcome, keep="")


def _annotation(level: str, finding: Finding) -> str:
    properties = {
        "file": finding.path,
        "line": str(finding.line),
        "endLine": str(finding.end_line),
        "title": f"{finding.rule} ({finding.verdict} {finding.tier} {finding.tier.label})",
    }
    if finding.line == finding.end_line:
        properties["col"] = str(finding.column)
        if finding.end_column is not None:
            properties["endColumn"] = str(finding.end_column)
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    fix = f"\nFix: {finding.fix}" if finding.fix.strip() else ""
    return f"::{level} {written}::{_data(f'{finding.scenario}{fix}')}"


def _data(text: str) -> str:
    return _escaped(displayable(text), ESCAPES_OF_DATA)


def _property(text: str) -> str:
    return _escaped(displayable(text, keep=""), ESCAPES_OF_PROPERTIES)


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(c, c) for c in text)
