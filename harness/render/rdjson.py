"""reviewdog's rdjson: columns count bytes of UTF-8, paths are relative to the root."""

from pydantic import JsonValue

from harness.files import displayable
from harness.render.columns import utf8
from harness.render.jsontext import dumps
from harness.render.selection import chosen
from harness.render.view import View
from harness.schema.finding import Finding, Severity
from harness.schema.run import Report
from harness.schema.verdict import Verdict

_SEVERITY = {Severity.HIGH: "ERROR", Severity.MEDIUM: "WARNING", Severity.LOW: "INFO"}


def render(report: Report, view: View) -> str:
    """One DiagnosticResult. An open question is INFO, whatever it would be if it were true."""
    found = chosen(report, view)
    worst = max((f.severity for f in found), key=lambda s: s.rank, default=Severity.LOW)
    return (
        dumps({
            "source": {"name": "harness"},
            "severity": _SEVERITY[worst],
            "diagnostics": [_diagnostic(f) for f in found],
        })
        + "\n"
    )  # fmt: skip


def _diagnostic(finding: Finding) -> JsonValue:
    columns = utf8(finding, finding.location)
    doubt = "" if finding.verdict is Verdict.CONFIRMED else f"{finding.verdict}: "
    fix = f"\nFix: {finding.fix}" if finding.fix.strip() else ""
    return {
        "message": displayable(f"{doubt}{finding.scenario}{fix}\n({finding.tier} {finding.tier.label}, {finding.id})"),
        "location": {
            "path": finding.path,
            "range": {
                "start": {"line": finding.line, "column": columns.start},
                "end": {"line": finding.end_line, "column": columns.end},
            },
        },
        "severity": _SEVERITY[finding.severity] if finding.verdict is Verdict.CONFIRMED else "INFO",
        "code": {"value": finding.rule},
    }
