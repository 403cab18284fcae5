"""Durable units of work: from the journal, else from the cache, else from a worker; the result is recorded before use.

The intent is written before a unit is sent. A unit that failed keeps its intent and gets no result, so that a resumed
run tries it again; after `TRIES` intents without a result it is given up (a poison unit cannot stop the run for ever).
What we stopped ourselves (interrupt, budget) is withdrawn and does not count.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from harness.audit.desk import Desk
from harness.crew import Crew
from harness.workers import Outcome, Pool, Task

TRIES = 3
FURTHER_SECONDS = 5.0
"""Time that each further unit of a batch adds to what its longest may take: they share what the first prepared."""


class Unit(NamedTuple):
    """One durable step."""

    step: str
    """Its name in the journal."""
    key: str
    """Hash of everything its result depends on."""
    payload: JsonValue
    """What the worker gets."""
    batch: str
    """Units with one label go out together, in order."""
    seconds: float
    """Time it may take."""


class Settled(NamedTuple):
    """What became of a unit."""

    unit: Unit
    """The unit."""
    value: JsonValue
    """The result, None when there is none."""
    error: str = ""
    """Why there is none."""
    reached: bool = True
    """False when the run ended before it."""


def settle(
    desk: Desk, pool: Pool | Crew, units: Sequence[Unit], *, seconds: float | None, together: int = 1
) -> Iterator[Settled]:
    """Every unit once, in no particular order. `seconds` is the time left for all; `together` the most in one batch."""
    rest: list[Unit] = []
    tried: dict[str, int] = {}
    for unit in units:
        known = desk.journal.state(unit.step)
        if known.done:
            yield Settled(unit, known.result)
        elif not desk.working:
            yield Settled(unit, None, "the run ended before it", reached=False)
        elif known.attempts >= TRIES:
            yield Settled(unit, None, f"given up: begun {known.attempts} times and never finished")
        else:
            tried[unit.step] = known.attempts
            rest.append(unit)
    if not rest:
        return
    cached = desk.cache.get(unit.key for unit in rest)
    held = [(unit, cached[unit.key]) for unit in rest if unit.key in cached]
    if held:
        desk.journal.finish_all((unit.step, value) for unit, value in held)
    yield from (Settled(unit, value) for unit, value in held)
    yield from _Shift(desk, pool, tried, seconds).work([u for u in rest if u.key not in cached], together)


class _Shift:
    """The units that need a worker."""

    def __init__(self, desk: Desk, pool: Pool | Crew, tried: dict[str, int], seconds: float | None) -> None:
        self._desk = desk
        self._pool = pool
        self._tried = tried
        self._until = None if seconds is None else desk.clock.monotonic() + seconds
        self._flying: set[str] = set()

    def work(self, units: Sequence[Unit], together: int) -> Iterator[Settled]:
        left = {unit.step: unit for unit in units}
        try:
            single: list[list[Unit]] = []
            for outcome in self._outcomes(_batches(units, together)):
                batch = [left[step] for step in outcome.task.id.split("\n")]
                if outcome.error is not None and len(batch) > 1:
                    single += [[unit] for unit in batch]  # which of them it was, only going out alone can tell
                    continue
                for settled in self._record(batch, outcome):
                    del left[settled.unit.step]
                    yield settled
            for (unit,) in [alone for alone in single if self._tried[alone[0].step] >= TRIES]:
                yield Settled(left.pop(unit.step), None, f"given up: begun {TRIES} times and never finished")
            for outcome in self._outcomes([alone for alone in single if self._tried[alone[0].step] < TRIES]):
                for settled in self._record([left.pop(outcome.task.id)], outcome):
                    yield settled
        finally:
            if self._flying:
                with contextlib.suppress(Exception):  # it only keeps a stop of ours from counting as a crash
                    self._desk.journal.withdraw(sorted(self._flying))
        yield from (Settled(u, None, "its time was used up before it", reached=False) for u in left.values())

    def _outcomes(self, batches: Sequence[list[Unit]]) -> Iterator[Outcome]:
        tasks = [
            Task(
                id="\n".join(unit.step for unit in batch),
                payload=[unit.payload for unit in batch],
                seconds=max(unit.seconds for unit in batch) + FURTHER_SECONDS * (len(batch) - 1),
                tries=1 if len(batch) > 1 else TRIES - self._tried[batch[0].step],
            )
            for batch in batches
        ]
        return self._pool.run(tasks, begun=self._begun, until=self._until, idle=self._desk.heartbeat)

    def _begun(self, task: Task) -> None:
        steps = task.id.split("\n")
        self._desk.journal.begin_all(steps)
        for step in steps:
            self._tried[step] += 1
        self._flying.update(steps)

    def _record(self, batch: Sequence[Unit], outcome: Outcome) -> Iterator[Settled]:
        self._flying.difference_update(unit.step for unit in batch)
        answers = outcome.value if isinstance(outcome.value, list) else [{"error": outcome.error} for _ in batch]
        settled = [
            Settled(unit, answer["value"])
            if isinstance(answer, dict) and "value" in answer
            else Settled(unit, None, str(answer.get("error")) if isinstance(answer, dict) else "no answer")
            for unit, answer in zip(batch, answers, strict=True)
        ]
        later = [u.step for u, a in zip(batch, answers, strict=True) if isinstance(a, dict) and a.get("later")]
        if later:  # no fault of the unit, so it costs it no try
            self._desk.journal.withdraw(later)
        done = [(s.unit, s.value) for s in settled if s.value is not None]
        self._desk.journal.finish_all((unit.step, value) for unit, value in done)
        self._desk.cache.put((unit.key, value) for unit, value in done)
        yield from settled


def _batches(units: Sequence[Unit], together: int) -> list[list[Unit]]:
    found: list[list[Unit]] = []
    for unit in units:
        if found and found[-1][0].batch == unit.batch and len(found[-1]) < together:
            found[-1].append(unit)
        else:
            found.append([unit])
    return found
