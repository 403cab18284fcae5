"""Compiling within a wall clock, on a clock that stands still unless it is moved."""

from pathlib import Path

from agent.mend import Mender
from agent.records import Compiled, Diagnosis, TexError
from harness.clock import FixedClock
from harness.llm.ledger import Labels
from harness.llm.messages import Finish, Reply, Request

TEX = "\\documentclass{article}\n\\begin{document}\nWords that stay.\n\\end{document}\n"


class Slow:
    """A compiler that takes its time and finds another mistake each time."""

    def __init__(self, clock: FixedClock, seconds: float) -> None:
        self.clock = clock
        self.seconds = seconds
        self.walls: list[float] = []

    def __call__(self, tex: str, wall_s: float) -> Compiled:
        self.walls.append(wall_s)
        self.clock.advance(min(self.seconds, wall_s))
        error = TexError(kind="other", message=f"! Mistake {len(self.walls)}")
        diagnosis = Diagnosis(errors=(error,), excerpt=error.message, fingerprint=error.message)
        return Compiled(ok=False, diagnosis=diagnosis, limit="wall" if self.seconds > wall_s else "")


class Repairer:
    """An `Asker` that changes a comment."""

    family = model = "m"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask(self, request: Request, labels: Labels) -> Reply:
        self.asked.append(labels.unit)
        return Reply(text=TEX.replace("{article}", "{article}" + "%" * len(self.asked)), finish=Finish.COMPLETE)


def mended(tmp_path: Path, seconds: float) -> tuple[str, Slow, Repairer]:
    clock, repairer = FixedClock(), Repairer()
    slow = Slow(clock, seconds)
    result = Mender(slow, tmp_path, clock, wall_s=600.0, asker=repairer).mend(TEX)
    assert not result.compiled.ok
    return result.stopped, slow, repairer


def test_time_that_is_used_up_stops_before_the_next_round(tmp_path: Path) -> None:
    stopped, slow, repairer = mended(tmp_path, 400.0)
    assert stopped == "the 600 s for compiling are used up"
    assert slow.walls == [600.0, 200.0]
    assert repairer.asked == ["repair 1"]


def test_with_time_left_two_repairs_are_the_end(tmp_path: Path) -> None:
    stopped, slow, repairer = mended(tmp_path, 1.0)
    assert stopped == "2 repairs were not enough: ! Mistake 3"
    assert (len(slow.walls), repairer.asked) == (3, ["repair 1", "repair 2"])
