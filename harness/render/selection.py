"""Which findings a reader sees first, and what is counted about them."""

from collections.abc import Iterable

from harness.render.view import View
from harness.schema.finding import Finding
from harness.schema.run import Report
from harness.schema.verdict import Verdict


def order(findings: Iterable[Finding]) -> list[Finding]:
    """Most severe first, then the strongest evidence, then by place."""
    return sorted(findings, key=lambda f: (-f.severity.rank, -f.tier.rank, f.path, f.line, f.column, f.rule, f.id))


def settled(finding: Finding) -> bool:
    """Decided by people: waived, baselined or suppressed."""
    return finding.waiver is not None or finding.suppressed is not None


def active(report: Report) -> list[Finding]:
    """CONFIRMED and not settled: what can stop a merge."""
    return order(f for f in report.findings if f.verdict is Verdict.CONFIRMED and not settled(f))


def open_questions(report: Report) -> list[Finding]:
    """UNCERTAIN or UNVERIFIED and not settled."""
    return order(f for f in report.findings if f.verdict in (Verdict.UNCERTAIN, Verdict.UNVERIFIED) and not settled(f))


def decided(report: Report) -> list[Finding]:
    """Settled findings, whatever their verdict but DISMISSED."""
    return order(f for f in report.findings if settled(f) and f.verdict is not Verdict.DISMISSED)


def waived(report: Report) -> list[Finding]:
    """Of the settled ones those that somebody waived, which every report lists."""
    return [f for f in decided(report) if f.waiver is not None]


def dismissed(report: Report) -> list[Finding]:
    """Findings that were proved wrong."""
    return order(f for f in report.findings if f.verdict is Verdict.DISMISSED)


def chosen(report: Report, view: View) -> list[Finding]:
    """Active findings, and after them what the view asks for."""
    found = active(report)
    if "open" in view.show:
        found += open_questions(report)
    if "settled" in view.show:
        found += decided(report)
    if "dismissed" in view.show:
        found += dismissed(report)
    return found
