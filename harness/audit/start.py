"""Opens runs: a new one for an order, an old one to continue or only to read."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import harness
from harness import registry
from harness.audit import material, status
from harness.audit.desk import Desk, Pin
from harness.audit.models import models_for
from harness.audit.order import Order, OrderedPython
from harness.audit.work import AuditWork
from harness.budget import Budget, parse
from harness.clock import Clock, SystemClock
from harness.contracts import Auditor, Bench, Verifier
from harness.errors import UsageError
from harness.events import Sink
from harness.journal.cache import Cache
from harness.journal.journal import Journal
from harness.journal.lock import RunLock, locked
from harness.sandbox.base import Sandbox
from harness.sandbox.python import ProjectPython
from harness.schema.dimension import Dimension
from harness.scratch import sweep
from harness.state import RunFolder, State, discard_copy, sweep_copies
from harness.workers import Pool

KEPT_COPIES = 3
"""Runs that keep the private copy of a run that was not finished."""


class Means(NamedTuple):
    """What a run works with, besides the order."""

    tell: Sink
    """Who hears of progress."""
    pin: Pin
    """Makes the private copy."""
    auditors: tuple[Auditor, ...]
    """All there are; the plan chooses."""
    verifiers: tuple[Verifier, ...]
    """All there are, cheapest first."""
    dimensions: dict[str, Dimension]
    """All there are."""
    sandbox: Sandbox | None = None
    """Where code of the project may run."""
    no_sandbox: str = ""
    """Why there is none."""
    jobs: int = 0
    """Worker processes; 0 means one a processor."""
    python: ProjectPython | None = None
    """What runs code of the project, None for the Python that runs us."""
    clock: Clock = SystemClock()


def registered(tell: Sink, pin: Pin, sandbox: Sandbox | None, no_sandbox: str, jobs: int) -> Means:
    """With everything that plug-ins offer."""
    return Means(tell, pin, registry.auditors(), registry.verifiers(), registry.dimensions(), sandbox, no_sandbox, jobs)


@contextmanager
def new(order: Order, means: Means, *, findings: bytes | None = None) -> Iterator[Desk]:
    """A new run, locked while the block lasts; with `findings`, a file of them, it verifies these instead of auditing.

    Raises UsageError before anything is made when the order is wrong.
    """
    parse(order.budget)
    state = State(Path(order.origin))
    folder = state.new_run()
    _prune(state)
    sweep()
    sweep_copies()
    imported = material.keep(folder, findings) if findings is not None else None
    began = {"code": registry.code_digest(), "version": harness.__version__, "imported": imported}
    order = order.model_copy(update={**began, "python": _ordered(means.python)})
    with RunLock(folder.lock, run=folder.id, since=means.clock.now()), _journal(folder, means) as journal:
        status.open_order(journal, order)
        with _desk(order, state, folder, journal, means) as desk:
            yield desk


def _prune(state: State) -> None:
    """Copies of runs that were never finished do not pile up: only the newest few keep theirs."""
    for old in state.all_runs()[:-KEPT_COPIES]:
        if (old.copy.is_symlink() or old.copy.exists()) and not locked(old.lock):
            discard_copy(old)


@contextmanager
def again(state: State, folder: RunFolder, means: Means, *, budget: tuple[str, ...] = ()) -> Iterator[Desk]:
    """A run that was stopped, locked while the block lasts; `budget` replaces the one that was given then.

    Raises RunLocked when another process works on it, UsageError when another version of harness began it.
    """
    with RunLock(folder.lock, run=folder.id, since=means.clock.now()), _journal(folder, means) as journal:
        order = status.order_of(journal)
        if order.code != registry.code_digest():
            raise UsageError(
                f"run {folder.id} was begun by another version of harness ({order.version})",
                hint="Start a new audit: what has not changed comes from the cache.",
            )
        if order.python and means.python and order.python.digest != means.python.digest:
            raise UsageError(
                f"{order.python.shown}, with which run {folder.id} was begun, has changed since",
                hint="Start a new audit: what does not depend on it comes from the cache.",
            )
        if budget:
            parse(budget)
            order = order.model_copy(update={"budget": budget})
        status.reopened(journal)
        with _desk(order, state, folder, journal, means) as desk:
            yield desk


@contextmanager
def recorded(state: State, folder: RunFolder, means: Means) -> Iterator[Desk]:
    """A run to read: what is recorded is put together and nothing is done or written."""
    journal = Journal(folder.journal, folder.id, clock=means.clock, read_only=True)
    with journal, _desk(status.order_of(journal), state, folder, journal, means) as desk:
        desk.working = False
        yield desk


def _journal(folder: RunFolder, means: Means) -> Journal:
    return Journal(folder.journal, folder.id, clock=means.clock)


def _ordered(python: ProjectPython | None) -> OrderedPython | None:
    return OrderedPython(path=python.executable, shown=str(python), digest=python.digest) if python else None


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _desk(order: Order, state: State, folder: RunFolder, journal: Journal, means: Means) -> Iterator[Desk]:
    jobs = means.jobs or _processors()

    def team(bench: Bench) -> Pool:
        return Pool(AuditWork(bench, means.auditors, means.verifiers), jobs=jobs, monotonic=means.clock.monotonic)

    with ExitStack() as stack:
        cache = Cache(state.cache, clock=means.clock)
        stack.callback(cache.close)
        desk = Desk(
            order=order, folder=folder, journal=journal, cache=cache, budget=Budget(parse(order.budget), means.clock),
            clock=means.clock, tell=means.tell, pin=means.pin, auditors=means.auditors, verifiers=means.verifiers,
            dimensions=means.dimensions, sandbox=means.sandbox, no_sandbox=means.no_sandbox, team=team,
            python=means.python,
        )  # fmt: skip
        if order.model:
            desk.models = models_for(order, folder, means.dimensions, means.clock.monotonic)
            if desk.models.same_family:
                desk.warn("one model family finds and verifies; --verifier-model of another family errs differently")
        if cache.trouble:
            desk.warn(f"there is no cache, so everything is worked out again: {cache.trouble}")
        yield desk
