"""DUR-02: one process per run, and whoever is refused learns who it is and whether it lives."""

import fcntl
import os
import signal
import time
from datetime import UTC, datetime

import pytest

from harness.errors import RunLocked
from harness.journal.lock import Holder, RunLock, holder, locked

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def lock(path):
    return RunLock(path, run="0007", since=NOW)


def in_child(action):
    """Fork, run `action` in the child, and return its pid once it has said that it is there."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.close(read)
            action(lambda: os.write(write, b"x"))
        finally:
            os._exit(0)
    os.close(write)
    assert os.read(read, 1) == b"x"
    os.close(read)
    return pid


def hold(path):
    def action(ready):
        with lock(path):
            ready()
            signal.pause()

    return in_child(action)


def end(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_a_second_holder_is_refused_and_told_about_the_first(tmp_path):
    path = tmp_path / "lock"
    pid = hold(path)
    try:
        with (
            pytest.raises(RunLocked, match=rf"run 0007 .* process {pid} .* since 2026-01-02T03:04:05\+00:00 \(alive\)"),
            lock(path),
        ):
            pass
        assert locked(path)
        assert holder(path).alive is True
    finally:
        end(pid)


def test_the_lock_ends_with_a_killed_process(tmp_path):
    path = tmp_path / "lock"
    end(hold(path))
    assert not locked(path)
    assert holder(path).alive is False
    with lock(path):
        assert holder(path).pid == os.getpid()


def test_a_forked_child_does_not_keep_the_lock(tmp_path):
    path = tmp_path / "lock"
    with lock(path):
        child = in_child(lambda ready: (ready(), signal.pause()))
    try:
        with lock(path):
            pass
    finally:
        end(child)


def test_what_the_file_says_is_for_people_only(tmp_path):
    path = tmp_path / "lock"
    for content in (b"", b"\xff\x00", b"[1]", b'{"pid": "x"}'):
        path.write_bytes(content)
        assert holder(path) is None
        with lock(path):
            pass
    assert Holder(1, "another machine", "").alive is None


def test_a_child_of_a_killed_holder_may_take_a_moment_to_let_go(tmp_path):
    path = tmp_path / "lock"
    end(hold(path))

    def action(ready):
        descriptor = os.open(path, os.O_RDWR)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        ready()
        time.sleep(0.5)

    child = in_child(action)
    with lock(path):
        assert holder(path).pid == os.getpid()
    os.waitpid(child, 0)
