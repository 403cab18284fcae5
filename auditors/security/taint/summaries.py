"""Joins the notes of single functions over the project: what a call passes on, and what it reaches.

A summary says for each parameter whether it comes back and which sinks it reaches, and which sources a call returns.
Summaries grow until nothing changes, callees before callers as far as the work list allows; each is capped, so the
time is linear in the number of calls.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from auditors.security.taint.notes import FunctionNotes, Place, SinkNote, Slot, SourceNote

MOST_FLOWS = 12
"""Sources returned, or sinks reached from one parameter, that a summary keeps."""
MOST_STEPS = 6
MOST_NAMED = 200
"""Functions that a call by name reaches."""


class SinkFlow(NamedTuple):
    """A sink that data reaches through calls: `steps` are the calls, outermost first."""

    sink: SinkNote
    cleared: frozenset[str]
    steps: tuple[Place, ...]
    function: str
    """Dotted name of the function that holds the sink."""


class SourceFlow(NamedTuple):
    """A source whose data comes back through calls, innermost first."""

    source: SourceNote
    cleared: frozenset[str]
    steps: tuple[Place, ...]
    routed: bool
    """It passed the return of a function that answers a URL, so it was looked at there."""


class Chain(NamedTuple):
    """From a source to a sink; `entry` is the function where the two ends meet."""

    source: SourceFlow
    sink: SinkFlow
    entry: str


@dataclass
class Summary:
    returns: dict[int, frozenset[str]] = field(default_factory=dict)
    sources: dict[SourceNote, SourceFlow] = field(default_factory=dict)
    sinks: dict[int, dict[SinkNote, SinkFlow]] = field(default_factory=dict)


class Summaries:
    """Fixed point over all functions."""

    def __init__(self, notes: dict[str, FunctionNotes]) -> None:
        self.notes = notes
        self.table: dict[str, Summary] = {name: Summary() for name in notes}
        self.fields: dict[str, dict[SourceNote, SourceFlow]] = {}
        self._callers: dict[str, set[str]] = {}
        self._look_up()
        for name, function in notes.items():
            for call in function.calls:
                for callee in call.callees:
                    self._callers.setdefault(callee, set()).add(name)
        self._solve()

    def chains(self) -> Iterator[Chain]:
        """Every source-to-sink chain, by function in order of the notes."""
        for name, function in self.notes.items():
            for slot, sink in self._reaches(function):
                for source in self._sources(function, slot):
                    if sink.sink.kind not in source.cleared | sink.cleared:
                        yield Chain(source, sink, name)

    def _look_up(self) -> None:
        """Calls of what is looked up by name reach every function whose name begins like that."""
        for function in self.notes.values():
            for number, call in enumerate(function.calls):
                makers = function.calls[call.made_by].callees if 0 <= call.made_by < len(function.calls) else ()
                chosen = [self.notes[m].chooses for m in makers if m in self.notes]
                prefix = call.prefix or next((c for c in chosen if c), "")
                if prefix and not call.callees:
                    named = (n for n, f in self.notes.items() if f.qualname.rpartition(".")[2].startswith(prefix))
                    function.calls[number] = call._replace(callees=tuple(sorted(named)[:MOST_NAMED]))

    def _solve(self) -> None:
        waiting = deque(self.notes)
        queued = set(waiting)
        turns: dict[str, int] = {}
        while waiting:
            name = waiting.popleft()
            queued.discard(name)
            turns[name] = turns.get(name, 0) + 1
            if turns[name] > MOST_FLOWS or not self._update(self.notes[name]):
                continue
            for caller in sorted(self._callers.get(name, ())):
                if caller in self.notes and caller not in queued:
                    waiting.append(caller)
                    queued.add(caller)

    def _update(self, function: FunctionNotes) -> bool:
        summary = self.table[function.name]
        before = (len(summary.returns), len(summary.sources), sum(map(len, summary.sinks.values())))
        for slot, sink in self._reaches(function):
            for parameter, cleared in self._parameters(function, slot):
                kept = summary.sinks.setdefault(parameter, {})
                if sink.sink not in kept and len(kept) < MOST_FLOWS and sink.sink.kind not in cleared:
                    kept[sink.sink] = sink._replace(cleared=sink.cleared | cleared)
        for (origin, target), cleared in function.edges.items():
            if target == ("return",):
                for parameter, more in self._parameters(function, origin):
                    summary.returns.setdefault(parameter, cleared | more)
                for flow in self._sources(function, origin):
                    if flow.source not in summary.sources and len(summary.sources) < MOST_FLOWS:
                        routed = flow.routed or function.route is not None
                        summary.sources[flow.source] = flow._replace(cleared=flow.cleared | cleared, routed=routed)
            elif target[0] == "field":
                for flow in self._sources(function, origin):
                    kept_sources = self.fields.setdefault(str(target[1]), {})
                    if flow.source not in kept_sources and len(kept_sources) < MOST_FLOWS:
                        kept_sources[flow.source] = flow._replace(cleared=flow.cleared | cleared)
        return before != (len(summary.returns), len(summary.sources), sum(map(len, summary.sinks.values())))

    def _reaches(self, function: FunctionNotes) -> Iterator[tuple[Slot, SinkFlow]]:
        """Slots of the function that reach a sink, its own or one behind a call."""
        for (origin, target), cleared in function.edges.items():
            if target[0] == "sink":
                yield origin, SinkFlow(function.sinks[int(target[1])], cleared, (), function.name)
            elif target[0] == "arg":
                call = function.calls[int(target[1])]
                for callee in call.callees:
                    parameter = self._position(callee, target[2])
                    summary = self.table.get(callee)
                    if parameter is None or summary is None:
                        continue
                    for flow in summary.sinks.get(parameter, {}).values():
                        if len(flow.steps) < MOST_STEPS:
                            steps = (call.place, *flow.steps)
                            yield origin, flow._replace(cleared=flow.cleared | cleared, steps=steps)

    def _position(self, callee: str, argument: int | str) -> int | None:
        notes = self.notes.get(callee)
        if notes is None:
            return None
        if isinstance(argument, str):
            return notes.parameters.index(argument) if argument in notes.parameters else None
        bound = notes.parameters[:1] in (("self",), ("cls",))
        position = argument + bound
        return position if position < len(notes.parameters) else None

    def _parameters(
        self, function: FunctionNotes, slot: Slot, depth: int = MOST_STEPS
    ) -> Iterator[tuple[int, frozenset[str]]]:
        """Parameters whose data is in the slot, through calls that pass it on."""
        if slot[0] == "param":
            yield int(slot[1]), frozenset()
        elif slot[0] == "call" and depth:
            for origin, cleared in self._passed(function, int(slot[1])):
                for parameter, more in self._parameters(function, origin, depth - 1):
                    yield parameter, cleared | more

    def _passed(self, function: FunctionNotes, number: int) -> Iterator[tuple[Slot, frozenset[str]]]:
        """Slots that go into a call and come back out of it."""
        for (origin, target), cleared in function.edges.items():
            if target[0] != "arg" or target[1] != number:
                continue
            for callee in function.calls[number].callees:
                parameter = self._position(callee, target[2])
                summary = self.table.get(callee)
                if summary is not None and parameter in summary.returns:
                    yield origin, cleared | summary.returns[parameter]

    def _sources(self, function: FunctionNotes, slot: Slot, depth: int = MOST_STEPS) -> Iterator[SourceFlow]:
        if slot[0] == "source":
            yield SourceFlow(function.sources[int(slot[1])], frozenset(), (), routed=False)
        elif slot[0] == "field":
            yield from self.fields.get(str(slot[1]), {}).values()
        elif slot[0] == "call" and depth:
            number = int(slot[1])
            call = function.calls[number]
            for callee in call.callees:
                summary = self.table.get(callee)
                for flow in summary.sources.values() if summary else ():
                    if len(flow.steps) < MOST_STEPS:
                        yield flow._replace(steps=(*flow.steps, call.place))
            for origin, cleared in self._passed(function, number):
                for flow in self._sources(function, origin, depth - 1):
                    yield flow._replace(cleared=flow.cleared | cleared)
