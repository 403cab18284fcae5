"""What a report means for the caller: the one place where findings become an exit code (section 4)."""

from collections.abc import Sequence

from harness.errors import ExitCode
from harness.schema.evidence import Tier
from harness.schema.finding import Finding, Severity
from harness.schema.run import Coverage, LaneCoverage, Rechecked, Report, RunStatus
from harness.schema.verdict import Verdict


def exit_code(report: Report, fail_on: Severity | None, min_tier: Tier) -> ExitCode:
    """INCOMPLETE outranks everything: what was not looked at may hide worse than what was found. A run
    whose auditors could read next to nothing is no pass either."""
    if report.run.status is not RunStatus.COMPLETE:
        return ExitCode.INCOMPLETE
    stop = blocking(report.findings, fail_on, min_tier) or unresolved(report, fail_on)
    if stop:
        return ExitCode.FINDINGS
    return ExitCode.NOTHING_IN_SCOPE if mostly_blind(report.coverage) else ExitCode.PASS


def unresolved(report: Report, fail_on: Severity | None) -> list[Rechecked]:
    """Of what was CONFIRMED before and is at least so severe: all that is not shown to be fixed."""
    if fail_on is None:
        return []
    return [r for r in report.rechecked if r.outcome != "fixed" and r.severity.rank >= fail_on.rank]


def blind(coverage: Coverage) -> list[LaneCoverage]:
    """Lanes that reached their end and could analyse none of the files they wanted."""
    return [lane for lane in coverage.lanes if lane.status == "done" and lane.skipped and not lane.done]


def mostly_blind(coverage: Coverage) -> bool:
    """Whether more than half of the lanes that had files saw none of them, so that finding nothing says nothing."""
    had_files = [lane for lane in coverage.lanes if lane.status == "done" and lane.planned]
    return 2 * len(blind(coverage)) > len(had_files)


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
