"""tests: the project's own tests on the head, and on the base when results are to be compared."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from harness.audit.desk import Desk
from harness.audit.order import Change
from harness.errors import SandboxUnavailable, UsageError
from harness.files import sha256
from harness.repo.export import export
from harness.repo.which import Which
from harness.review import regressions
from harness.review.diff import FileChange
from harness.review.reach import Reach
from harness.review.sides import base_of, change_of, head_of
from harness.review.testing import Bed, Python, TestRun, digest, run_tests
from harness.sandbox.provided import Lacking, provided
from harness.schema.finding import Finding
from harness.schema.review import TestsInfo
from harness.source.project import Project

NAME = "tests"
NAMED = 50


class Suite(NamedTuple):
    """What the tests say."""

    info: TestsInfo
    findings: tuple[Finding, ...] = ()
    """Regressions."""


class _Runs:
    """Exports each side once and runs tests on it; every run is a durable step, and whole runs come from the cache."""

    def __init__(self, desk: Desk, change: Change, bed: Bed) -> None:
        self._desk = desk
        self._sides: dict[str, Which] = {"head": head_of(change), "base": base_of(change) or Which()}
        self._bed = bed
        self._fresh = change.gate
        """A gate tells how it is now, and a person who tries again wants tests that run again."""
        self._digests: dict[str, str] = {}

    def all(self, side: str) -> TestRun:
        """Every test of a side."""
        return self._step(f"{NAME}/{side}", side, self._bed, (), fresh=self._fresh)

    def some(self, side: str, tests: Sequence[str], watched: Sequence[str] = ()) -> TestRun:
        """These tests once more, never from the cache."""
        return self._step(f"{NAME}/{side}/again", side, self._bed.again(tests), watched, fresh=True)

    def _step(self, step: str, side: str, bed: Bed, watched: Sequence[str], *, fresh: bool = False) -> TestRun:
        known = self._desk.journal.state(step)
        if known.done:
            return TestRun.model_validate(known.result)
        if not self._desk.working:
            return TestRun(status="incomplete", reason="the run ended before it")
        self._desk.journal.begin(step)
        root = self._exported(side)
        parts = (NAME, self._desk.order.code, self._digests[side], bed.command, bed.where, self._desk.execution)
        key = sha256("\0".join((*parts, bed.python.executable, str(bed.on))))
        kept = {} if fresh else self._desk.cache.get([key])
        run = TestRun.model_validate(kept[key]) if key in kept else run_tests(root, bed, watched=watched)
        if run.status != "incomplete":  # what was no answer is tried again by a resumed run
            value = run.model_dump(mode="json")
            self._desk.journal.finish(step, value)
            if not fresh:
                self._desk.cache.put([(key, value)])
        return run

    def _exported(self, side: str) -> Path:
        root = self._desk.folder.exports / side
        if not root.exists():
            export(Path(self._desk.order.origin), root, self._sides[side])
        if side not in self._digests:
            self._digests[side] = digest(root)
        return root


def tested(desk: Desk, changes: Sequence[FileChange], reached: Reach, head: Project) -> Suite:
    """Run and compare. Trouble of ours is noted in `desk.troubles` for a gate, which may not pass without its tests."""
    change = change_of(desk)
    why = _why_not(desk, change, head)
    if why:
        if change.gate:
            desk.troubles.append(f"the tests did not run: {why}")
        return Suite(TestsInfo(status="not run", command=change.test_command, reason=why))
    try:
        python = _python(desk, change)
    except Lacking as error:
        desk.troubles.append(f"the tests did not run: {error}")
        return Suite(TestsInfo(status="incomplete", command=change.test_command, reason=str(error)))
    bed = Bed(
        change.test_command, change.test_seconds, None if change.host else desk.sandbox, python, on=not change.gate
    )
    runs = _Runs(desk, change, bed)
    total = 1 if change.gate or not change.base else 2
    try:
        desk.progress(NAME, 0, total, bed.command)
        after = runs.all("head")
        desk.progress(NAME, 1, total, after.reason or "passed on the change")
        if total == 1:
            _note_trouble(desk, change, after)
            return Suite(_info(bed, after))
        before = runs.all("base")
        desk.progress(NAME, 2, total, before.reason or "passed on the base")
        _note_trouble(desk, change, after)
        return _compare(runs, bed, before, after, changes, reached, head, change)
    except (SandboxUnavailable, UsageError) as error:
        desk.troubles.append(f"the tests did not run: {error}")
        return Suite(TestsInfo(status="incomplete", command=bed.command, where=bed.where, reason=str(error)))


def _python(desk: Desk, change: Change) -> Python:
    """What the user named for the project's code, with our pytest where it has none. Raises Lacking."""
    if desk.python is None:
        return Python()
    lent = provided(desk.python, *(("pytest",) if "pytest" in change.test_command and not change.host else ()))
    return Python(desk.python.executable, (*desk.python.readable, *lent.readable), lent.path)


def _why_not(desk: Desk, change: Change, head: Project) -> str:
    if not change.test_command:
        return "no command is configured"
    if not desk.order.execute:
        return "running code of the project was switched off"
    if desk.sandbox is None and not change.host:
        return f"no sandbox: {desk.no_sandbox}"
    if not change.gate and not any(entry.test for entry in head.tree.files):
        return "the project has no tests"
    return ""


def _note_trouble(desk: Desk, change: Change, run: TestRun) -> None:
    if change.gate and run.status == "incomplete":
        desk.troubles.append(f"the tests came to no result: {run.reason}")


def _compare(
    runs: _Runs, bed: Bed, before: TestRun, after: TestRun, changes: Sequence[FileChange], reached: Reach,
    head: Project, change: Change,
) -> Suite:  # fmt: skip
    said = regressions.compared(before, after, regressions.edited_tests(changes))
    broken = regressions.changed_results(before, after) if "incomplete" not in (before.status, after.status) else []
    if not broken:
        return Suite(_info(bed, after, said))
    watched = [c.after for c in changes if c.after and c.after.endswith(".py")]
    sides = regressions.Sides(before, after, runs.some("base", broken), runs.some("head", broken, watched))
    found = regressions.findings(sides, changes, reached, head, base=change.base or "", command=bed.command)
    return Suite(_info(bed, after, said), tuple(found))


def _info(bed: Bed, run: TestRun, compared: str = "") -> TestsInfo:
    outcomes = list(run.outcomes.values())
    failing = [t for t, outcome in run.outcomes.items() if outcome == "failed"]
    return TestsInfo(
        status=run.status, command=bed.command, where=bed.where, reason=run.reason, passed=outcomes.count("passed"),
        failed=outcomes.count("failed") + len(run.uncollected), skipped=outcomes.count("skipped"),
        failing=tuple((*run.uncollected, *failing)[:NAMED]), seconds=run.seconds, compared=compared,
    )  # fmt: skip
