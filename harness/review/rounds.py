"""Memory between reviews of one change: what is new since the last round, what is still open, what is gone."""

from collections.abc import Sequence

from harness.audit.desk import Desk
from harness.audit.status import stored_report
from harness.schema.finding import Finding
from harness.schema.review import Round
from harness.schema.run import Report, RunStatus
from harness.schema.verdict import Verdict
from harness.state import State


def last_round(state: State, desk: Desk, kind: str, base: str) -> Report | None:
    """The newest complete review of the same base before this run, None in the first round."""
    for folder in reversed(state.all_runs()):
        if int(folder.id) >= int(desk.folder.id):
            continue
        report = stored_report(folder)
        if report is None or report.review is None or report.run.status is not RunStatus.COMPLETE:
            continue
        if report.review.base == base and report.review.kind == kind and not report.review.whole:
            return report
    return None


def round_of(previous: Report | None, findings: Sequence[Finding]) -> tuple[Round, tuple[Finding, ...]]:
    """Which round it is, and the findings to report: one that was dismissed then and is dismissed now was answered."""
    if previous is None or previous.review is None:
        return Round(), tuple(findings)
    before = {f.fingerprint: f for f in previous.findings}
    answered = [f for f in findings if _dismissed(f) and f.fingerprint in before and _dismissed(before[f.fingerprint])]
    kept = tuple(f for f in findings if f not in answered)
    now = {f.fingerprint for f in findings}
    return (
        Round(
            number=previous.review.round.number + 1,
            previous=previous.run.id,
            new=tuple(f.id for f in kept if f.fingerprint not in before),
            still_open=tuple(f.id for f in kept if f.fingerprint in before and _open(f)),
            gone=tuple(f"{f.rule} {f.path}" for f in previous.findings if f.fingerprint not in now and _open(f)),
            answered=len(answered),
        ),
        kept,
    )


def _dismissed(finding: Finding) -> bool:
    return finding.verdict is Verdict.DISMISSED


def _open(finding: Finding) -> bool:
    return not _dismissed(finding) and finding.waiver is None and finding.suppressed is None
