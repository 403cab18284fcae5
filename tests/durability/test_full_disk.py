"""DUR-04 with models: a disk that is full, broken or read-only, a torn ledger, a cut log; nothing finished is paid twice."""

import contextlib
import errno
import os
import resource
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.budget import Budget, Caps
from harness.clock import FixedClock
from harness.llm.breaker import Breaker
from harness.llm.failure import Unwritten
from harness.llm.gateway import Gateway
from harness.llm.ledger import Entry, Labels, Ledger
from harness.llm.limits import Limiter, Rate
from harness.llm.messages import Reply, Request, UserMessage
from harness.llm.replay import Tape
from harness.llm.scripted import ScriptedClient, says
from harness.llm.writing import Writing
from tests.durability.test_models import CODE, Player, audit, family, quiet, report_of, start, verdicts
from tests.support.model_server import Answer, Seen, model_server
from tests.support.players import is_auditor, text_of

LABELS = Labels(stage="verify", lane="argued")


def entry(key: str) -> Entry:
    return Entry(at="", run="0001", labels=LABELS, spec="s", key=key, attempt=1, outcome="sent")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "m.py").write_text(CODE)
    return root


def test_a_torn_tail_costs_no_line_but_itself(tmp_path: Path) -> None:
    path = tmp_path / "usage.jsonl"
    ledger = Ledger(path)
    ledger.write(entry("a"))
    ledger.write(entry("b"))
    path.write_bytes(path.read_bytes()[:-20])
    ledger.write(entry("c"))
    ledger.write(entry("d"))
    assert [e.key for e in ledger.entries()] == ["a", "c", "d"]


