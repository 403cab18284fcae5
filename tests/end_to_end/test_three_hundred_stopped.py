"""Three hundred verifications, killed in the middle and then out of quota: nothing judged is lost, no answer is paid twice."""

import os
import signal
import threading
from pathlib import Path
from typing import Any

from tests.durability.test_models import audit, family, quiet, report_of, start
from tests.end_to_end.test_three_hundred import CODE, COUNT, line, raised
from tests.support.model_server import Answer, Seen, model_server
from tests.support.players import findings, is_auditor, text_of, vote

IN_FLIGHT = 32
KILL_AT = 100
QUOTA = 200


class Player:
    """Upholds every finding; after `hold` answers none comes in time, after `quota` there is no money left."""

    def __init__(self) -> None:
        self.hold: int | None = KILL_AT
        self.quota: int | None = None
        self.held = threading.Event()
        self.upheld: list[int] = []
        self._lock = threading.Lock()

    def __call__(self, seen: Seen) -> Answer:
        if is_auditor(seen):
            return findings(seen, *map(raised, range(COUNT)))
        text = text_of(seen)
        n = next(n for n in range(COUNT) if f"case{n:03} " in text)
        with self._lock:
            if self.quota is not None and len(self.upheld) >= self.quota:
                body = '{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}'
                return Answer(status=429, body=body)
            slow = self.hold is not None and len(self.upheld) >= self.hold
            if not slow:
                self.upheld.append(n)
        answer = vote(seen, "stands", "nothing checks it", ("big.py", line(n), f"return 100 / (x - {n})"))
        if slow:
            answer.delay_s = 30
            self.held.set()
        return answer


def tally(report: dict[str, Any]) -> tuple[int, int]:
    """(confirmed, unverified) among what the model raised."""
    mine = [f["verdict"] for f in report["findings"] if f["rule"].startswith("model:")]
    assert len(mine) == COUNT
    return mine.count("CONFIRMED"), mine.count("UNVERIFIED")


def test_a_kill_and_a_quota_in_the_middle_lose_nothing_and_pay_nothing_twice(tmp_path: Path) -> None:
    project, state = tmp_path / "project", tmp_path / "state"
    project.mkdir()
    (project / "big.py").write_text(CODE)
    player = Player()
    with model_server(player) as server:
        process = audit(project, state, server)
        assert player.held.wait(120)
        quiet(server)
        for pid in family(process.pid):
            os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=60)
        assert len(player.upheld) == KILL_AT
        lost = len(server.seen) - 1 - KILL_AT
        assert 1 <= lost <= IN_FLIGHT

        player.hold, player.quota = None, QUOTA
        resumed = start(project, state, "resume", "--format", "json")
        report = report_of(resumed)
        assert resumed.returncode == 3
        assert tally(report) == (QUOTA, COUNT - QUOTA)
        assert "unverified" in report["run"]["reason"]
        refused = len(server.seen) - 1 - QUOTA - lost
        assert 1 <= refused <= IN_FLIGHT

        player.quota = None
        report = report_of(start(project, state, "resume", "--format", "json"))
        assert len(server.seen) == 1 + COUNT + lost + refused
    assert report["run"]["status"] == "complete"
    assert tally(report) == (COUNT, 0)
    assert sorted(player.upheld) == list(range(COUNT))
    assert report["usage"]["calls"] == len(server.seen)
