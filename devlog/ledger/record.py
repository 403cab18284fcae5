"""What a ledger says, as records: the JSON form is these, and every other form is made from them."""

import datetime
from typing import Literal

from pydantic import Field, JsonValue

from harness.schema.base import Record
from harness.schema.waiver import WaiverKind


class Figure(Record):
    """One row: a number and how it was counted."""

    id: str
    """Stable name."""
    name: str
    """For people."""
    shown: str
    """The number as people read it."""
    value: JsonValue
    """The number for programs; null when it is not known."""
    counted_as: str
    """What was counted, where, at which revision."""


class Day(Record):
    """What is recorded of one day, UTC."""

    day: datetime.date
    """The day."""
    commits: int = 0
    """Commits."""
    entries: int = 0
    """Devlog entries."""
    runs: int = 0
    """Runs begun."""


class Flow(Record):
    """Claims by what became of them, summed over the runs that counted them."""

    runs: int = 0
    """Runs with counts."""
    raised: int = 0
    """Claims."""
    admitted: int = 0
    """Claims that passed admission."""
    confirmed: int = 0
    """Verdict CONFIRMED."""
    uncertain: int = 0
    """Verdict UNCERTAIN."""
    dismissed: int = 0
    """Verdict DISMISSED: overturned."""
    unverified: int = 0
    """No verdict."""

    @property
    def findings(self) -> int:
        """Findings with or without a verdict."""
        return self.confirmed + self.uncertain + self.dismissed + self.unverified

    @property
    def refused(self) -> int:
        """Claims that admission refused."""
        return max(0, self.raised - self.admitted)

    @property
    def merged(self) -> int:
        """Admitted claims that became no finding of their own: duplicates, and what a change under review had not caused."""
        return max(0, self.admitted - self.findings)


class Taken(Record):
    """What one model took in one stage."""

    stage: str
    """Stage of a run."""
    model: str
    """Spec string."""
    calls: int
    """Requests that left."""
    input_tokens: int
    """Tokens sent, cached ones included."""
    cached_tokens: int
    """Of these, read from the provider's cache."""
    output_tokens: int
    """Tokens received."""
    known_cost: float
    """US dollars of calls whose cost is known."""
    unpriced: int
    """Calls whose cost is unknown."""


class Decision(Record):
    """A decision not to fix, with its reason."""

    kind: WaiverKind
    """What was decided."""
    rule: str
    """Rule of the finding."""
    path: str
    """File of the finding."""
    reason: str
    """Why."""
    author: str
    """Who."""
    date: datetime.date
    """When."""
    until: datetime.date | None
    """Last day on which it holds."""
    expired: bool
    """Whether that day lies before the last day of the ledger."""


class Debt(Record):
    """A claim that never got a verdict."""

    fingerprint: str
    """The claim."""
    rule: str
    """Its rule."""
    path: str
    """Its file."""
    line: int
    """Its line."""
    run: str
    """The first run that left it so."""
    day: datetime.date
    """When that run began."""
    reason: str
    """Why there was no verdict."""


class Checkpoint(Record):
    """A commit that is a checkpoint."""

    commit: str
    """Full hash."""
    day: datetime.date
    """Author date, UTC."""
    subject: str
    """First line."""
    trailer: str
    """What it links."""


class Ledger(Record):
    """The whole retrospective."""

    schema_version: Literal["harness.ledger/1"] = "harness.ledger/1"
    """Version of this shape; fields may be added under it, none change or vanish."""
    target: str
    """Name of the project, that of its folder when nobody says another."""
    head: str | None = None
    """Commit at which code was counted."""
    since: datetime.date | None = None
    """First day asked for."""
    until: datetime.date | None = None
    """Last day asked for."""
    first: datetime.date
    """First day with anything on record."""
    last: datetime.date
    """Last one."""
    figures: tuple[Figure, ...] = ()
    """The table."""
    days: tuple[Day, ...] = ()
    """Every day with anything on record, in order."""
    flow: Flow = Flow()
    """Findings."""
    models: tuple[Taken, ...] = ()
    """By stage, then model."""
    decisions: tuple[Decision, ...] = ()
    """Made in the period, oldest first."""
    debt: tuple[Debt, ...] = ()
    """Oldest first."""
    checkpoints: tuple[Checkpoint, ...] = ()
    """Oldest first."""
    missing: tuple[str, ...] = Field(default=())
    """What could not be counted, and why."""

    def figure(self, id_: str) -> Figure | None:
        """The figure of this name."""
        return next((f for f in self.figures if f.id == id_), None)
