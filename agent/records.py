"""What the stages hand to each other: frozen records, stored by the journal as JSON, free of behaviour.

A stage reads the records of earlier stages and the work folder, and returns one record. Paths inside records are relative,
with forward slashes: `path` of a scanned file below the data folder, all others below the work folder of the session.
"""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from harness.schema.base import Record

Language = Literal["en", "zh"]
"""Language of the report's own words."""


class FileKind(StrEnum):
    """What a file of the data folder is to a report."""

    DOCUMENT = "document"
    IMAGE = "image"
    DATA = "data"
    OTHER = "other"


class ScannedFile(Record):
    """One file of the data folder."""

    path: str
    """Relative to the data folder, as `harness.files.encode_path` writes it: safe to show, and `decode_path` gives the bytes."""
    kind: FileKind
    """What it is to a report."""
    size: int
    """Bytes."""
    sha256: str = ""
    """Of the content; empty when it was not read."""
    problem: str = ""
    """Why it is not read or only partly (too large, empty, a link, unreadable, an archive ...), '' when nothing is wrong."""


class Scan(Record):
    """The data folder, in a fixed order."""

    files: tuple[ScannedFile, ...]
    """Every entry met, problems included."""
    complete: bool = True
    """False when a bound on files or depth ended it."""


class Source(Record):
    """Where a value stands in the material."""

    path: str
    """File of the data folder."""
    place: str = ""
    """Where in it, as a person would look for it: `sheet Run 1, cell B4`, `line 12, column U/V`, `page 3`, `key Bias>Bias (V)`."""


class Quantity(Record):
    """A number the report may print, and where it comes from."""

    id: str
    """Unique in the report; stable for the same material."""
    text: str
    """As printed, without unit: `0.662`."""
    value: float
    """Its value at full precision."""
    unit: str = ""
    """Unit as the material writes it, '' when it says none."""
    kind: Literal["cell", "statistic", "count", "fit", "figure", "text", "configuration"]
    """A cell read; computed from cells; counted; of a fit; drawn by figure code; stands in a document; set by the user."""
    sources: tuple[Source, ...]
    """What it was read or computed from."""
    formula: str = ""
    """How it was computed (`mean of 41 values`), '' when it was read."""


class ReadText(Record):
    """The text of one file, as the readers give it."""

    path: str
    """File of the data folder."""
    text: str
    """Its text."""
    how: str
    """Reader and what it assumed: `text, gb18030`, `pypdfium2, 3 pages`, `OCR (rapidocr)`."""
    title: str = ""
    """What it calls itself, '' when nothing."""


class Figure(Record):
    """A checked picture in the work folder."""

    label: str
    """`fig:...`, unique."""
    path: str
    """Below the work folder: `figures/counts.pdf`."""
    caption: str
    """Plain text, no LaTeX."""
    sources: tuple[Source, ...] = ()
    """What it draws."""
    code: str = ""
    """The program that drew it, '' when it was taken over from the material."""


class Exploration(Record):
    """What reading the folder brought; without a model, what the scan alone can say."""

    experiment: str
    """What was done or what the folder is about."""
    goal: str
    """What the report is to show."""
    key_findings: tuple[str, ...]
    """Findings, one sentence each."""
    requirements: tuple[str, ...] = ()
    """What an assignment in the folder asks of the report."""
    methodology: tuple[str, ...] = ()
    """Notes on method."""
    reference_report: str = ""
    """Path of a reference report in the folder, '' when there is none."""
    texts: tuple[ReadText, ...] = ()
    """What was read on the way."""
    stopped: str = ""
    """Why the tools were taken away, '' when it ended by itself."""


class BibEntry(Record):
    """A source that may be cited."""

    key: str
    """Its key."""
    entry: str
    """The whole BibTeX entry."""
    origin: Source | None = None
    """Where in the material it stands; None when the user verified it."""


class TexError(Record):
    """One mistake in a document, as its log tells it."""

    kind: str
    """Stable kebab-case class: `undefined-control-sequence`, `missing-dollar`, `missing-file`, `undefined-citation` ..."""
    message: str
    """The log's own words, one line."""
    file: str = ""
    """The file it is in, '' when the log does not say."""
    line: int | None = None
    """1-based line, None when the log does not say."""
    token: str = ""
    """The command, character, key, environment or file it is about."""
    fatal: bool = True
    """False for what TeX lets pass although the document is wrong (undefined reference, missing glyph)."""


class Diagnosis(Record):
    """What is wrong with a compiled document, most telling first."""

    errors: tuple[TexError, ...] = ()
    """All mistakes; empty when every sign is good."""
    excerpt: str = ""
    """For a reader with little room: `!` lines, `l.N` lines, runaway and emergency-stop lines, at most 1,800 characters."""
    fingerprint: str = ""
    """Identity of the first mistake, without line numbers, at most 120 characters."""


class Compiled(Record):
    """One compilation: all passes."""

    ok: bool
    """True when every sign is good: return codes, log, keys, glyphs, figures, and a PDF with pages."""
    pdf: str = ""
    """The PDF below the work folder, '' when there is none."""
    pages: int = 0
    """Its pages."""
    diagnosis: Diagnosis = Diagnosis()
    """What is wrong."""
    limit: str = ""
    """Which limit ended it (`pass`, `wall`, `memory`, `output` ...), '' when none."""
    seconds: float = 0.0
    """Wall clock of all passes."""


class Change(Record):
    """Something a sanitiser or a repair changed."""

    rule: str
    """Stable kebab-case name."""
    line: int
    """1-based line in the text before."""
    what: str
    """One sentence for a person."""


class Edited(Record):
    """A text and what was changed to get it."""

    text: str
    """The text after."""
    changes: tuple[Change, ...] = ()
    """In order; empty when nothing was changed."""


class CriticItem(Record):
    """One change a critique asks for."""

    section: str
    """Anchor (`n2`), a title, or `whole`."""
    issue: str = ""
    """What is wrong."""
    action: str = ""
    """What to do."""


class Critique(Record):
    """At most eight changes; none ends the loop."""

    changes: tuple[CriticItem, ...] = Field(default=(), max_length=8)
    """What to change."""


class GateDecision(Record):
    """What the regression gate said of one round."""

    round: int
    """1-based."""
    decision: Literal["accepted", "reverted", "converged"]
    """Reverted and converged end the loop."""
    reasons: tuple[str, ...] = ()
    """Why it was reverted, lost keys by name."""
    applied: int = 0
    """Items applied."""
    skipped: tuple[str, ...] = ()
    """Items skipped, each with its reason."""


class Settings(Record):
    """What the user asked for; everything that decides the milestones is here or was probed before the start."""

    language: Language = "en"
    """Language of the report's own words."""
    template: str = "lab-report"
    """`lab-report`, `course-notes`, `article`, or the path of a folder with one's own."""
    title: str = ""
    """Title, '' to derive one."""
    author: str = ""
    """Author, '' for none."""
    rounds: int = Field(default=2, ge=0, le=10)
    """Rounds of reflection, with a model only."""
    figures: bool = True
    """Whether to draw figures."""
    appendix: bool = False
    """Whether the report ends in a table of sources for every number."""
    compile: bool = True
    """Whether to compile; decided once, together with whether xelatex is there."""
    compile_wall_s: float = 600.0
    """Bound for all compilation (`COMPILE_WALL_BUDGET`)."""
