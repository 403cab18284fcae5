"""DUR-01: kill -9 at every boundary of every step; the resumed run finds the same and repeats only what was in flight."""

import os
import signal
import sqlite3
from pathlib import Path

import pytest

from harness.audit import runner, start
from harness.audit.order import Order
from harness.journal.journal import Journal
from harness.schema.run import RunStatus
from harness.state import State
from tests.support.audits import audit, means, project, told

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the run is killed in a forked child")


class Doomed(Journal):
    """A journal that kills its process before or after its n-th write."""

    left = 0

    def begin_all(self, steps):
        self._around(super().begin_all, list(steps))

    def finish_all(self, results):
        self._around(super().finish_all, list(results))

    def note(self, key, value):
        self._around(super().note, key, value)

    def _around(self, write, *arguments):
        self._boundary()
        write(*arguments)
        self._boundary()

    def _boundary(self):
        Doomed.left -= 1
        if Doomed.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def killed_at(boundary: int, root: Path, monkeypatch) -> bool:
    """Audit in a child that dies at this boundary. False when it came to its end before."""
    pid = os.fork()
    if not pid:
        try:
            Doomed.left = boundary
            monkeypatch.setattr(start, "Journal", Doomed)
            audit(root)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def resumed(root: Path):
    """The report of the only run, continued when that is possible, and the rows of its journal."""
    state = State(root)
    (folder,) = state.all_runs()
    with start.again(state, folder, means()) as desk:
        report = runner.run(desk)
    connection = sqlite3.connect(folder.journal)
    intents = dict(connection.execute("SELECT step, count(*) FROM intents GROUP BY step"))
    results = dict(connection.execute("SELECT step, 1 FROM results"))
    connection.close()
    return report, intents, results


def test_every_boundary(tmp_path, monkeypatch):
    root = project(tmp_path)
    monkeypatch.setenv("HARNESS_STATE_DIR", str(tmp_path / "reference"))
    expected = told(audit(root))
    boundary = 3  # the first two are around the note of the order: before it there is no run to continue
    while True:
        monkeypatch.setenv("HARNESS_STATE_DIR", str(tmp_path / f"killed-{boundary}"))
        if not killed_at(boundary, root, monkeypatch):
            break
        report, intents, results = resumed(root)
        assert told(report) == expected, f"killed at boundary {boundary}"
        assert report.run.status is RunStatus.COMPLETE
        assert set(intents) == set(results), "a step has a result without an intent, or the reverse"
        assert max(intents.values()) <= 2, f"killed at boundary {boundary}: {intents}"
        boundary += 1
    assert boundary > 25


def test_a_run_killed_before_its_order_was_recorded_says_so(tmp_path, monkeypatch):
    root = project(tmp_path)
    assert killed_at(1, root, monkeypatch)
    with pytest.raises(Exception, match="ended before it had begun") as caught:
        resumed(root)
    assert caught.value.exit_code == 3
    assert "Start a new audit" in caught.value.hint


def test_a_run_killed_again_and_again_still_ends(tmp_path, monkeypatch):
    root = project(tmp_path)
    monkeypatch.setenv("HARNESS_STATE_DIR", str(tmp_path / "reference"))
    expected = told(audit(root))
    monkeypatch.setenv("HARNESS_STATE_DIR", str(tmp_path / "killed"))
    assert killed_at(9, root, monkeypatch)
    state = State(root)
    (folder,) = state.all_runs()
    for boundary in (8, 10, 12):
        pid = os.fork()
        if not pid:
            try:
                Doomed.left = boundary
                monkeypatch.setattr(start, "Journal", Doomed)
                with start.again(state, folder, means()) as desk:
                    runner.run(desk)
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
    assert told(resumed(root)[0]) == expected


def test_another_version_does_not_continue_a_run(tmp_path, monkeypatch):
    root = project(tmp_path)
    assert killed_at(9, root, monkeypatch)
    monkeypatch.setattr(start.registry, "code_digest", lambda: "newer")
    with pytest.raises(Exception, match="begun by another version of harness") as caught:
        resumed(root)
    assert caught.value.exit_code == 2


def test_the_copy_is_gone_once_the_run_is_complete(tmp_path, monkeypatch):
    root = project(tmp_path)
    assert killed_at(9, root, monkeypatch)
    (folder,) = State(root).all_runs()
    assert folder.copy.is_dir()
    resumed(root)
    assert not folder.copy.exists()
    assert folder.report.is_file()


def test_an_order_is_kept_word_for_word(tmp_path, monkeypatch):
    root = project(tmp_path)
    with start.new(Order(origin=str(root), dimensions=("web",), fail_on=None), means()) as desk:
        asked = desk.order
    (folder,) = State(root).all_runs()
    with start.again(State(root), folder, means(), budget=("5min",)) as desk:
        assert desk.order == asked.model_copy(update={"budget": ("5min",)})
