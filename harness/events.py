"""What a run tells the world while it works. Sinks (progress line, journal, dashboard) take these records and nothing else."""

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field

from harness.schema.base import Record
from harness.schema.run import RunStatus


class RunStarted(Record):
    """The first event: what runs, on what, with which backend and configuration."""

    type: Literal["run-started"] = "run-started"
    run: str
    """Id of the run."""
    headline: str
    """The line a person reads first."""
    stages: tuple[str, ...]
    """Every stage, in order, known before the start."""


class StageStarted(Record):
    """A stage begins; `index` counts from 1 within `total`."""

    type: Literal["stage-started"] = "stage-started"
    stage: str
    """Name of the stage."""
    index: int
    """Its number."""
    total: int
    """How many stages there are."""


class Progress(Record):
    """Something of a stage is finished."""

    type: Literal["progress"] = "progress"
    stage: str
    """Name of the stage."""
    done: int
    """Units finished."""
    total: int
    """Units planned."""
    note: str = ""
    """What is being counted right now: `9 confirmed, 2 uncertain`."""


class LaneEnded(Record):
    """A lane reached its end."""

    type: Literal["lane-ended"] = "lane-ended"
    auditor: str
    """Id of the auditor."""
    dimension: str
    """Its dimension."""
    status: str
    """done, failed or skipped."""
    raised: int
    """Claims raised."""
    reason: str = ""
    """Why it failed or was skipped."""


class Warned(Record):
    """Something a person should know, that stops nothing."""

    type: Literal["warned"] = "warned"
    message: str
    """One sentence."""


class RunEnded(Record):
    """The last event."""

    type: Literal["run-ended"] = "run-ended"
    status: RunStatus
    """Terminal state."""
    reason: str | None = None
    """Why it is incomplete."""


Event = Annotated[RunStarted | StageStarted | Progress | LaneEnded | Warned | RunEnded, Field(discriminator="type")]
Sink = Callable[[Event], None]


def silent(event: Event) -> None:
    """A sink that drops everything."""
    del event
