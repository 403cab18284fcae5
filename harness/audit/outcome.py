"""What a report means for the caller: the one place where findings become an exit code (section 4)."""

from collections.abc import Sequence

from harness.errors import ExitCode
from harness.schema.evidence import Tier
from harness.schema.finding import Finding, Severity
from harness.schema.run import Rechecked, Report, RunStatus
from harness.schema.verdict import Verdict


def exit_code(report: Report, fail_on: Severity | None, min_tier: Tier) -> ExitCode:
    """INCOMPLETE outranks everything: what was not looked at may hide worse than what was found."""
    if report.run.status is not RunStatus.COMPLETE:
        return ExitCode.INCOMPLETE
    stop = blocking(report.findings, fail_on, min_tier) or unresolved(report, fail_on)
    return ExitCode.FINDINGS if stop else ExitCode.PASS


def unresolved(report: Report, fail_on: Severity | None) -> list[Rechecked]:
    """Of what was CONFIRMED before and is at least so severe: all that is not shown to be fixed."""
    if fail_on is None:
        return []
    return [r for r in report.rechecked if r.outcome != "fixed" and r.severity.rank >= fail_on.rank]


def blocking(findings: Sequence[Finding], fail_on: Severity | None, min_tier: Tier) -> list[Finding]:
    """CONFIRMED, neither waived nor suppressed, at least so severe and so well proved. None for `fail_on` blocks nothing."""
    if fail_on is None:
        return []
    return [
        f
        for f in findings
        if f.verdict is Verdict.CONFIRMED
        and f.waiver is None
        and f.suppressed is None
        and f.severity.rank >= fail_on.rank
        and f.tier.rank >= min_tier.rank
    ]
