"""One result of a SARIF log, taken out of its log: plain values that nobody has checked yet."""

from typing import NamedTuple

from pydantic import JsonValue

from harness.schema.finding import Severity


class Region(NamedTuple):
    """A place as the tool wrote it."""

    uri: str
    """Resolved against its base, still percent-encoded; '' when there is none."""
    line: int | None
    end_line: int | None
    column: int | None
    """From 1, in the unit of the run."""
    end_column: int | None
    snippet: str
    """Text of the region, '' when the tool left it out."""
    message: str = ""
    """What the tool says beside it."""
    offset: int | None = None
    """Characters before it, where the tool counts no lines."""


class Result(NamedTuple):
    """What one result says."""

    origin: str
    """`run/result`, both from 0: its place in the log."""
    tool: str
    """Name of the tool: lower case letters, digits and dashes."""
    rule: str
    """Id of the rule as the tool writes it."""
    cwes: tuple[int, ...]
    """In the order given."""
    severity: Severity
    message: str
    fix: str
    """What the tool or its rule advises."""
    place: Region | None
    flow: tuple[Region, ...]
    """The first code flow, source first."""
    related: tuple[Region, ...]
    utf16: bool
    """Whether columns count UTF-16 code units; else code points."""
    aside: str = ""
    """Why it is no claim that stands: suppressed, absent, passed; '' when it is one."""
    verdict: str = ""
    """What we said of it, when the log is one that we wrote."""
    claim: JsonValue = None
    """The claim itself, when the log is one of our findings; as little checked as the rest."""
