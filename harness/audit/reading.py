"""discover, with a model: every dimension read part by part. A part that could not be read, and a finding in an answer that
cannot be understood, keep the run from being complete."""

from collections.abc import Sequence

from pydantic import JsonValue, TypeAdapter

from harness.audit.desk import Desk
from harness.audit.models import Models
from harness.audit.plan import Plan
from harness.audit.settle import Settled, Unit, settle
from harness.contracts import MALFORMED, Reading
from harness.crew import Crew
from harness.events import LaneEnded
from harness.files import sha256
from harness.schema.dimension import Dimension
from harness.schema.finding import Claim
from harness.schema.run import LaneCoverage, Skip
from harness.source.project import Project

NAME = "discover"
AUDITOR = "model"
PART_SECONDS = 3600.0
TIME_SHARE = 0.7
NAMED = 5

_CLAIMS = TypeAdapter(tuple[Claim, ...])
_SKIPS = TypeAdapter(tuple[Skip, ...])


def read(
    desk: Desk, crew: Crew, models: Models, plan: Plan, project: Project
) -> tuple[list[tuple[Claim, str]], list[LaneCoverage], list[tuple[str, tuple[str, ...]]]]:
    """(claims with their auditor, one lane a dimension, dimension and files of every part that was answered)."""
    parts = {
        d.id: [r for r in models.readers[d.id].readings(project) if desk.narrow is None or desk.narrow & set(r.files)]
        for d in plan.dimensions
    }
    units = [_unit(desk, models, plan, d, part) for d in plan.dimensions for part in parts[d.id]]
    left = desk.budget.remaining_seconds()
    settled: dict[str, Settled] = {}
    raised = 0
    desk.progress(NAME, 0, len(units), "parts read")
    for one in settle(desk, crew, units, seconds=None if left is None else left * TIME_SHARE):
        settled[one.unit.step] = one
        raised += len(_list(one.value, "claims"))
        desk.progress(NAME, len(settled), len(units), f"parts read, {raised} raised")
    claims: list[tuple[Claim, str]] = []
    lanes: list[LaneCoverage] = []
    answered: list[tuple[str, tuple[str, ...]]] = []
    for dimension in plan.dimensions:
        outcomes = [(part, settled[_step(dimension, part)]) for part in parts[dimension.id]]
        found = [c for _, one in outcomes for c in _CLAIMS.validate_python(_list(one.value, "claims"))]
        claims += [(claim.model_copy(update={"dimension": dimension.id}), AUDITOR) for claim in found]
        lanes.append(_lane(dimension, outcomes, len(found)))
        answered += [(dimension.id, part.files) for part, one in outcomes if one.value is not None]
        desk.tell(
            LaneEnded(
                auditor=AUDITOR,
                dimension=dimension.id,
                status=lanes[-1].status,
                raised=len(found),
                reason=lanes[-1].reason,
            )
        )
    return claims, lanes, answered


def _step(dimension: Dimension, part: Reading) -> str:
    return f"{NAME}/{dimension.id}/{AUDITOR}/{part.name}"


def _unit(desk: Desk, models: Models, plan: Plan, dimension: Dimension, part: Reading) -> Unit:
    reader = models.readers[dimension.id]
    parts = ("reading", desk.order.code, plan.tree.digest, models.specs[0], dimension.id, reader.version, part.name)
    key = sha256("\0".join((*parts, str(desk.order.seed))))
    step = _step(dimension, part)
    return Unit(step, key, {"reader": dimension.id, "reading": part.payload}, step, PART_SECONDS)


def _lane(dimension: Dimension, outcomes: Sequence[tuple[Reading, Settled]], raised: int) -> LaneCoverage:
    files = {f for part, _ in outcomes for f in part.files}
    unread = {f for part, one in outcomes if one.value is None for f in part.files}
    failed = [(part, one) for part, one in outcomes if one.value is None and one.reached]
    waiting = [part for part, one in outcomes if one.value is None and not one.reached]
    skips = tuple(s for _, one in outcomes for s in _SKIPS.validate_python(_list(one.value, "skips")))
    named = [f"{part.name} ({one.error})" for part, one in failed[:NAMED]] + [
        p.name for p in waiting[: NAMED - len(failed)]
    ]
    count = len(failed) + len(waiting)
    more = f" and {count - len(named)} more" if count > len(named) else ""
    reasons = [f"{count} of {len(outcomes)} parts were not read: {'; '.join(named)}{more}"] if count else []
    # A claim that nobody can read is one that nobody verified.
    malformed = [s for s in skips if s.reason.startswith(MALFORMED)]
    if malformed:
        reasons.append(f"{len(malformed)} findings could not be read, the first of them: {malformed[0].reason}")
    if not outcomes:
        reasons.append("no file of its languages")
    return LaneCoverage(
        auditor=AUDITOR,
        dimension=dimension.id,
        status="failed" if failed or malformed else "planned" if waiting else "done" if outcomes else "skipped",
        reason="; ".join(reasons),
        planned=len(files),
        done=len(files - unread),
        skipped=skips,
        raised=raised,
    )


def _list(value: JsonValue, key: str) -> list[JsonValue]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []
