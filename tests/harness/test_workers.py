"""DUR-07: whatever happens to a worker, the parent learns of it, goes on, and leaves nothing behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.workers import Pool, Task


def work(payload):
    match payload:
        case ["kill"]:
            os.kill(os.getpid(), signal.SIGKILL)
        case ["exit"]:
            os._exit(3)
        case ["raise", text]:
            raise ValueError(text)
        case ["sleep", marker]:
            child = subprocess.Popen(["sleep", "1000"])
            with Path(marker).open("a") as stream:
                stream.write(f"{os.getpid()} {child.pid}\n")
            time.sleep(1000)
        case ["once", marker] if not Path(marker).exists():
            Path(marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return [payload, os.getpid()]


def pool(**more):
    return Pool(work, jobs=2, monotonic=time.monotonic, **more)


def gone(pid):
    """Whether a process is dead (a zombie that waits for its parent is)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_until(condition, seconds=5.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_every_task_has_one_outcome(method):
    with pool(method=method) as workers:
        outcomes = list(workers.run([Task(str(n), n) for n in range(20)]))
    assert sorted(int(o.task.id) for o in outcomes) == list(range(20))
    assert all(o.value[0] == int(o.task.id) for o in outcomes)
    assert len({o.value[1] for o in outcomes} - {os.getpid()}) <= 2


def test_a_task_that_raises_has_failed_and_is_not_tried_again():
    begun = []
    with pool() as workers:
        outcomes = list(workers.run([Task("a", ["raise", "no"]), Task("b", 1)], begun=lambda t: begun.append(t.id)))
    assert {o.task.id: (o.error, o.crashed) for o in outcomes} == {"a": ("no", False), "b": (None, False)}
    assert sorted(begun) == ["a", "b"]


@pytest.mark.parametrize(("payload", "how"), [(["kill"], "signal 9"), (["exit"], "exit code 3")])
def test_a_poison_task_costs_three_workers_and_not_the_run(payload, how):
    begun = []
    with pool() as workers:
        tasks = [Task("poison", payload), *(Task(str(n), n) for n in range(5))]
        outcomes = {o.task.id: o for o in workers.run(tasks, begun=lambda t: begun.append(t.id))}
    assert begun.count("poison") == 3
    assert outcomes["poison"].crashed
    assert how in outcomes["poison"].error
    assert sorted(outcomes) == ["0", "1", "2", "3", "4", "poison"]


def test_a_task_whose_worker_died_by_chance_is_tried_again(tmp_path):
    with pool() as workers:
        (outcome,) = workers.run([Task("a", ["once", str(tmp_path / "m")])])
    assert outcome.error is None


def test_a_task_over_its_time_is_killed_with_all_it_started(tmp_path):
    marker = tmp_path / "pids"
    with pool() as workers:
        outcomes = {o.task.id: o for o in workers.run([Task("slow", ["sleep", str(marker)], 0.5), Task("b", 1)])}
    assert outcomes["slow"].error == "took more than 0.5 s"
    assert not outcomes["slow"].crashed
    assert outcomes["b"].error is None
    wait_until(lambda: all(gone(pid) for pid in marker.read_text().split()))


def test_after_the_deadline_nothing_is_begun_and_what_flies_is_killed(tmp_path):
    marker = tmp_path / "pids"
    tasks = [Task(str(n), ["sleep", str(marker)]) for n in range(4)]
    begun = []
    with pool() as workers:
        until = time.monotonic() + 0.7
        assert list(workers.run(tasks, begun=lambda t: begun.append(t.id), until=until)) == []
        assert begun == ["0", "1"]
        wait_until(lambda: all(gone(pid) for pid in marker.read_text().split()))


def test_leaving_the_block_kills_everything_within_two_seconds(tmp_path):
    marker = tmp_path / "pids"
    with pool() as workers:
        outcomes = workers.run([Task("a", ["sleep", str(marker)]), Task("b", 1)])
        assert next(outcomes).task.id == "b"
        wait_until(marker.exists)
        start = time.monotonic()
    assert time.monotonic() - start < 2
    wait_until(lambda: all(gone(pid) for pid in marker.read_text().split()))


_PARENT = """
import sys, time
from tests.harness.test_workers import pool, Task
with pool() as workers:
    list(workers.run([Task("a", ["sleep", sys.argv[1]]), Task("b", ["sleep", sys.argv[1]])]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent died")
def test_workers_do_not_outlive_a_parent_that_is_killed(tmp_path):
    marker = tmp_path / "pids"
    parent = subprocess.Popen([sys.executable, "-c", _PARENT, str(marker)])
    wait_until(lambda: marker.exists() and len(marker.read_text().split()) == 4)
    parent.kill()
    parent.wait()
    workers = [line.split()[0] for line in marker.read_text().splitlines()]
    wait_until(lambda: all(gone(pid) for pid in workers))
    for line in marker.read_text().splitlines():
        os.kill(int(line.split()[1]), signal.SIGKILL)


def test_an_answer_over_the_cap_is_a_broken_worker(monkeypatch):
    monkeypatch.setattr("harness.workers.ANSWER_BYTES", 1000)
    with pool() as workers:
        outcomes = {o.task.id: o for o in workers.run([Task("big", "x" * 2000), Task("b", 1)])}
    assert outcomes["big"].crashed
    assert outcomes["b"].error is None


def test_a_signal_between_the_start_of_a_worker_and_its_first_task_leaves_nothing_behind(monkeypatch):
    def interrupted(process, connection):
        raise KeyboardInterrupt

    monkeypatch.setattr("harness.workers._Worker", interrupted)
    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt), pool() as workers:
        list(workers.run([Task("one", 1, 30.0)]))
    assert not set(multiprocessing.active_children()) - before
