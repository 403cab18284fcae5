"""The gate's decision about one commit: tests, run, coverage, findings, policy, head. None of them may be missing.

It reads typed fields of the report only; no text of the audited repository can say that it passes.
"""

from collections.abc import Iterator
from typing import Literal

from harness.audit.order import Change, Order
from harness.audit.outcome import blind, blocking, mostly_blind
from harness.audit.status import resume_command
from harness.errors import Bug, ExitCode
from harness.schema.base import Record
from harness.schema.finding import Finding
from harness.schema.review import ReviewInfo
from harness.schema.run import Report, RunStatus
from harness.schema.verdict import Verdict

State = Literal["passed", "refused", "incomplete"]
NAMED = 5
_UNREAD = ("larger than", "cannot be", "beyond the largest", "grew while", "more than")
"""Beginnings of reasons for which a changed file was not read although somebody should have."""


class Point(Record):
    """One thing that the gate asks."""

    name: Literal["tests", "run", "coverage", "findings", "policy", "head"]
    """What."""
    state: State
    """What it came to."""
    said: str
    """One sentence."""


class GateVerdict(Record):
    """The decision, for machines too."""

    schema_version: Literal["harness.gate/1"] = "harness.gate/1"
    """Version of this shape."""
    verdict: Literal["pass", "refuse", "incomplete"]
    """`incomplete` outranks `refuse`: what was not looked at may hide worse than what was found."""
    exit_code: int
    """0, 1 or 3."""
    base: str | None
    """Commit that policy and waivers were read from."""
    head: str | None
    """Commit that the verdict holds for, and for no other."""
    ref: str
    """What it was called."""
    run: str
    """Id of the run with all findings."""
    points: tuple[Point, ...]
    """In a fixed order."""
    blocking: tuple[str, ...]
    """Fingerprints of the findings that stop it."""
    next: str
    """What to type to go on."""


def judge(report: Report, order: Order, head_now: str | None) -> GateVerdict:
    """The verdict on a gate's run; `head_now` is what its ref is after the run."""
    change, review = order.change, report.review
    if change is None or review is None:
        raise Bug(f"run {report.run.id} is not that of a gate")
    stopping = blocking(report.findings, order.fail_on, order.min_tier)
    points = (
        _tests(review),
        _run(report),
        _coverage(report, review),
        _findings(report, stopping, order),
        _policy(review, change),
        _head(change, head_now),
    )
    states = {point.state for point in points}
    word: Literal["pass", "refuse", "incomplete"] = (
        "incomplete" if "incomplete" in states else "refuse" if "refused" in states else "pass"
    )
    code = {"pass": ExitCode.PASS, "refuse": ExitCode.FINDINGS, "incomplete": ExitCode.INCOMPLETE}[word]
    return GateVerdict(
        verdict=word,
        exit_code=code,
        base=change.base,
        head=change.at,
        ref=change.ref,
        run=report.run.id,
        points=points,
        blocking=tuple(f.fingerprint for f in stopping),
        next=_next(report, order, word, stopping),
    )


def _tests(review: ReviewInfo) -> Point:
    tests = review.tests
    if tests is None:
        return Point(name="tests", state="incomplete", said="nobody ran them")
    counts = f"{tests.passed} in {tests.seconds:.0f} s ({tests.command})" if tests.passed else f"({tests.command})"
    if tests.status == "passed":
        return Point(name="tests", state="passed", said=counts)
    if tests.status == "failed":
        named = ", ".join(tests.failing[:NAMED])
        return Point(
            name="tests", state="refused", said=f"{tests.reason}{': ' + named if named else ''} ({tests.command})"
        )
    return Point(name="tests", state="incomplete", said=tests.reason)


def _run(report: Report) -> Point:
    if report.run.status is not RunStatus.COMPLETE:
        return Point(name="run", state="incomplete", said=report.run.reason or "it did not reach its end")
    lanes = len(report.coverage.lanes)
    return Point(name="run", state="passed", said=f"complete, {lanes} lanes, {report.coverage.files} files")


def _coverage(report: Report, review: ReviewInfo) -> Point:
    gaps = list(_gaps(report, review))
    if not report.coverage.files:
        gaps.insert(0, "no file was in scope")
    if gaps:
        more = f" and {len(gaps) - NAMED} more" if gaps[NAMED:] else ""
        return Point(name="coverage", state="incomplete", said="; ".join(gaps[:NAMED]) + more)
    number = len(review.files)
    read = "the one changed text file was" if number == 1 else f"all {number} changed text files were"
    return Point(name="coverage", state="passed", said=f"{read} looked at")


def _gaps(report: Report, review: ReviewInfo) -> Iterator[str]:
    """Lanes that had files and did not look at them, and changed files that nobody could read."""
    for lane in report.coverage.lanes:
        if lane.status != "done" and lane.planned:
            yield f"lane {lane.auditor} ({lane.dimension}) {lane.status}: {lane.reason}"
    if mostly_blind(report.coverage):
        yield f"{len(blind(report.coverage))} lanes could analyse none of their files"
    changed = set(review.files)
    seen: set[str] = set()
    for lane in report.coverage.lanes:
        for skip in lane.skipped:
            if skip.path in changed and skip.path not in seen:
                seen.add(skip.path)
                yield f"{skip.path} was not analysed: {skip.reason}"
    for skip in report.coverage.excluded:
        if skip.reason.startswith(_UNREAD):
            yield f"{skip.path} was not read: {skip.reason}"


def _findings(report: Report, stopping: list[Finding], order: Order) -> Point:
    waived = [f for f in report.findings if f.waiver is not None and f.verdict is Verdict.CONFIRMED]
    beside = f"; {len(waived)} waived: {_named(waived)}" if waived else ""
    level = f"at or above {order.fail_on}, {order.min_tier}" if order.fail_on else "counts (fail-on none)"
    if not stopping:
        return Point(name="findings", state="passed", said=f"no unwaived CONFIRMED {level}{beside}")
    said = f"{len(stopping)} CONFIRMED {level}, unwaived: {_named(stopping)}{beside}"
    return Point(name="findings", state="refused", said=said)


def _named(findings: list[Finding]) -> str:
    more = f" and {len(findings) - NAMED} more" if findings[NAMED:] else ""
    return ", ".join(f"{f.id} {f.rule} {f.path}:{f.line}" for f in findings[:NAMED]) + more


def _policy(review: ReviewInfo, change: Change) -> Point:
    if not review.policy:
        base = f"of {change.base[:12]}" if change.base else "built in, since there is no base"
        return Point(name="policy", state="passed", said=f"{base}, not loosened by the change")
    said = "the change loosens it: " + "; ".join(review.policy)
    if change.accept_policy:
        return Point(name="policy", state="passed", said=f"{said} (accepted with --accept-policy-change)")
    return Point(name="policy", state="refused", said=said)


def _head(change: Change, head_now: str | None) -> Point:
    if head_now != change.at:
        now = head_now[:12] if head_now else "gone"
        return Point(
            name="head", state="incomplete", said=f"{change.ref} moved from {(change.at or '')[:12]} to {now} meanwhile"
        )
    return Point(name="head", state="passed", said=f"{change.ref} is still {(change.at or '')[:12]}")


def _next(report: Report, order: Order, word: str, stopping: list[Finding]) -> str:
    if report.run.status is not RunStatus.COMPLETE:
        return resume_command(order, report.run.id)
    if word == "incomplete":
        return "harness gate"
    if stopping:
        return f"harness findings show {stopping[0].id}"
    return ""
