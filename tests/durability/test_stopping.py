"""DUR-08: SIGINT and SIGTERM, once and twice, and a reader that goes away: nothing lost, a documented exit code."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.state import State
from tests.support.audits import project

MANY = {
    f"m{n:03}.py": f"import time\n\n\nasync def f{n}():\n    time.sleep(1)\n" + "x = [1, 2, 3]\n" * 3000
    for n in range(16)
}
"""Enough text that a run takes some seconds."""


def begun(root, *arguments):
    """A run that has printed its first line."""
    command = [
        sys.executable,
        "-m",
        "harness.cli.main",
        "audit",
        str(root),
        "--jobs",
        "2",
        "--format",
        "json",
        *arguments,
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    first = process.stderr.readline()
    assert first.startswith("harness "), first
    return process


def resume(root):
    command = [sys.executable, "-m", "harness.cli.main", "resume", "--repo", str(root), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def session_is_empty(leader):
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z" and int(fields[3]) == leader:
            return False
    return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_keeps_everything_and_prints_how_to_go_on(tmp_path, number):
    root = project(tmp_path, MANY)
    process = begun(root)
    time.sleep(0.3)
    at = time.monotonic()
    os.killpg(process.pid, number)  # as a terminal does: the whole foreground group gets it
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - at < 2
    assert process.returncode == 130
    assert out == ""
    assert f"harness resume 0001 --repo {root}" in err
    assert "Traceback" not in err
    assert session_is_empty(process.pid)
    report = resume(root)
    assert report["run"]["status"] == "complete"
    assert report["stats"]["confirmed"] == 16


def test_a_second_signal_ends_at_once_and_loses_nothing_either(tmp_path):
    root = project(tmp_path, MANY)
    process = begun(root)
    time.sleep(0.3)
    at = time.monotonic()
    for _ in range(3):
        os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=20)
    assert time.monotonic() - at < 2
    assert process.returncode == 130
    assert resume(root)["stats"]["confirmed"] == 16


def test_a_second_signal_says_how_to_go_on_too():
    code = (
        "import os, signal\nfrom harness.stopping import stoppable\nwith stoppable():\n"
        "    try:\n        os.kill(os.getpid(), signal.SIGINT)\n"
        "    except BaseException:\n        os.kill(os.getpid(), signal.SIGINT)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert "harness resume" in done.stderr


def test_a_reader_that_goes_away_costs_the_output_and_not_the_run(tmp_path):
    root = project(tmp_path, {"a.py": "x = 1\n"})
    command = (
        f"{sys.executable} -m harness.cli.main audit {root} --dimension concurrency | sleep 0; exit ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 141, done.stderr
    assert "Traceback" not in done.stderr
    (folder,) = State(root).all_runs()
    assert json.loads(folder.report.read_text())["run"]["status"] == "complete"


def test_a_signal_while_workers_are_being_ended_leaves_nothing_to_wait_for(tmp_path: Path) -> None:
    """Python waits for every process it started before it exits, so one that is left would hang the run."""
    program = (
        "import os, signal, time\nfrom harness.stopping import stoppable\nfrom harness.workers import Pool, Task\n\n\n"
        "class Late(Pool):\n    def kill(self):\n        os.kill(os.getpid(), signal.SIGTERM)\n        time.sleep(30)\n\n\n"
        "def work(payload):\n    return payload\n\n\n"
        "with stoppable(), Late(work, jobs=1, monotonic=time.monotonic) as pool:\n"
        "    print([o.value for o in pool.run([Task('1', 7, 30.0)])], flush=True)\n"
    )
    (tmp_path / "late.py").write_text(program)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "late.py")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "[7]\n"
    assert "Interrupted" in done.stderr
