"""Runs with a model that are killed, stopped, starved: nothing finished is paid twice, everything sent is accounted."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from harness.audit.spending import usage
from harness.llm.ledger import Ledger
from harness.state import RunFolder
from tests.support.model_server import Answer, ModelServer, Seen, model_server
from tests.support.players import finding, findings, is_auditor, text_of, vote

ROOT = Path(__file__).parents[2]
CODE = "def mean(values):\n    return sum(values) / len(values)\n\n\ndef half(values):\n    return values[: len(values) // 0]\n"
PLACES = {2: ("return sum(values) / len(values)", "mean"), 6: ("return values[: len(values) // 0]", "half")}

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are found through /proc")


class Player:
    """Finds two defects and upholds both; the first answer about `half` takes `seconds`, while the test kills."""

    def __init__(self, seconds: float) -> None:
        self.held = threading.Event()
        self.seconds = seconds

    def __call__(self, seen: Seen) -> Answer:
        """Like a good model."""
        if is_auditor(seen):
            return findings(seen, *(finding("m.py", n, quote, symbol=name) for n, (quote, name) in PLACES.items()))
        line = 6 if "m.py, line 6" in text_of(seen) else 2
        answer = vote(seen, "stands", "nothing checks", ("m.py", line, PLACES[line][0]))
        if line == 6 and not self.held.is_set():
            answer.delay_s = self.seconds
            self.held.set()
        return answer


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "m.py").write_text(CODE)
    return root


def start(project: Path, state: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(state),
        "HARNESS_STATE_DIR": str(state),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "harness.cli.main", *arguments]
    return subprocess.Popen(
        command,
        cwd=project,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def audit(project: Path, state: Path, server: ModelServer, *more: str) -> subprocess.Popen[str]:
    return start(
        project, state, "audit", "--model", f"openai:m@{server.url}/v1", "--dimension", "correctness", "--no-exec",
        "--format", "json", *more,
    )  # fmt: skip


def report_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=120)
    assert out, err
    report: dict[str, Any] = json.loads(out)
    return report


def verdicts(report: dict[str, Any]) -> dict[int, str]:
    return {f["line"]: f["verdict"] for f in report["findings"] if f["rule"].startswith("model:")}


def children(pid: int) -> list[int]:
    return [
        int(word) for task in Path(f"/proc/{pid}/task").iterdir() for word in (task / "children").read_text().split()
    ]


def family(pid: int) -> list[int]:
    return [pid, *(one for child in children(pid) for one in family(child))]


def crew_of(broker: int) -> int:
    """The process below the broker's child that has many threads."""
    (run,) = children(broker)
    return max(children(run), key=lambda pid: len(list(Path(f"/proc/{pid}/task").iterdir())))


def quiet(server: ModelServer) -> None:
    """Wait until no new question has come for a moment."""
    before = -1
    while len(server.seen) != before:
        before = len(server.seen)
        time.sleep(0.4)


@pytest.mark.parametrize("victim", ["crew", "run", "broker", "all"])
def test_dur_05_kill_9_in_the_middle_of_a_call_costs_that_call_and_no_other(
    project: Path, tmp_path: Path, victim: str
) -> None:
    state = tmp_path / "state"
    player = Player(2.5)
    with model_server(player) as server:
        process = audit(project, state, server)
        assert player.held.wait(60)
        quiet(server)
        pids = {"crew": [crew_of(process.pid)], "run": children(process.pid), "broker": [process.pid]}
        for pid in pids.get(victim, family(process.pid)):
            os.kill(pid, signal.SIGKILL)
        if victim == "crew":
            report = report_of(process)
        else:
            process.communicate(timeout=60)
            assert process.returncode not in (0, 1)
            report = report_of(start(project, state, "resume", "--format", "json"))
        sent = len(server.seen)
    assert verdicts(report) == {2: "CONFIRMED", 6: "CONFIRMED"}
    assert report["run"]["status"] == "complete"
    (ledger,) = state.rglob("usage.jsonl")
    entries = Ledger(ledger).entries()
    assert sum(e.outcome == "sent" for e in entries) == sent == report["usage"]["calls"]
    lost = sum(e.outcome == "sent" for e in entries) - sum(e.outcome == "complete" for e in entries)
    # The broker outlives crew and run only when it is not killed itself, and then it hears the answer: nothing is paid twice.
    assert (lost, sent) == ((0, 3) if victim == "crew" else (1, 4))
    assert report["usage"]["unpriced"] == sent  # a model of the test has no price


def test_dur_06_a_second_run_on_an_unchanged_tree_asks_nothing(project: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with model_server(Player(0)) as server:
        first = report_of(audit(project, state, server))
        asked = len(server.seen)
        second = report_of(audit(project, state, server))
        assert len(server.seen) == asked == 3
        (project / "m.py").write_text(CODE + "\n\nMORE = 1\n")
        third = report_of(audit(project, state, server))
        assert len(server.seen) == 6
    assert verdicts(first) == verdicts(second) == verdicts(third) == {2: "CONFIRMED", 6: "CONFIRMED"}
    assert second["usage"]["calls"] == 0


def test_dur_08_ctrl_c_during_a_call_ends_with_130_and_what_was_paid_is_kept(project: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    player = Player(8)
    with model_server(player) as server:
        process = audit(project, state, server)
        assert player.held.wait(60)
        quiet(server)
        os.killpg(process.pid, signal.SIGINT)
        pressed = time.monotonic()
        process.communicate(timeout=30)
        assert time.monotonic() - pressed < 4
        assert process.returncode == 130
        report = report_of(start(project, state, "resume", "--format", "json"))
        assert len(server.seen) == 4
    assert verdicts(report) == {2: "CONFIRMED", 6: "CONFIRMED"}
    assert report["usage"]["calls"] == 4


def test_dur_04_a_torn_line_of_the_ledger_is_a_call_of_unknown_cost(project: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with model_server(Answer(status=402, body='{"error": {"message": "Insufficient Balance"}}')) as server:
        process = audit(project, state, server)
        process.communicate(timeout=60)
        assert process.returncode == 3
    (ledger,) = state.rglob("usage.jsonl")
    folder = RunFolder(ledger.parent.name, ledger.parent)
    before = usage(folder, 0)
    ledger.write_text(ledger.read_text()[:-20])
    after = usage(folder, 0)
    assert (before.calls, before.unpriced, after.calls, after.unpriced) == (1, 0, 1, 1)
