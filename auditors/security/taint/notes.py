"""What is written down about a function: small records without trees, so that a whole project fits in memory."""

from dataclasses import dataclass, field
from typing import NamedTuple

from auditors.security.taint.sources import Origin, Route
from harness.schema.location import Location

Slot = tuple[str, int | str]
"""Where data comes from: `("param", 0)`, `("source", 2)`, `("call", 5)`, `("field", "pkg.Class.attr")`."""

Taints = dict[Slot, frozenset[str]]
"""Slots that flow into a value -> sink kinds that have become harmless on the way."""


class Place(NamedTuple):
    """A location with its line's text and the function around it."""

    location: Location
    quote: str
    symbol: str | None


class SourceNote(NamedTuple):
    origin: Origin
    place: Place
    parameter: str = ""
    """Name of the parameter, when a route delivers the value in one."""


class SinkNote(NamedTuple):
    kind: str
    name: str
    place: Place
    direct: bool = False
    """It is given nothing but parameters of its function, as they came."""


class CallNote(NamedTuple):
    callees: tuple[str, ...]
    """Dotted names of the project's functions it may reach."""
    place: Place
    prefix: str = ""
    """What is called is looked up by a name that begins like this."""
    made_by: int = -1
    """What is called is the result of this other call of the function."""


class Edge(NamedTuple):
    """Data moves from a slot to a target: `("return",)`, `("sink", 3)`, `("arg", 5, 0)`, `("field", "...")`."""

    origin: Slot
    target: tuple[str | int, ...]
    cleared: frozenset[str]


@dataclass
class FunctionNotes:
    """One function, or the module level of a module (`qualname` '')."""

    name: str
    path: str
    qualname: str
    parameters: tuple[str, ...]
    route: Route | None = None
    chooses: str = ""
    """It returns what it looks up by a name that begins like this."""
    sources: list[SourceNote] = field(default_factory=list)
    sinks: list[SinkNote] = field(default_factory=list)
    calls: list[CallNote] = field(default_factory=list)
    edges: dict[tuple[Slot, tuple[str | int, ...]], frozenset[str]] = field(default_factory=dict)

    def add(self, taints: Taints, target: tuple[str | int, ...]) -> None:
        """Note that these taints reach `target`; what is cleared on one way only is not cleared."""
        for slot, cleared in taints.items():
            key = (slot, target)
            self.edges[key] = cleared & self.edges[key] if key in self.edges else cleared
