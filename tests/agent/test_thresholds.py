"""The figures that the report agent promises, each as behaviour: what happens on either side of it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.records import Settings
from agent.replies import critique, gaps
from agent.tex.compile import compile_report
from agent.tex.log import diagnose
from agent.tex.quality import gate
from harness.clock import FixedClock
from harness.llm.messages import Finish, Reply
from harness.sandbox.base import DEFAULT_LIMITS, Execution, Limits


def test_a_critique_has_at_most_eight_items() -> None:
    items = ",".join(f'{{"section": "n{i}", "issue": "i", "action": "a", "what": "w"}}' for i in range(1, 13))
    text = f'{{"changes": [{items}], "gaps": [{items}]}}'
    reply = Reply(text=text, finish=Finish.COMPLETE)
    assert [c.section for c in critique(reply).changes] == [f"n{i}" for i in range(1, 9)]
    assert len(gaps(reply)) == 8


@pytest.mark.parametrize(("kept", "decision"), [(590, "reverted"), (610, "accepted")])
def test_a_text_shorter_than_sixty_percent_is_reverted(kept: int, decision: str) -> None:
    frame = "\\documentclass{article}\\begin{document}\\section{A}%s\\end{document}"
    size = 1000 - len(frame) + 2
    before, after = frame % ("word " * size)[:size], frame % ("text " * size)[: kept - len(frame) + 2]
    assert (len(before), len(after)) == (1000, kept)
    made = gate(before, after, bib_empty=True, round=1, keys=frozenset())
    assert (made.decision, any("60%" in r for r in made.reasons)) == (decision, decision == "reverted")


def test_an_excerpt_has_1800_characters_and_a_fingerprint_120() -> None:
    log = "".join(f"./report.tex:{n}: Undefined control sequence.\nl.{n} \\{'x' * 200}{n}\n\n" for n in range(1, 60))
    found = diagnose("! " + "y" * 400 + ".\nl.3 z\n\n" + log, "")
    assert 1500 < len(found.excerpt) <= 1800
    assert len(found.fingerprint) == 120


class Slow:
    """A sandbox in which every program takes a while and does nothing."""

    mechanism = "none"

    def __init__(self, clock: FixedClock, seconds: float) -> None:
        self.clock = clock
        self.seconds = seconds
        self.walls: list[float] = []

    def run(self, argv: Sequence[str], *, limits: Limits = DEFAULT_LIMITS, **_: object) -> Execution:
        self.walls.append(limits.wall_s)
        self.clock.advance(self.seconds)
        return Execution(0, b"", b"", None, self.seconds)


def test_a_pass_has_180_seconds_and_all_of_them_600(tmp_path: Path) -> None:
    (tmp_path / "report.tex").write_text("\\documentclass{article}\\begin{document}x\\end{document}")
    clock = FixedClock()
    slow = Slow(clock, 250.0)
    compile_report(tmp_path, sandbox=slow, clock=clock)
    assert slow.walls == [180.0, 180.0, 100.0]
    assert Settings().compile_wall_s == 600.0
