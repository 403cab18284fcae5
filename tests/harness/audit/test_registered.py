"""Every run that ends leaves a line in runs.tsv, however it ends."""

import os
from pathlib import Path

import pytest

from harness.audit import registered, runner, start
from harness.audit.order import Change, Order
from harness.errors import Interrupted, NothingInScope
from harness.journal.register import RunLine, read
from harness.state import State
from tests.support.audits import Log, audit, means, project


def lines(root: Path) -> list[RunLine]:
    return list(read(State(root).runs / "runs.tsv").lines)


def test_a_run_is_registered_with_its_counts_and_exit_code(tmp_path: Path) -> None:
    root = project(tmp_path)
    report = audit(root)
    audit(root, fail_on=None)
    first, second = lines(root)
    assert (first.run, first.kind, first.status, first.exit_code) == ("0001", "audit", "complete", 1)
    assert first.started == report.run.started.isoformat()
    counted = (first.raised, first.admitted, first.confirmed, first.uncertain, first.dismissed, first.unverified)
    assert counted == (9, 9, 2, 0, 1, 0)
    assert (first.calls, first.cost, first.unpriced, first.models) == (0, 0.0, 0, "")
    assert (second.run, second.exit_code) == ("0002", 0)


def test_a_run_that_is_refused_has_no_counts(tmp_path: Path) -> None:
    root = project(tmp_path, {"notes.bin": "\0"})
    with pytest.raises(NothingInScope):
        audit(root)
    (one,) = lines(root)
    assert (one.status, one.exit_code, one.raised, one.cost) == ("refused", 4, None, 0.0)


def test_a_run_that_is_interrupted_and_resumed_has_a_line_for_each_end(tmp_path: Path) -> None:
    root = project(tmp_path)

    def stop(event: object) -> None:
        if type(event).__name__ == "StageStarted" and getattr(event, "stage", "") == "verify":
            raise Interrupted("SIGINT")

    with pytest.raises(Interrupted):
        audit(root, means(tell=stop))
    state = State(root)
    with start.recorded(state, state.run("1"), means()) as desk:  # put together to be looked at: no end of a run
        runner.run(desk)
    with start.again(state, state.run("1"), means()) as desk:
        runner.run(desk)
    first, second = lines(root)
    assert (first.run, first.status, first.exit_code, first.raised) == ("0001", "incomplete", 130, None)
    assert (second.run, second.status, second.raised) == ("0001", "complete", 9)
    assert first.started == second.started


def test_a_bug_of_ours_is_70(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner.admit, "admit", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        audit(project(tmp_path))
    (one,) = lines(tmp_path / "project")
    assert (one.status, one.exit_code) == ("incomplete", 70)


def test_a_list_that_cannot_be_written_costs_no_result(tmp_path: Path) -> None:
    root = project(tmp_path)
    (State(root).runs / "runs.tsv").mkdir(parents=True)
    log = Log()
    assert audit(root, means(tell=log)).stats.confirmed == 2
    assert any("runs.tsv cannot be written" in getattr(event, "message", "") for event in log)


@pytest.mark.skipif(os.name != "posix", reason="a mode of POSIX")
def test_nobody_else_can_read_the_list(tmp_path: Path) -> None:
    root = project(tmp_path)
    audit(root)
    assert (State(root).runs / "runs.tsv").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("order", "kind"),
    [
        ({}, "audit"),
        ({"imported": "d"}, "verify"),
        ({"imported": "d", "recheck": True}, "recheck"),
        ({"change": Change(base="b")}, "review"),
        ({"change": Change(base="b", gate=True)}, "gate"),
    ],
)
def test_kinds(order: dict[str, object], kind: str) -> None:
    assert registered.kind(Order.model_validate({"origin": "/", **order})) == kind
