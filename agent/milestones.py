"""The milestones of a run, known before it starts, and the events that tell of them.

The list follows from the configuration alone: what a model later decides (to stop reflecting, to ask for nothing) can skip a
milestone, never rename or renumber one. A milestone is found by its name; nothing counts along.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from agent.records import Settings
from harness.schema.base import Record

ReportSink = Callable[["ReportEvent"], None]
Kind = Literal["planned", "started", "working", "done", "skipped", "warned", "ended"]


class ReportEvent(Record):
    """Something a person who follows a run should see."""

    kind: Kind
    """`planned` comes first, `ended` last; a run that is continued begins with `planned` again."""
    stage: str
    """Name of the milestone it belongs to; the last one for `ended`, the first one for `planned`."""
    index: int
    """Number of that milestone, from 1."""
    total: int
    """How many milestones there are; the same in every event of a run."""
    percent: int
    """Milestones behind us, in percent; 100 exactly in `ended`."""
    note: str = ""
    """One sentence."""
    stages: tuple[str, ...] = ()
    """Every milestone, in `planned` only."""
    status: Literal["running", "complete", "incomplete"] = "running"
    """Other than running in `ended` only."""


def milestones(settings: Settings, *, model: bool, xelatex: bool) -> tuple[str, ...]:
    """Every milestone in order. `xelatex` is the one answer of the one probe."""
    return (
        "scan",
        "explore",
        *(("figures",) if settings.figures else ()),
        *(("gap",) if model else ()),
        "draft",
        *((f"reflect {n}" for n in range(1, settings.rounds + 1)) if model else ()),
        "bib",
        *(("compile",) if settings.compile and xelatex else ()),
    )


class Milestones:
    """Tells a sink how far a run is."""

    def __init__(self, stages: Sequence[str], tell: ReportSink) -> None:
        self._stages = tuple(stages)
        self._tell = tell
        self._settled: set[str] = set()
        self._at = self._stages[0]
        self._event("planned", self._at, stages=self._stages)

    def __contains__(self, stage: str) -> bool:
        return stage in self._stages

    def start(self, stage: str) -> None:
        """A milestone is worked on."""
        self._at = stage
        self._event("started", stage)

    def working(self, note: str) -> None:
        """Something to know about the milestone that is worked on."""
        self._event("working", self._at, note)

    def warn(self, note: str) -> None:
        """Something a person should know, that stops nothing."""
        self._event("warned", self._at, note)

    def done(self, stage: str, note: str = "") -> None:
        """A milestone is reached."""
        self._settled.add(stage)
        self._event("done", stage, note)

    def skip(self, stage: str, note: str) -> None:
        """A milestone is not needed or cannot be reached."""
        self._settled.add(stage)
        self._event("skipped", stage, note)

    def end(self, status: Literal["complete", "incomplete"], note: str = "") -> None:
        """The run is over, however it ended."""
        self._event("ended", self._stages[-1], note, status=status)

    def _event(
        self,
        kind: Kind,
        stage: str,
        note: str = "",
        *,
        stages: tuple[str, ...] = (),
        status: Literal["running", "complete", "incomplete"] = "running",
    ) -> None:
        total = len(self._stages)
        percent = 100 if kind == "ended" else min(99, len(self._settled) * 100 // total)
        self._tell(
            ReportEvent(
                kind=kind, stage=stage, index=self._stages.index(stage) + 1, total=total, percent=percent,
                note=" ".join(note.split()),
                stages=stages, status=status,
            )
        )  # fmt: skip
