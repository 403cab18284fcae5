"""One review from order to report: the stages, in order, on one screen."""

from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from harness.audit import addressed, admit, dedupe, discover, plan, reading, triage, verify
from harness.audit import report as reporting
from harness.audit.admit import Admission
from harness.audit.decisions import Decisions
from harness.audit.desk import Desk
from harness.audit.fingerprint import short_ids
from harness.audit.order import Change
from harness.audit.plan import Plan
from harness.audit.runner import bench_of, headline, stage, to_the_end
from harness.errors import NothingInScope
from harness.events import RunStarted
from harness.review import decided, differential, fresh, reach, rounds, suite
from harness.review.diff import FileChange, compare
from harness.review.sides import base_desk, base_of, change_of, head_desk, head_of
from harness.schema.finding import Finding
from harness.schema.review import ReviewInfo
from harness.schema.run import Report
from harness.schema.tree import Tree
from harness.schema.verdict import Verdict
from harness.source.project import Project
from harness.state import State
from harness.workers import Pool

BASE = "base"
STAGES = (plan.NAME, BASE, discover.NAME, admit.NAME, dedupe.NAME, verify.NAME, suite.NAME, triage.NAME, reporting.NAME)
SMALL_LINES, SMALL_FILES = 60, 4
"""Below both a change is small (A10)."""


class _Sides(NamedTuple):
    head: Plan
    base: Plan | None
    after: Project
    before: Project
    changes: tuple[FileChange, ...]
    reached: reach.Reach


class _Chosen(NamedTuple):
    findings: tuple[Finding, ...]
    """New ones, and those of the base that the change may have made true."""
    ties: dict[str, reach.Tie]
    known: dict[str, str]
    elsewhere: int
    borrowed: frozenset[str]


def run(desk: Desk) -> Report:
    """The report; as `harness.audit.runner.run` in all that concerns durability and errors."""
    return to_the_end(desk, lambda since, begin: _work(desk, since, begin))


def _work(desk: Desk, since: datetime, begin: float) -> Report:
    change = change_of(desk)
    before = base_desk(desk)
    with stage(desk, plan.NAME, STAGES):
        sides = _planned(desk, before, change)
        small = _small(sides.changes) and not change.gate
        narrow = None if change.gate else frozenset(c.after for c in sides.changes if c.after)
        after = head_desk(desk, models=change.thorough or not small, narrow=narrow)
        decisions = decided.decisions_at(Path(desk.order.origin), base_of(change), sides.changes)
    desk.tell(
        RunStarted(run=desk.folder.id, headline=f"{headline(after, sides.head)} · {_said(change)}", stages=STAGES)
    )
    with stage(desk, BASE, STAGES):
        known = _claims_of_base(before, sides) if not change.gate else Admission((), (), {})
        desk.troubles += [f"on the base: {trouble}" for trouble in before.troubles]
    bench = bench_of(after, sides.after)
    with after.team(bench) as pool, after.models.crew(bench) if after.models else nullcontext() as crew:
        with stage(desk, discover.NAME, STAGES):
            discovery = discover.discover(after, pool, crew, sides.head, sides.after)
        with stage(desk, admit.NAME, STAGES):
            admission = admit.admit(discovery.raised, sides.after)
        with stage(desk, dedupe.NAME, STAGES):
            unique = dedupe.dedupe(after, admission.admitted, sides.after)
            chosen = _chosen(change, sides, known, unique.findings)
        with stage(desk, verify.NAME, STAGES):
            judged = verify.verify(after, pool, crew, chosen.findings, sides.head.tree.digest)
            judged = _on_both_sides(after, before, sides, known, chosen, judged)
    with stage(desk, suite.NAME, STAGES):
        tests = suite.tested(desk, sides.changes, sides.reached, sides.after)
    with stage(desk, triage.NAME, STAGES):
        policy = _policy(desk, change, sides)
        own = _own(desk, change, sides, policy)
        found = _named([*(_tied(f, chosen.ties) for f in judged), *tests.findings, *own])
        trusted = _unborrowed(decisions, chosen)
        discovery = addressed.discounted(after, discovery, unique.findings, trusted.waivers, sides.after)
        triaged = triage.triage(after, discovery, found, trusted, sides.after)
        previous = rounds.last_round(State(Path(desk.order.origin)), desk, _kind(change), change.base or "")
        round_, kept = rounds.round_of(previous if not change.gate else None, triaged.findings)
    with stage(desk, reporting.NAME, STAGES):
        planned = sides.head._replace(tree=sides.head.tree.model_copy(update={"base": change.base}))
        report = reporting.report(
            after, planned, discovery, admission, unique.merged, triaged._replace(findings=kept),
            started=since, seconds=desk.clock.monotonic() - begin,
        )  # fmt: skip
    reported = {f.fingerprint for f in kept}
    info = ReviewInfo(
        kind=_kind(change), base=change.base or "", head=sides.head.tree.head, head_tree=sides.head.tree.digest,
        base_tree=sides.before.tree.digest, lines=sum(c.size for c in sides.changes),
        files=tuple(c.path for c in sides.changes), advice=_advice(desk, sides.changes, small, change), whole=change.gate,
        known=len(chosen.known.keys() - reported), elsewhere=chosen.elsewhere, round=round_,
        tests=tests.info, policy=policy,
    )  # fmt: skip
    return report.model_copy(update={"review": info})


def _planned(desk: Desk, before: Desk, change: Change) -> _Sides:
    head = plan.plan(head_desk(desk, models=False))
    base = None
    if change.base is not None:
        before.folder.path.mkdir(exist_ok=True, mode=0o700)
        try:
            base = plan.plan(before)
        except NothingInScope:  # the base had no file of ours to look at: all of the head is new
            base = None
    after = Project(head.tree)
    empty = Tree(root=str(desk.folder.path / "base" / "nothing"), name=head.tree.name, origin=head.tree.origin)
    earlier = Project(base.tree if base else empty)
    changes = compare(earlier, after)
    if not changes and not change.gate:
        hint = "Stage something: git add FILE." if _kind(change) == "staged" else "Name another --base."
        raise NothingInScope(f"nothing differs between {_said(change)} in the files that are audited", hint=hint)
    return _Sides(head, base, after, earlier, changes, reach.reach(earlier, after, changes))


def _claims_of_base(before: Desk, sides: _Sides) -> Admission:
    if sides.base is None:
        return Admission((), (), {})
    with before.team(bench_of(before, sides.before)) as pool:
        raised = discover.discover(before, pool, None, sides.base, sides.before).raised
    return admit.admit(raised, sides.before)


def _chosen(change: Change, sides: _Sides, known: Admission, findings: Sequence[Finding]) -> _Chosen:
    """What the change causes; everything for a gate."""
    if change.gate:
        return _Chosen(tuple(findings), {}, {}, 0, frozenset())
    found = fresh.fresh(sides.before, known.admitted, findings, sides.changes)
    ties = {f.fingerprint: tie for f in findings if (tie := reach.tie(f, sides.reached, strict=_asked(f))) is not None}
    new = {f.fingerprint for f in found.new}
    kept = tuple(f for f in findings if f.fingerprint in ties and (f.fingerprint in new or not _asked(f)))
    elsewhere = sum(f.fingerprint not in ties for f in found.new)
    return _Chosen(kept, ties, found.known, elsewhere, found.borrowed)


def _asked(finding: Finding) -> bool:
    """Whether only a model raised it: it was not asked about the base, so that not finding it there means nothing."""
    return finding.auditors == (reading.AUDITOR,)


