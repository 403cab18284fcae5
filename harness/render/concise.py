"""One finding, one line, never wrapped: for grep and for editors."""

from harness.files import displayable
from harness.render.selection import chosen
from harness.render.view import View
from harness.schema.finding import Finding
from harness.schema.run import Report


def render(report: Report, view: View) -> str:
    """Active findings, and what the view asks for beside them. No findings, no lines."""
    return "".join(line(finding) + "\n" for finding in chosen(report, view))


def line(finding: Finding) -> str:
    """`path:line:column: severity rule: claim [verdict tier id]`."""
    claim = " ".join(displayable(finding.scenario, keep="\n\t").split())
    place = displayable(f"{finding.path}:{finding.line}:{finding.column}", keep="")
    return f"{place}: {finding.severity} {finding.rule}: {claim} [{finding.verdict} {finding.tier} {finding.id}]"
