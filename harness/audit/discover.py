"""discover: every lane looks at the pinned revision on its own, in parallel processes. No lane sees another's claims."""

from typing import NamedTuple

from pydantic import JsonValue, TypeAdapter

from harness.audit import reading
from harness.audit.desk import Desk
from harness.audit.plan import Lane, Plan
from harness.audit.settle import Settled, Unit, settle
from harness.crew import Crew
from harness.events import LaneEnded
from harness.files import sha256
from harness.schema.finding import Claim
from harness.schema.run import LaneCoverage, Skip
from harness.source.project import Project
from harness.workers import Pool

NAME = "discover"
LANE_SECONDS = 1800.0
TIME_SHARE = 0.7
"""Of a time budget; the rest is kept for verifying what was found (B1)."""

_CLAIMS = TypeAdapter(tuple[Claim, ...])
_SKIPS = TypeAdapter(tuple[Skip, ...])


class Raised(NamedTuple):
    """A claim and who raised it."""

    claim: Claim
    """With its dimension filled in."""
    auditor: str
    """Id."""
    origin: str = ""
    """Which finding made elsewhere it is, '' for a claim of ours."""
    refusal: str = ""
    """Why it cannot be looked at, known before admission; '' when nothing is."""


class Read(NamedTuple):
    """A part that a model has read."""

    dimension: str
    """For which."""
    files: tuple[str, ...]
    """What was in it."""


class Discovery(NamedTuple):
    """What the lanes brought."""

    raised: tuple[Raised, ...]
    """In order of plan, then as raised: the same whatever finished first."""
    lanes: tuple[LaneCoverage, ...]
    """In order of plan."""
    read: tuple[Read, ...] = ()
    """Parts that a model answered about, in order of plan."""


def discover(desk: Desk, pool: Pool, crew: Crew | None, plan: Plan, project: Project) -> Discovery:
    """Claims of all lanes. A lane that failed brings none, and the run cannot be complete."""
    lanes = {f"{NAME}/{lane.dimension}/{lane.auditor.id}": lane for lane in plan.lanes}
    units = [_unit(desk, plan, step, lane) for step, lane in lanes.items() if not lane.skip]
    slow = {lane.auditor.id for lane in plan.lanes if lane.auditor.executes}
    units.sort(
        key=lambda unit: (unit.batch not in slow, unit.batch)
    )  # the longest first, so that none is left for last
    left = desk.budget.remaining_seconds()
    settled: dict[str, Settled] = {}
    raised = 0
    desk.progress(NAME, 0, len(units))
    for one in settle(desk, pool, units, seconds=None if left is None else left * TIME_SHARE, together=len(units)):
        settled[one.unit.step] = one
        raised += _tell(desk, lanes[one.unit.step], one)
        desk.progress(NAME, len(settled), len(units), f"{raised} raised")
    claims: list[Raised] = []
    coverage = []
    for step, lane in lanes.items():
        found, entry = _read(lane, settled.get(step))
        claims += found
        coverage.append(entry)
    read: tuple[Read, ...] = ()
    if desk.models and crew and not desk.order.imported:
        brought, lanes_read, parts = reading.read(desk, crew, desk.models, plan, project)
        claims += [Raised(claim, auditor) for claim, auditor in brought]
        coverage += lanes_read
        read = tuple(Read(*part) for part in parts)
    _note_troubles(desk, coverage, plan)
    return Discovery(tuple(claims), tuple(coverage), read)


def _unit(desk: Desk, plan: Plan, step: str, lane: Lane) -> Unit:
    mechanism = desk.execution if lane.auditor.executes else ""
    parts = ("lane", desk.order.code, plan.tree.digest, lane.auditor.id, lane.auditor.version, mechanism)
    key = sha256("\0".join((*parts, str(desk.order.seed))))
    return Unit(step, key, {"auditor": lane.auditor.id}, lane.auditor.id, LANE_SECONDS)


def _tell(desk: Desk, lane: Lane, one: Settled) -> int:
    count = len(_list(one.value, "claims"))
    status = "done" if one.value is not None else "failed" if one.reached else "planned"
    desk.tell(
        LaneEnded(auditor=lane.auditor.id, dimension=lane.dimension, status=status, raised=count, reason=one.error)
    )
    return count


def _read(lane: Lane, one: Settled | None) -> tuple[list[Raised], LaneCoverage]:
    def coverage(status: str, reason: str = "", skipped: tuple[Skip, ...] = (), raised: int = 0) -> LaneCoverage:
        done = lane.files - len(skipped) if status == "done" else 0
        return LaneCoverage.model_validate(
            {
                "auditor": lane.auditor.id, "dimension": lane.dimension, "status": status, "reason": reason,
                "planned": lane.files, "done": max(done, 0), "skipped": skipped, "raised": raised,
            }
        )  # fmt: skip

    if one is None:
        return [], coverage("skipped", lane.skip)
    if one.value is None:
        return [], coverage("failed" if one.reached else "planned", one.error)
    claims = _CLAIMS.validate_python(_list(one.value, "claims"))
    skips = _SKIPS.validate_python(_list(one.value, "skips"))
    stamped = [Raised(c.model_copy(update={"dimension": lane.dimension}), lane.auditor.id) for c in claims]
    return stamped, coverage("done", "", skips, len(claims))


def _list(value: JsonValue, key: str) -> list[JsonValue]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _note_troubles(desk: Desk, lanes: list[LaneCoverage], plan: Plan) -> None:
    failed = [f"{lane.auditor} for {lane.dimension} ({lane.reason})" for lane in lanes if lane.status == "failed"]
    if failed:
        desk.troubles.append(f"{len(failed)} of {len(lanes)} lanes failed: {'; '.join(failed)}")
    planned = sum(lane.status == "planned" for lane in lanes)
    if planned:
        desk.troubles.append(f"{planned} of {len(lanes)} lanes were not reached")
    missing = sorted({lane.auditor.id for lane in plan.lanes if lane.missing})
    if missing:
        desk.troubles.append(f"{', '.join(missing)} could not run: no sandbox ({desk.no_sandbox})")
    if not failed and not planned and not any(lane.done for lane in lanes):
        desk.troubles.append("no file could be analysed")