def test_a_line_that_was_written_in_part_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "usage.jsonl"
    ledger = Ledger(path)
    ledger.write(entry("a"))
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 30, hard))
        with pytest.raises(OSError, match="No space left"):
            ledger.write(entry("b"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    ledger.write(entry("c"))
    assert [e.key for e in ledger.entries()] == ["a", "c"]
    assert path.read_bytes().count(b"\n") == 2


class Failing(Ledger):
    """Its n-th write fails, and every one from then on; with `room`, for as long as that file takes it up."""

    def __init__(self, path: Path, number: int, code: int, room: Path | None = None) -> None:
        super().__init__(path)
        self.left = number
        self._code = code
        self._room = room

    def write(self, entry: Entry) -> None:
        self.left -= 1
        if self.left <= 0 and (self._room is None or self._room.exists()):
            raise OSError(self._code, os.strerror(self._code))
        super().write(entry)


def gateway(folder: Path, ledger: Ledger, asked: list[str], writing: Writing | None = None) -> Gateway:
    def answer(request: Request) -> Reply:
        asked.append(request.messages[0].text)
        return says("fine", request)

    clock = FixedClock()
    return Gateway(
        ScriptedClient(answer), model="m", budgets={"verify": Budget(Caps(), clock)}, limiter=Limiter(Rate(), clock),
        breaker=Breaker(clock), price=None, ledger=ledger, run="0001", clock=clock, tape=Tape(folder / "calls"), writing=writing,
    )  # fmt: skip


def question(text: str) -> Request:
    return Request(model="m", messages=(UserMessage(text=text),), max_output_tokens=50)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_nothing_is_sent_that_cannot_be_written_down_and_nothing_after_it(tmp_path: Path, code: int) -> None:
    asked: list[str] = []
    one = gateway(tmp_path, Failing(tmp_path / "usage.jsonl", 3, code), asked)
    one.ask(question("a"), LABELS)
    for text in ("b", "c"):
        with pytest.raises(Unwritten, match=os.strerror(code)) as caught:
            one.ask(question(text), LABELS)
        assert "then resume" in caught.value.hint
    assert asked == ["a"]
    again = gateway(tmp_path, Ledger(tmp_path / "usage.jsonl"), asked)
    for text in ("a", "b", "c"):
        again.ask(question(text), LABELS)
    assert asked == ["a", "b", "c"]


def test_an_answer_that_comes_when_the_disk_is_full_finds_the_room_that_was_kept(tmp_path: Path) -> None:
    asked: list[str] = []
    writing = Writing(tmp_path / "ballast")
    writing.take_room()
    assert (tmp_path / "ballast").stat().st_size >= 4 << 20
    full = Failing(tmp_path / "usage.jsonl", 2, errno.ENOSPC, tmp_path / "ballast")
    one = gateway(tmp_path, full, asked, writing)
    assert one.ask(question("a"), LABELS).text == "fine"
    assert not (tmp_path / "ballast").exists()
    with pytest.raises(Unwritten, match="No space left"):  # the room was for what was on its way, not for more
        one.ask(question("b"), LABELS)
    gateway(tmp_path, Ledger(tmp_path / "usage.jsonl"), asked).ask(question("a"), LABELS)
    assert asked == ["a"]
    assert [e.outcome for e in full.entries()] == ["sent", "complete", "replayed"]


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root may mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_disk_that_fills_up_during_a_call_ends_the_run_and_costs_nothing_twice(project: Path, tmp_path: Path) -> None:
    player = Player(0)

    def play(seen: Seen) -> Answer:
        if is_auditor(seen):
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as stream:
                while True:
                    stream.write(bytes(4096))
        return player(seen)

    with small_disk(tmp_path / "disk", 24) as state, model_server(play) as server:
        filler = state / "filler"
        process = audit(project, state, server)
        out, talk = process.communicate(timeout=120)
        assert process.returncode == 3, talk
        assert "the record of the run cannot be written: No space left on device" in out
        assert "Traceback" not in talk
        assert filler.exists()
        filler.write_bytes(b"")
        report = report_of(start(project, state, "resume", "--format", "json"))
        questions = [text_of(seen) for seen in server.seen]
        (run,) = state.glob("*/runs/0001")
        assert not (run / "ballast").exists()
    assert verdicts(report) == {2: "CONFIRMED", 6: "CONFIRMED"}
    assert report["run"]["status"] == "complete"
    assert len(questions) == len(set(questions)) == 3


def test_a_cut_log_and_a_torn_ledger_after_a_kill_cost_the_call_that_was_out(project: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    player = Player(3)
    with model_server(player) as server:
        process = audit(project, state, server)
        assert player.held.wait(60)
        quiet(server)
        for pid in family(process.pid):
            os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=60)
        (log,) = [path for path in state.rglob("journal.db-wal") if path.stat().st_size]
        log.write_bytes(log.read_bytes()[:-5000])
        (ledger,) = state.rglob("usage.jsonl")
        ledger.write_bytes(ledger.read_bytes()[:-20])
        report = report_of(start(project, state, "resume", "--format", "json"))
        sent = len(server.seen)
    assert verdicts(report) == {2: "CONFIRMED", 6: "CONFIRMED"}
    assert report["run"]["status"] == "complete"
    assert sent == 4


def test_a_journal_that_somebody_else_keeps_busy_ends_the_run_and_costs_nothing_twice(
    project: Path, tmp_path: Path
) -> None:
    """Longer than we wait (30 s), so this takes half a minute."""
    state = tmp_path / "state"
    player = Player(0)
    others: list[sqlite3.Connection] = []
    alone = threading.Lock()  # verifiers ask at the same time

    def play(seen: Seen) -> Answer:
        with alone:
            if not is_auditor(seen) and not others:
                (journal,) = state.rglob("journal.db")
                others.append(sqlite3.connect(journal, isolation_level=None, check_same_thread=False))
                others[0].execute("BEGIN IMMEDIATE")
        return player(seen)

    with model_server(play) as server:
        process = audit(project, state, server)
        _, talk = process.communicate(timeout=300)
        assert process.returncode == 3, talk
        assert "database is locked" in talk
        assert "wait for it, then resume" in talk
        (other,) = others
        other.execute("ROLLBACK")
        other.close()
        report = report_of(start(project, state, "resume", "--format", "json"))
        assert len(server.seen) == 3
    assert verdicts(report) == {2: "CONFIRMED", 6: "CONFIRMED"}
    assert report["run"]["status"] == "complete"
