"""Claims as auditors raise them, and findings as the report carries them."""

from enum import StrEnum

from pydantic import Field

from harness.schema.base import Record
from harness.schema.evidence import Evidence, Tier
from harness.schema.frame import Frame
from harness.schema.location import Location, RelatedLocation
from harness.schema.verdict import Judgement, Verdict
from harness.schema.waiver import Waiver


class Severity(StrEnum):
    """By the rubric of `docs/severity.md`; most severe first."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        """2 for high, 1 for medium, 0 for low."""
        return {"high": 2, "medium": 1, "low": 0}[self.value]


class Rule(Record):
    """One kind of defect that a check looks for; what `harness explain` prints."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*(:[A-Za-z0-9_-]+)?$")
    """Stable name: `command-injection`, or `tool:CODE` for a wrapped analyser."""
    group: str
    """The group of checks it belongs to (`security`, `concurrency`, ...); a dimension is made of groups."""
    title: str
    """What is wrong, in a few words."""
    severity: Severity
    """Severity unless the claim says otherwise."""
    cwe: int | None = None
    """CWE number, where one fits."""
    page: str = ""
    """The user page in Markdown: why, example, what it cannot see. Usually the docstring of the check's module."""


class AbsenceSearch(Record):
    """The search behind a claim that something is not there; admission runs it again (A2)."""

    pattern: str
    """Python regular expression, searched line by line."""
    paths: tuple[str, ...]
    """`fnmatch` patterns of the files searched."""
    expected: int = 0
    """How many lines matched when the claim was made."""


class Claim(Record):
    """A falsifiable claim of a defect, as one auditor raised it."""

    rule: str
    """Id of the rule."""
    dimension: str = ""
    """The dimension for which it was raised; the lane writes it, a check leaves it empty."""
    severity: Severity
    """How bad, by the rubric."""
    location: Location
    """Where the defect is."""
    quote: str
    """Text of `location`'s first line, verbatim but for surrounding white space. Admission looks for it there."""
    scenario: str
    """A concrete failure: who does what, and what goes wrong."""
    fix: str
    """The change proposed."""
    symbol: str | None = None
    """Enclosing `Class.method` or function, None at module level."""
    cwe: int | None = None
    """CWE number, where one fits."""
    kind: str = ""
    """Kind of claim, by which verifiers choose what to do; empty means the rule's id."""
    facts: dict[str, str] = Field(default_factory=dict)
    """Typed slots for verifiers (names, values, never prose): `{"sink": "os.system", "argument": "0"}`."""
    related: tuple[RelatedLocation, ...] = ()
    """Other places the claim speaks of, in order."""
    absence: AbsenceSearch | None = None
    """For claims of absence: the search."""

    @property
    def claim_kind(self) -> str:
        """`kind`, or the rule's id when the auditor left it empty."""
        return self.kind or self.rule


class Rejection(Record):
    """A claim that did not pass admission, kept with the reason."""

    claim: Claim
    """The claim as raised."""
    auditor: str
    """Who raised it."""
    reason: str
    """Which check failed and why."""


class Finding(Record):
    """An admitted claim with its identity, and later its verdict. The JSON report carries these."""

    id: str
    """Short id, unique in the run: a prefix of the fingerprint, at least four characters."""
    fingerprint: str
    """Identity that survives line moves: rule, symbol, normalised context, occurrence."""
    dimension: tuple[str, ...]
    """Every dimension that raised it; agreement is a signal."""
    auditors: tuple[str, ...]
    """Every auditor that raised it."""
    rule: str
    """Id of the rule."""
    cwe: int | None
    """CWE number or None."""
    severity: Severity
    """The highest that was claimed."""
    path: str
    """File, relative to the root."""
    line: int
    """First line, from 1."""
    end_line: int
    """Last line, inclusive."""
    column: int = 1
    """First column, from 1."""
    end_column: int | None = None
    """Column after the last one, None for the end of the line."""
    symbol: str | None
    """Enclosing function or class."""
    quote: str
    """Verbatim text of the first line."""
    scenario: str
    """The concrete failure."""
    fix: str
    """The proposed change."""
    kind: str
    """Claim kind."""
    facts: dict[str, str] = Field(default_factory=dict)
    """Typed slots of the claim."""
    related: tuple[RelatedLocation, ...] = ()
    """Other places."""
    absence: AbsenceSearch | None = None
    """For claims of absence: the search."""
    verdict: Verdict = Verdict.UNVERIFIED
    """What became of it."""
    tier: Tier = Tier.E1
    """Tier of the verdict."""
    reason: str = ""
    """One sentence: why this verdict."""
    evidence: tuple[Evidence, ...] = ()
    """Everything shown, for and against."""
    judgements: tuple[Judgement, ...] = ()
    """What each verifier said."""
    waiver: Waiver | None = None
    """The decision not to fix it, when there is one that still holds."""
    suppressed: str | None = None
    """Reason of the inline suppression or baseline that hides it from the gate, None when active."""
    frames: tuple[Frame, ...] = ()
    """Source lines: first around the finding's own place, then one for each related and deciding place."""
    line_hash: str = ""
    """`primaryLocationLineHash` of the first line, as code scanning computes it; empty when the file cannot be read."""

    @property
    def location(self) -> Location:
        """The finding's place as a Location."""
        return Location(
            path=self.path, line=self.line, end_line=self.end_line, column=self.column, end_column=self.end_column
        )
