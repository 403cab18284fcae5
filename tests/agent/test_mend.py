"""Compiling within a wall clock, on a clock that stands still unless it is moved."""

from agent.mend import Mender
from agent.records import Change, Compiled, Diagnosis, TexError
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


def no_rules(tex: str, wall_s: float) -> tuple[str, tuple[Change, ...]]:
    return tex, ()


def mended(seconds: float) -> tuple[str, Slow, Repairer]:
    clock, repairer = FixedClock(), Repairer()
    slow = Slow(clock, seconds)
    result = Mender(slow, no_rules, clock, wall_s=600.0, asker=repairer).mend(TEX)
    assert not result.compiled.ok
    return result.stopped, slow, repairer


def test_time_that_is_used_up_stops_before_the_next_round() -> None:
    stopped, slow, repairer = mended(400.0)
    assert stopped == "the 600 s for compiling are used up"
    assert slow.walls == [600.0, 200.0]
    assert repairer.asked == ["repair 1"]


def test_with_time_left_two_repairs_are_the_end() -> None:
    stopped, slow, repairer = mended(1.0)
    assert stopped == "2 repairs were not enough: ! Mistake 3"
    assert (len(slow.walls), repairer.asked) == (3, ["repair 1", "repair 2"])


def test_rules_come_before_a_model_and_their_repairs_are_told() -> None:
    clock, repairer = FixedClock(), Repairer()
    change = Change(rule="r", line=1, what="Mended it")

    def compiled(tex: str, wall_s: float) -> Compiled:
        clock.advance(1.0)
        return Compiled(ok="%fixed" in tex, diagnosis=Diagnosis(fingerprint="! Mistake"))

    def by_rules(tex: str, wall_s: float) -> tuple[str, tuple[Change, ...]]:
        return tex + "%fixed", (change,)

    result = Mender(compiled, by_rules, clock, wall_s=9.0, asker=repairer).mend(TEX)
    assert (result.compiled.ok, result.changes, repairer.asked) == (True, (change,), [])
