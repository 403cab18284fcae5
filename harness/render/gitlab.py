"""GitLab Code Quality: an array, empty when there is nothing; the fingerprint holds no line number."""

from pydantic import JsonValue

from harness.files import displayable
from harness.render.jsontext import dumps
from harness.render.selection import chosen
from harness.render.view import View
from harness.schema.finding import Finding, Severity
from harness.schema.run import Report
from harness.schema.verdict import Verdict

_SEVERITY = {Severity.HIGH: "critical", Severity.MEDIUM: "major", Severity.LOW: "minor"}


def render(report: Report, view: View) -> str:
    """The array."""
    return dumps([_issue(f) for f in chosen(report, view)]) + "\n"


def _issue(finding: Finding) -> JsonValue:
    return {
        "description": displayable(finding.scenario) or finding.rule,
        "check_name": finding.rule,
        "fingerprint": finding.fingerprint,
        "severity": _SEVERITY[finding.severity] if finding.verdict is Verdict.CONFIRMED else "info",
        "location": {"path": finding.path, "lines": {"begin": finding.line, "end": finding.end_line}},
    }
