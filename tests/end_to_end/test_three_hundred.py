"""Three hundred findings, 32 conversations at once, and a model that is good, lying, refusing, cut and flapping by turns."""

import re
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.end_to_end.test_models import audit, harness
from tests.support.model_server import Answer, Seen, model_server
from tests.support.players import finding, findings, is_auditor, text_of, vote

COUNT = 300
CODE = "".join(f"def f{n}(x):\n    return 100 / (x - {n})\n\n\n" for n in range(COUNT))


def line(n: int) -> int:
    return 4 * n + 2


def raised(n: int) -> dict[str, Any]:
    scenario = (
        f"Somebody calls case{n:03} of this module, f{n}({n}): the division in line {line(n)} raises ZeroDivisionError."
    )
    return finding("big.py", line(n), f"return 100 / (x - {n})", symbol=f"f{n}", scenario=scenario)


class Player:
    """By the number of the case: five stand, one is refuted, then a liar, a refusal, a cut answer and one that flaps."""

    def __init__(self) -> None:
        self.asked: Counter[int] = Counter()
        self.most = 0
        self._now = 0
        self._lock = threading.Lock()

    def __call__(self, seen: Seen) -> Answer:
        if is_auditor(seen):
            return findings(seen, *map(raised, range(COUNT))) if "core correctness" in text_of(seen) else findings(seen)
        n = int(re.findall(r"case(\d{3})", text_of(seen))[0])
        with self._lock:
            self.asked[n] += 1
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            time.sleep(0.05)  # as long as anybody takes, so that conversations meet
            return self._answer(seen, n)
        finally:
            with self._lock:
                self._now -= 1

    def _answer(self, seen: Seen, n: int) -> Answer:
        here = ("big.py", line(n), f"return 100 / (x - {n})")
        if n % 10 == 5:
            return vote(seen, "refuted", "nobody calls it so", ("big.py", line(n) - 1, f"def f{n}(x):"))
        if n % 10 < 5 or (n % 10 == 9 and self.asked[n] > 1):
            return vote(seen, "stands", "nothing checks the divisor", here)
        return {
            6: vote(seen, "refuted", "guarded", ("big.py", line(n), "if x == 0: return 0")),
            7: Answer(text="I will not.", finish="refused"),
            8: Answer(text='{"nonce": "', finish="truncated"),
            9: Answer(status=503, body='{"error": {"message": "busy"}}'),
        }[n % 10]


def test_nothing_but_checked_votes_decides_and_no_answer_is_paid_twice(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "big.py").write_text(CODE)
    player = Player()
    with model_server(player) as server:
        code, report, talk = audit(project, server, tmp_path / "state", "--dimension", "correctness")
        assert code == 3, talk
        verdicts = {f["line"]: f["verdict"] for f in report["findings"] if f["rule"].startswith("model:")}
        assert len(verdicts) == COUNT
        wanted = {5: "DISMISSED", 6: "UNVERIFIED", 7: "UNVERIFIED", 8: "UNVERIFIED"}
        assert {n: verdicts[line(n)] for n in range(COUNT)} == {
            n: wanted.get(n % 10, "CONFIRMED") for n in range(COUNT)
        }
        assert 8 <= player.most <= 32
        player.asked.clear()
        again = harness(project, "resume", "--format", "json", state=tmp_path / "state")
    # The same question to the same model would only bring the same answer: what is left is for a person, or another model.
    assert again.returncode == 3
    assert player.asked == {}
