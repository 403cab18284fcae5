"""What the stages of one run share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from harness.audit.models import Models
from harness.audit.order import Order
from harness.budget import Budget
from harness.clock import Clock
from harness.contracts import Auditor, Bench, Engine, Verifier
from harness.events import Progress, Sink, Warned
from harness.journal.cache import Cache
from harness.sandbox.base import Sandbox
from harness.sandbox.python import ProjectPython
from harness.schema.dimension import Dimension
from harness.schema.tree import Tree
from harness.state import RunFolder
from harness.workers import Pool


class Pin(Protocol):
    """Makes the private copy; `harness.repo` has the real one."""

    def __call__(self, origin: Path, into: Path, *, revision: str | None = None, exclude: tuple[str, ...] = ()) -> Tree:
        """The pinned revision, its files below `into`."""
        ...


@dataclass
class Desk:
    """One run at work: the order, the means, and nothing a stage produces."""

    order: Order
    folder: RunFolder
    journal: Engine
    cache: Cache
    budget: Budget
    clock: Clock
    tell: Sink
    pin: Pin
    auditors: tuple[Auditor, ...]
    verifiers: tuple[Verifier, ...]
    dimensions: dict[str, Dimension]
    sandbox: Sandbox | None
    no_sandbox: str
    """Why there is no sandbox, '' when there is one."""
    team: Callable[[Bench], Pool]
    """Makes the worker pool, once there is something to work on."""
    python: ProjectPython | None = None
    """What runs code of the project, None for the Python that runs us."""
    models: Models | None = None
    """Readers and the arguing verifier, None offline."""
    working: bool = True
    """False to put together what is recorded, without doing anything more."""
    narrow: frozenset[str] | None = None
    """Files that models are asked about, None for all; a part that holds one of them is read."""
    troubles: list[str] = field(default_factory=list)
    """Why this run cannot be complete; each a clause of the report's reason."""
    _last: Progress | None = None

    @property
    def execution(self) -> str:
        """What answers depend on that come from running code of the project; part of their cache keys."""
        if self.sandbox is None:
            return ""
        python = self.order.python.digest if self.order.python else ""
        return "\0".join((self.sandbox.mechanism, python, self.order.advice))

    def warn(self, message: str) -> None:
        """Tell people something that stops nothing."""
        self.tell(Warned(message=message))

    def progress(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Tell people how far a stage is."""
        self._last = Progress(stage=stage, done=done, total=total, note=note)
        self.tell(self._last)

    def heartbeat(self) -> None:
        """Say the last progress again, so that what shows the time passed can show it."""
        if self._last is not None and self._last.done < self._last.total:
            self.tell(self._last)
