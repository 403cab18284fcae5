"""What a killed process leaves behind goes at the next start, and nothing else does."""

import os
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from harness import scratch, state
from harness.state import RunFolder, discard_copy, room_for_copy, sweep_copies


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files, for this process and its children."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def killed(body: str) -> None:
    """Run Python that makes something, and kill it in the middle."""
    code = f"import sys\n{body}\nprint(flush=True)\nsys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        child.send_signal(signal.SIGKILL)


def test_a_folder_lives_as_long_as_its_block(temporary):
    with scratch.scratch("copy") as folder:
        (folder / "a").write_text("a")
        scratch.sweep()
        assert (folder / "a").exists()
    assert list(temporary.iterdir()) == []


def test_a_folder_of_a_killed_process_is_swept(temporary):
    killed("from harness.scratch import scratch\nwith_ = scratch('copy')\n(with_.__enter__() / 'a').write_text('a')")
    (left,) = temporary.iterdir()
    assert left.name.startswith("harness-copy-")
    scratch.sweep()
    assert not left.exists()


def test_what_is_not_surely_left_behind_stays(temporary):
    dead = 2**22 + 1  # no process has this number: it is above the largest that Linux gives
    space = scratch.prefix("copy").split("-")[3]
    names = [
        f"harness-copy-{dead}-{int(space) + 1}-x",
        "harness-copy-x",
        f"copy-{dead}-{space}-x",
        f"harness-copy-{os.getpid()}-{space}-x",
    ]
    for name in names:
        (temporary / name).mkdir()
    kept = temporary / "kept"
    kept.mkdir()
    (temporary / f"harness-copy-{dead}-{space}-link").symlink_to(kept)
    (temporary / f"harness-copy-{dead}-{space}-file").write_text("a")
    (temporary / f"harness-copy-{dead}-{space}-gone").mkdir()
    scratch.sweep()
    found = {p.name for p in temporary.iterdir()}
    assert found == {*names, "kept", f"harness-copy-{dead}-{space}-link", f"harness-copy-{dead}-{space}-file"}


@pytest.fixture
def memory(tmp_path, monkeypatch):
    """A stand-in for the file system in memory, with room."""
    folder = tmp_path / "memory"
    folder.mkdir()
    monkeypatch.setattr(state, "MEMORY", folder)
    monkeypatch.setattr(state, "MEMORY_ROOM", 0)
    return folder


def aged(folder):
    old = time.time() - 2 * state._SETTLED_S
    os.utime(folder, (old, old))


def test_a_copy_in_memory_stays_as_long_as_its_run_points_to_it(memory, tmp_path):
    run = RunFolder("0001", tmp_path / "0001")
    run.path.mkdir()
    room_for_copy(run).mkdir()
    (place,) = memory.iterdir()
    aged(place)
    sweep_copies()
    assert place.exists()
    run.copy.unlink()
    sweep_copies()
    assert not place.exists()


def test_a_copy_that_is_being_made_is_not_swept(memory, tmp_path):
    run = RunFolder("0001", tmp_path / "0001")
    run.path.mkdir()
    room_for_copy(run)
    run.copy.unlink()
    sweep_copies()
    (place,) = memory.iterdir()
    assert place.exists()


def test_a_run_that_lost_its_copy_to_nobody_can_make_another(memory, tmp_path):
    run = RunFolder("0001", tmp_path / "0001")
    run.path.mkdir()
    room_for_copy(run)
    discard_copy(run)
    assert list(memory.iterdir()) == []
    assert room_for_copy(run).parent.parent == memory
