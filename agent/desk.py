"""What the stages of one report share."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from agent.milestones import Milestones
from agent.models import Askers
from agent.order import ReportOrder
from agent.records import Scan
from agent.session import Session
from harness.clock import Clock
from harness.sandbox.base import Sandbox
from harness.schema.base import Record

R = TypeVar("R", bound=Record)


class Desk(NamedTuple):
    """One report being made: the order and the means, and nothing a stage produces."""

    order: ReportOrder
    session: Session
    scan: Scan
    """The data folder, as it was when the order was written."""
    milestones: Milestones
    clock: Clock
    askers: Askers | None = None
    """None offline."""
    sandbox: Sandbox | None = None
    """Where TeX and plot code run; None when there is none, and then neither runs."""

    @property
    def data(self) -> Path:
        """The data folder: read, never written."""
        return Path(self.order.data)

    @property
    def work(self) -> Path:
        """The work folder of the session."""
        return self.session.folder.work

    def step(self, name: str, kind: type[R], call: Callable[[], R]) -> R:
        """A durable step: the stored result, or else `call`, whose result is stored before it is used."""
        return kind.model_validate(self.session.journal.step(name, lambda: call().model_dump(mode="json")))
