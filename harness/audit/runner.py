"""One audit from order to report: the stages, in order, on one screen."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime

import harness
from harness.audit import addressed, admit, dedupe, discover, imports, outcome, plan, triage, verify
from harness.audit import report as reporting
from harness.audit.desk import Desk
from harness.audit.plan import Plan
from harness.audit.registered import kind, line_of, line_without_report, register
from harness.audit.status import broken_off, conclude, interrupted, started
from harness.contracts import Bench
from harness.errors import Interrupted, JournalFailed
from harness.events import RunEnded, RunStarted, StageStarted
from harness.schema.run import Report
from harness.source.project import Project

STAGES = (plan.NAME, discover.NAME, admit.NAME, dedupe.NAME, verify.NAME, triage.NAME, reporting.NAME)


def run(desk: Desk) -> Report:
    """The report, also when the run could not be completed. What is found and judged is durable from the moment it is.

    Raises NothingInScope, UsageError, JournalFailed; Interrupted once the workers are dead and the interruption is recorded.
    """

    def work(since: datetime, begin: float) -> Report:
        with stage(desk, plan.NAME, STAGES):
            planned = plan.plan(desk)
        desk.tell(RunStarted(run=desk.folder.id, headline=headline(desk, planned), stages=STAGES))
        return _stages(desk, planned, since, begin)

    return to_the_end(desk, work)


def to_the_end(desk: Desk, work: Callable[[datetime, float], Report]) -> Report:
    """Have `work` (wall clock and monotonic clock of the begin) make the report, and record what the run came to.

    A gate's run is registered by the gate: findings alone do not say what it returns.
    """
    begin = desk.clock.monotonic()
    try:
        found = work(started(desk), begin)
    except Interrupted:
        stop = interrupted(desk)
        _broke_off(desk, begin, stop)
        raise stop from None
    except Exception as error:
        broken_off(desk, error)
        _broke_off(desk, begin, error)
        raise
    conclude(desk, found)
    if kind(desk.order) != "gate":
        code = outcome.exit_code(found, desk.order.fail_on, desk.order.min_tier)
        register(desk, line_of(desk.order, found, code))
    desk.tell(RunEnded(status=found.run.status, reason=found.run.reason))
    return found


def _broke_off(desk: Desk, begin: float, error: BaseException) -> None:
    with suppress(JournalFailed, OSError):
        seconds = desk.clock.monotonic() - begin
        register(desk, line_without_report(desk, started(desk).isoformat(), seconds, error))


def _stages(desk: Desk, planned: Plan, since: datetime, begin: float) -> Report:
    project = Project(planned.tree)
    decisions = triage.decided(desk)
    bench = bench_of(desk, project)
    with desk.team(bench) as pool, desk.models.crew(bench) if desk.models else nullcontext() as crew:
        with stage(desk, discover.NAME, STAGES):
            find = imports.discover if desk.order.imported else discover.discover
            discovery = find(desk, pool, crew, planned, project)
        with stage(desk, admit.NAME, STAGES):
            admission = admit.admit(discovery.raised, project)
        with stage(desk, dedupe.NAME, STAGES):
            unique = dedupe.dedupe(desk, admission.admitted, project)
        with stage(desk, verify.NAME, STAGES):
            judged = verify.verify(desk, pool, crew, unique.findings, planned.tree.digest)
    with stage(desk, triage.NAME, STAGES):
        discovery = addressed.discounted(desk, discovery, unique.findings, decisions.waivers, project)
        triaged = triage.triage(desk, discovery, judged, decisions, project)
    with stage(desk, reporting.NAME, STAGES):
        seconds = desk.clock.monotonic() - begin
        found = reporting.report(
            desk, planned, discovery, admission, unique.merged, triaged, started=since, seconds=seconds
        )
        return imports.accounted(desk, found, discovery, admission, unique, project) if desk.order.imported else found


@contextmanager
def stage(desk: Desk, name: str, stages: tuple[str, ...]) -> Iterator[None]:
    """Tell people that a stage begins."""
    desk.tell(StageStarted(stage=name, index=stages.index(name) + 1, total=len(stages)))
    yield


def bench_of(desk: Desk, project: Project) -> Bench:
    """What auditors and verifiers of this run work with."""
    return Bench(
        project=project, sandbox=desk.sandbox, seed=desk.order.seed, python=desk.python, advice=desk.order.advice
    )


def headline(desk: Desk, planned: Plan) -> str:
    """The line a person reads first: version, backend, dimensions, revision, configuration."""
    tree = planned.tree
    revision = f"@{tree.head[:7]} ({'with uncommitted changes' if tree.dirty else 'clean'})" if tree.head else ""
    count = len(planned.dimensions)
    dimensions = f"{count} dimensions" if count > 1 else planned.dimensions[0].id
    config = f"config {desk.order.config}" if desk.order.config else "no config"
    backend = " / ".join(dict.fromkeys(desk.models.specs)) if desk.models else "offline"
    return f"harness {harness.__version__} · {backend} · {dimensions} · {tree.name}{revision} · {config}"
