"""discover, for findings made elsewhere: they are read instead of found; then admitted and verified like all others."""

from harness.audit import discover as discovering
from harness.audit import material
from harness.audit.admit import Admission
from harness.audit.dedupe import Deduplicated
from harness.audit.desk import Desk
from harness.audit.discover import Discovery, Raised
from harness.audit.plan import Plan
from harness.audit.recheck import looked_at_again
from harness.crew import Crew
from harness.events import LaneEnded
from harness.schema.run import ImportedResult, LaneCoverage, Report
from harness.source.project import Project
from harness.workers import Pool

NAME = discovering.NAME


def discover(desk: Desk, pool: Pool, crew: Crew | None, plan: Plan, project: Project) -> Discovery:
    """One claim a result, in the order of the file; for a recheck also what our own lanes find of the same rules."""
    found = material.read(desk.folder, desk.order)
    raised = [Raised(b.claim, b.tool, b.origin, b.refusal) for b in found.brought(project)]
    desk.progress(NAME, len(raised), len(raised), "read")
    if found.count > len(raised):
        desk.troubles.append(f"the file holds {found.count} findings; only the first {len(raised)} were looked at")
    lanes = [_lane(tool, [r for r in raised if r.auditor == tool], project) for tool in sorted(found.tools)]
    for lane in lanes:
        desk.tell(
            LaneEnded(auditor=lane.auditor, dimension=lane.dimension, status="done", raised=lane.raised, reason="")
        )
    if not plan.lanes:
        return Discovery(tuple(raised), tuple(lanes))
    own = discovering.discover(desk, pool, crew, plan, project)
    places = {(r.claim.rule, r.claim.location.path) for r in raised}
    quotes = {(r.claim.rule, r.claim.quote.strip()) for r in raised}
    again = [
        r for r in own.raised
        if (r.claim.rule, r.claim.location.path) in places or (r.claim.rule, r.claim.quote.strip()) in quotes
    ]  # fmt: skip
    return Discovery((*raised, *again), (*lanes, *own.lanes))


def accounted(
    desk: Desk, report: Report, discovery: Discovery, admission: Admission, unique: Deduplicated, project: Project
) -> Report:
    """The report, with what became of every result of the file."""
    found = material.read(desk.folder, desk.order)
    brought = [r for r in discovery.raised if r.origin]
    if desk.order.recheck:
        again = looked_at_again(brought, admission.refused, unique.origins, report, project, desk.auditors)
        return report.model_copy(update={"rechecked": again})
    if found.log is None:
        return report
    return report.model_copy(update={"imported": tuple(_result(r, admission, unique) for r in brought)})


def _result(raised: Raised, admission: Admission, unique: Deduplicated) -> ImportedResult:
    run, _, result = raised.origin.partition("/")
    return ImportedResult(
        run=int(run), result=int(result), finding=unique.origins.get(raised.origin),
        reason=admission.refused.get(raised.origin, ""),
    )  # fmt: skip


def _lane(tool: str, raised: list[Raised], project: Project) -> LaneCoverage:
    """Its files are those that it speaks of."""
    named = {r.claim.location.path for r in raised}
    known = {r.claim.location.path for r in raised if not r.refusal} & project.entries.keys()
    return LaneCoverage(
        auditor=tool, dimension=tool, status="done", planned=len(named), done=len(known), raised=len(raised)
    )
