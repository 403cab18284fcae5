"""Places in the audited revision."""

from pydantic import Field

from harness.schema.base import Record


class Location(Record):
    """A range of lines of one file. Lines and columns start at 1; columns count characters; `end_column` is exclusive."""

    path: str
    """Relative to the root, `/` between parts, in the record form of `harness.files.encode_path`."""
    line: int = Field(ge=1)
    """First line."""
    end_line: int = Field(ge=1)
    """Last line, inclusive."""
    column: int = Field(default=1, ge=1)
    """First column."""
    end_column: int | None = None
    """Column after the last one on `end_line`; None means the end of that line."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class RelatedLocation(Record):
    """Another place that a claim speaks of: a source, a step of a flow, the sibling that has the guard."""

    role: str
    """What the place is to the claim: `source`, `step`, `sink`, `sibling`, `definition`, `caller`, ..."""
    location: Location
    """Where."""
    message: str = ""
    """One sentence a reader sees beside it."""
