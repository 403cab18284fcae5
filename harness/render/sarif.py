"""SARIF 2.1.0 (errata 01), as code scanning accepts it.

Active findings only, because code scanning shows suppressed results as open alerts. With `open`, `settled` or
`dismissed` in the view it is an archive: open questions are results of kind `open`, and what people or verifiers
settled carries `suppressions`.
"""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

import harness
from harness.files import displayable
from harness.render.jsontext import dumps
from harness.render.sarif_annotated import annotated
from harness.render.sarif_result import result
from harness.render.selection import chosen
from harness.render.summary import WHOLE_PROJECT, not_analysed, troubled
from harness.render.view import View
from harness.schema.finding import Finding, Rule, Severity
from harness.schema.run import Report, RunStatus

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RESULTS = 25_000
"""More results in a run, and code scanning rejects the whole file."""
DESCRIPTION = 1024
"""Longest description that code scanning takes."""
NOTIFICATIONS = 200
"""Files not analysed that are listed."""
LEVELS = {Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "note"}
_SECURITY = {Severity.HIGH: "8.0", Severity.MEDIUM: "5.5", Severity.LOW: "2.5"}
_PROBLEM = {Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "recommendation"}


def render(report: Report, view: View) -> str:
    """One log with one run; for findings made elsewhere, their own log."""
    if view.original is not None and report.imported:
        return annotated(view.original, report)
    findings = chosen(report, view)
    kept = findings[:RESULTS]
    ids = sorted({f.rule for f in kept})
    archive = bool(view.show)
    driver: dict[str, JsonValue] = {
        "name": "harness",
        "semanticVersion": harness.__version__,
        "rules": [_rule(view, rule, kept) for rule in ids],
    }
    run: dict[str, JsonValue] = {
        "tool": {"driver": driver},
        "automationDetails": {"id": "harness/audit/"},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "Root of the audited revision."}}},
        "invocations": [
            {
                "executionSuccessful": report.run.status is RunStatus.COMPLETE,
                "startTimeUtc": report.run.started.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
                "toolExecutionNotifications": list(_notifications(report, len(findings) - len(kept))),
            }
        ],
        "results": [result(f, ids.index(f.rule), LEVELS[f.severity], archive=archive) for f in kept],
        "properties": {"harness/run": report.run.id, "harness/head": report.run.head},
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _rule(view: View, rule_id: str, findings: Sequence[Finding]) -> JsonValue:
    worst = max((f.severity for f in findings if f.rule == rule_id), key=lambda s: s.rank)
    cwe = next((f.cwe for f in findings if f.rule == rule_id and f.cwe), None)
    known = view.rules.get(rule_id) or Rule(
        id=rule_id, group="other", title=view.title(rule_id), severity=worst, cwe=cwe
    )
    title = displayable(known.title)[:DESCRIPTION]
    page = displayable(known.page.strip()) or title
    properties: dict[str, JsonValue] = {"precision": "high", "tags": list(_tags(known))}
    if known.group == "security":
        properties["security-severity"] = _SECURITY[worst]
    else:
        properties["problem.severity"] = _PROBLEM[worst]
    return {
        "id": rule_id,
        "name": "".join(part.capitalize() for part in rule_id.replace(":", "-").split("-")),
        "shortDescription": {"text": title},
        "fullDescription": {"text": page.split("\n\n")[0].replace("\n", " ")[:DESCRIPTION]},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": LEVELS[known.severity]},
        "properties": properties,
    }


def _tags(rule: Rule) -> Iterator[JsonValue]:
    yield rule.group
    if rule.cwe:
        yield f"external/cwe/cwe-{rule.cwe:03d}"


def _notifications(report: Report, left_out: int) -> Iterator[JsonValue]:
    if report.run.status is not RunStatus.COMPLETE:
        yield _notification("error", f"incomplete: {report.run.reason or 'the run did not reach its end'}")
    for lane in troubled(report):
        level = "error" if lane.status == "failed" else "warning"
        yield _notification(level, f"lane {lane.auditor} ({lane.dimension}) {lane.status}: {lane.reason}")
    if not report.coverage.files:
        yield _notification("warning", "no file was in scope")
    skipped = not_analysed(report)
    for skip in skipped[:NOTIFICATIONS]:
        where = "" if skip.path == WHOLE_PROJECT else f"{skip.path}: "
        yield _notification("warning", f"not analysed: {where}{skip.reason}")
    if skipped[NOTIFICATIONS:]:
        yield _notification("warning", f"{len(skipped) - NOTIFICATIONS} more files were not analysed")
    if left_out:
        yield _notification("warning", f"{left_out} results of lower severity were left out: a run holds {RESULTS}")


def _notification(level: str, text: str) -> JsonValue:
    return {"level": level, "message": {"text": displayable(text)}}