def _on_both_sides(
    after: Desk, before: Desk, sides: _Sides, known: Admission, chosen: _Chosen, judged: Sequence[Finding]
) -> tuple[Finding, ...]:
    """Without what is as true of the base; reproducers that ran are run there, too."""
    suspects = [f for f in judged if f.fingerprint in chosen.known]
    confirmed = [f for f in suspects if f.verdict is Verdict.CONFIRMED]
    left_out = {f.fingerprint for f in suspects if f.verdict is not Verdict.CONFIRMED}
    pairs = differential.reproduced(judged, after.verifiers) if after.sandbox else []
    if sides.base is None or not (confirmed or pairs):
        return tuple(f for f in judged if f.fingerprint not in left_out)
    changes = {c.after: c for c in sides.changes if c.after}
    with before.team(bench_of(before, sides.before)) as pool:
        was = _judged_on_base(before, pool, sides, known, {chosen.known[f.fingerprint] for f in confirmed})
        pairs = [p for p in pairs if p[0].fingerprint not in chosen.known or p[0] in confirmed]
        raised = differential.compare(before, pool, pairs, sides.before, changes)
    left_out |= {f.fingerprint for f in confirmed if not differential.turned(was.get(chosen.known[f.fingerprint]))}
    kept = (raised.get(f.fingerprint, f) for f in judged if f.fingerprint not in left_out)
    return tuple(differential.told(f, was.get(chosen.known.get(f.fingerprint, ""))) for f in kept)


def _judged_on_base(before: Desk, pool: Pool, sides: _Sides, known: Admission, wanted: set[str]) -> dict[str, Finding]:
    """Findings of the base by fingerprint, judged there."""
    if sides.base is None or not wanted:
        return {}
    findings = [f for f in dedupe.dedupe(before, known.admitted, sides.before).findings if f.fingerprint in wanted]
    return {f.fingerprint: f for f in verify.verify(before, pool, None, findings, sides.base.tree.digest)}


def _policy(desk: Desk, change: Change, sides: _Sides) -> tuple[str, ...]:
    origin = Path(desk.order.origin)
    found = decided.loosened(origin, base_of(change), head_of(change)) if change.base else ()
    return (*found, *decided.workflows(sides.before if sides.base else None, sides.after, sides.changes))


def _own(desk: Desk, change: Change, sides: _Sides, policy: Sequence[str]) -> list[Finding]:
    if change.base is None:
        return []
    found = decided.added(Path(desk.order.origin), base_of(change), head_of(change), sides.after, sides.changes)
    return decided.as_findings(found, policy, sides.after, sides.changes)


def _tied(finding: Finding, ties: dict[str, reach.Tie]) -> Finding:
    tie = ties.get(finding.fingerprint)
    return finding.model_copy(update={"related": (*finding.related, *tie.related)}) if tie else finding


def _named(findings: Sequence[Finding]) -> list[Finding]:
    """With ids that are unique among all of them."""
    ids = short_ids(f.fingerprint for f in findings)
    return [f.model_copy(update={"id": ids[f.fingerprint]}) for f in findings]


def _unborrowed(decisions: Decisions, chosen: _Chosen) -> Decisions:
    """Without what speaks of a place in the base that only looks like a new one."""
    if not chosen.borrowed:
        return decisions
    known = tuple(k for k in decisions.baseline.findings if k.fingerprint not in chosen.borrowed)
    return decisions._replace(
        waivers=tuple(w for w in decisions.waivers if w.fingerprint not in chosen.borrowed),
        baseline=decisions.baseline.model_copy(update={"findings": known}),
    )


def _small(changes: Sequence[FileChange]) -> bool:
    return sum(c.size for c in changes) < SMALL_LINES and len(changes) < SMALL_FILES


def _advice(desk: Desk, changes: Sequence[FileChange], small: bool, change: Change) -> str:
    if not small:
        return ""
    lines, files = sum(c.size for c in changes), len(changes)
    size = f"a small change ({lines} line{'s'[: lines != 1]} in {files} file{'s'[: files != 1]}): reading it alone is cheaper"
    if desk.order.model is None:
        return size
    done = (
        "the model was asked as well, as ordered"
        if change.thorough
        else "deterministic lanes only; --thorough asks the model"
    )
    return f"{size}; {done}"


def _kind(change: Change) -> Literal["work tree", "staged", "patch", "commits"]:
    if change.staged:
        return "staged"
    if change.patch is not None:
        return "patch"
    return "commits" if change.head else "work tree"


def _said(change: Change) -> str:
    base = change.base[:12] if change.base else "no base"
    head = {"staged": "what is staged", "patch": "the patch", "work tree": "the work tree"}.get(_kind(change))
    return f"{base}..{head or (change.head or '')[:12]}"
