"""What one audit lane looks at: a perspective, made of groups of checks."""

from pydantic import Field

from harness.schema.base import Record


class Dimension(Record):
    """One perspective (A1). No auditor sees another's brief or findings."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    """Stable name."""
    title: str
    """A few words for people."""
    brief: str
    """What to look for, in a sentence or a page."""
    groups: tuple[str, ...]
    """Groups of checks it is made of."""
    profiles: tuple[str, ...] = ()
    """Profiles that include it: `full`, `session`."""
