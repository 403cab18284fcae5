"""A run and what it covered, counted and cost: the top of the JSON report."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from harness.schema.base import Record
from harness.schema.finding import Finding, Rejection, Severity
from harness.schema.review import ReviewInfo


class RunStatus(StrEnum):
    """Terminal states of a run, and the one before them."""

    RUNNING = "running"
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"


class RunInfo(Record):
    """What was run, on what."""

    id: str
    """Number of the run in its repository, four digits."""
    status: RunStatus
    """COMPLETE only when every planned lane and every verification reached an end."""
    reason: str | None = None
    """Why it is incomplete."""
    base: str | None = None
    """Base revision of a review."""
    head: str | None = None
    """Commit audited, None for a plain folder."""
    tree: str = ""
    """Content hash of all files in scope."""
    target: str = ""
    """Name of the audited folder."""
    dirty: bool = False
    """True when the work tree had changes; they are part of what was audited."""
    models: tuple[str, ...] = ()
    """Models used, in the order auditor, verifier; empty offline."""
    config: str | None = None
    """The configuration file that was used."""
    started: datetime
    """Wall clock, UTC."""
    seconds: float = 0.0
    """Duration."""


class Skip(Record):
    """A file that some lane did not analyse, with the reason (2.3)."""

    path: str
    """The file."""
    reason: str
    """Why: `symlink`, `binary`, `larger than 2 MB`, `does not parse: ...`."""


class LaneCoverage(Record):
    """One lane: an auditor at work for one dimension."""

    auditor: str
    """Id of the auditor."""
    dimension: str
    """Its dimension."""
    status: Literal["done", "failed", "skipped", "planned"]
    """`planned` means that the run ended before it."""
    reason: str = ""
    """Why it failed or was skipped."""
    planned: int = 0
    """Files it wanted."""
    done: int = 0
    """Files it analysed."""
    skipped: tuple[Skip, ...] = ()
    """Files it wanted and could not analyse."""
    raised: int = 0
    """Claims it raised."""


class Coverage(Record):
    """Files x dimensions x lanes: what was looked at and what was not (A7)."""

    files: int = 0
    """Files in scope."""
    lines: int = 0
    """Lines in them."""
    languages: dict[str, int] = Field(default_factory=dict)
    """Files per language."""
    excluded: tuple[Skip, ...] = ()
    """Files out of scope, with reasons; folders excluded whole end in `/`."""
    lanes: tuple[LaneCoverage, ...] = ()
    """Every planned lane."""
    sandbox: str = ""
    """Mechanism used for executed checks, or why there was none."""
    python: str = ""
    """What executed checks ran with when the user named it: `Python 3.12.1 at /home/me/shop/.venv/bin/python`."""
    advice: str = ""
    """What would let code of the project find its dependencies, when it did not and that is to be seen."""


class Counts(Record):
    """Findings by what became of them."""

    raised: int = 0
    """Claims."""
    admitted: int = 0
    """Claims that passed admission, before deduplication."""
    duplicates: int = 0
    """Admitted claims merged into another."""
    confirmed: int = 0
    """Verdict CONFIRMED."""
    uncertain: int = 0
    """Verdict UNCERTAIN."""
    dismissed: int = 0
    """Verdict DISMISSED."""
    unverified: int = 0
    """No verdict."""


class Stats(Counts):
    """Overturn statistics (A9)."""

    rejected: tuple[Rejection, ...] = ()
    """Claims that admission refused."""
    by_dimension: dict[str, Counts] = Field(default_factory=dict)
    """The same counts for each dimension."""
    by_verifier: dict[str, Counts] = Field(default_factory=dict)
    """Confirmed, uncertain, dismissed by deciding verifier."""
    waived: int = 0
    """CONFIRMED findings under a waiver."""
    suppressed: int = 0
    """Findings hidden by inline suppression or baseline."""
    unused_suppressions: tuple[Skip, ...] = ()
    """Inline suppressions that match nothing."""


class Spent(Record):
    """What one model took for one lane of one stage. `cost` is None when that of any call is unknown."""

    stage: str
    """discover or verify."""
    lane: str
    """Dimension, or verifier."""
    model: str
    """Spec string of the model."""
    calls: int = 0
    """Requests sent, those without an answer included."""
    input_tokens: int = 0
    """Tokens sent, cached ones included."""
    cached_tokens: int = 0
    """Of these, read from the provider's cache."""
    output_tokens: int = 0
    """Tokens received."""
    cost: float | None = 0.0
    """US dollars."""


class ImportedResult(Record):
    """What became of one result of a file of findings made elsewhere (A11)."""

    run: int
    """Number of its run in the SARIF log, from 0."""
    result: int
    """Number of the result in that run, from 0."""
    finding: str | None = None
    """Fingerprint of the finding it became, None when it became none."""
    reason: str = ""
    """Why it became none."""


class Rechecked(Record):
    """What became of one finding that was CONFIRMED before (A8)."""

    fingerprint: str
    """The finding, as it was."""
    rule: str
    """Its rule."""
    severity: Severity
    """Its severity."""
    path: str
    """Its file."""
    line: int
    """Its line then."""
    outcome: Literal["fixed", "still there", "cannot tell"]
    """Fixed only with a witness: refuted now, or looked for again in the same file and no longer found."""
    reason: str
    """One sentence: why."""
    finding: str | None = None
    """Fingerprint of the finding of this run that decided, None when there is none."""


class Usage(Record):
    """Model usage of the run. `cost` is None when that of any call is unknown, never zero for want of a price."""

    calls: int = 0
    """Requests sent, those without an answer included."""
    input_tokens: int = 0
    """Tokens sent, cached ones included."""
    cached_tokens: int = 0
    """Of these, read from the provider's cache."""
    output_tokens: int = 0
    """Tokens received."""
    cost: float | None = 0.0
    """US dollars."""
    known_cost: float = 0.0
    """US dollars of the calls whose cost is known: the least the run has cost."""
    unpriced: int = 0
    """Calls whose cost is unknown: no price, an answer that broke off, or an end that a crash took away."""
    cost_per_confirmed: float | None = None
    """US dollars of the whole run for each CONFIRMED finding; None without one, or when the cost is unknown."""
    by: tuple[Spent, ...] = ()
    """The same by stage, lane and model, in this order."""


class Report(Record):
    """Everything a run has to say; `schema_version` changes only with the meaning of a field."""

    schema_version: Literal["harness.report/1"] = "harness.report/1"
    """Version of this shape; fields may be added under it, none change or vanish."""
    run: RunInfo
    """What was run."""
    findings: tuple[Finding, ...]
    """All findings, also dismissed ones, most severe first, then path and line."""
    coverage: Coverage
    """What was looked at."""
    stats: Stats
    """What became of the claims."""
    canaries: dict[str, int] | None = None
    """Verifier self-check, when planted."""
    usage: Usage = Usage()
    """What was spent."""
    imported: tuple[ImportedResult, ...] = ()
    """Every result of the SARIF log that this run verified, in its order."""
    rechecked: tuple[Rechecked, ...] = ()
    """Every finding that this run looked at again, most severe first."""
    review: ReviewInfo | None = None
    """The change that was reviewed, None for an audit."""
