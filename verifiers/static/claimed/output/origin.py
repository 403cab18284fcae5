"""Where a value comes from, as far as code shows: the words in which the trace answers."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from harness.schema.location import Location

OUTSIDER, STORED, FIXED, OBJECT, REQUEST, UNKNOWN = "outsider", "stored", "fixed", "object", "request", "unknown"


class Place(NamedTuple):
    """A function: path and qualified name."""

    path: str
    qualname: str


@dataclass(frozen=True)
class Origin:
    """One place that a value may come from."""

    kind: str
    """OUTSIDER: a client decides it. STORED: read from a database. FIXED: the program's own. OBJECT: one of a class of
    the project. REQUEST: the request itself. UNKNOWN: not followed."""
    what: str
    """Source text, table, class, framework, or why it is not followed."""
    at: Location
    column: str = ""
    """Of a stored row: the column that was taken, '' for the row."""
    columns: tuple[str, ...] = ()
    """Of a stored row: columns that were asked for, () for all."""
    marks: frozenset[str] = frozenset()
    """`escaped`, `number`, `checked`, `quoted`, `filtered`, `serialised`, `text` (an item, not the mapping), `lineless` (no
    line end gets through), `encoded` (as it stands in a URL), `parsed` (a document that the client wrote), `header`, `mapping`."""
    text: str = ""
    """Of a constant text: its value."""
    through: tuple[Place, ...] = field(default=())
    """Functions that the value passes, innermost last."""

    def marked(self, *marks: str) -> "Origin":
        return replace(self, marks=self.marks | set(marks))

    def passing(self, place: Place) -> "Origin":
        return self if place in self.through else replace(self, through=(*self.through, place))

    @property
    def hostile(self) -> bool:
        """A client decides it, and nothing seen on the way takes anything out of it."""
        return self.kind == OUTSIDER and not self.marks & {"number", "checked", "filtered"}
