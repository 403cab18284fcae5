"""Sessions: one report being made, in a folder of its own below the user's state. The data folder is never written to.

A session that was stopped is continued by asking for the same report again: the same folder with the same content, the same
settings, the same code. Finished steps are read from the journal, finished model calls from the tape.
"""

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ValidationError

from agent.order import ReportOrder
from harness.clock import Clock
from harness.errors import JournalFailed, RunLocked, UsageError
from harness.files import sha256
from harness.journal.events import EventLog
from harness.journal.journal import Journal
from harness.journal.lock import RunLock, locked
from harness.places import state_home

_ORDER, _STATUS = "order", "status"
Status = Literal["new", "running", "stopped", "complete", "incomplete"]


class SessionFolder(NamedTuple):
    """Where one session keeps its things."""

    id: str
    """Four digits, unique for its data folder."""
    path: Path
    """The folder."""

    @property
    def journal(self) -> Path:
        """The durable steps."""
        return self.path / "journal.db"

    @property
    def events(self) -> Path:
        """What it told the world."""
        return self.path / "events.db"

    @property
    def lock(self) -> Path:
        """Held by the one process that works on it."""
        return self.path / "lock"

    @property
    def work(self) -> Path:
        """The report in the making: the only folder that TeX and plot programs may write to."""
        return self.path / "work"

    @property
    def ledger(self) -> Path:
        """What was asked of models."""
        return self.path / "usage.jsonl"

    @property
    def calls(self) -> Path:
        """The finished model calls."""
        return self.path / "calls"


class Session(NamedTuple):
    """A session at work."""

    folder: SessionFolder
    order: ReportOrder
    journal: Journal
    events: EventLog
    continued: bool
    """Whether it was begun earlier."""

    def conclude(self, status: Literal["complete", "incomplete"], reason: str) -> None:
        """Record the terminal state."""
        self.journal.note(_STATUS, [status, reason])


def sessions_home(data: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of all sessions of a data folder."""
    real = data.resolve()
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", real.name).strip(".-")[:40] or "data"
    return state_home(environ) / "reports" / f"{slug}-{sha256(os.fsencode(real))[:12]}"


def all_sessions(home: Path) -> list[SessionFolder]:
    """Every session, oldest first."""
    try:
        names = sorted((p.name for p in home.iterdir() if re.fullmatch(r"\d{4,9}", p.name)), key=int)
    except OSError:
        return []
    return [SessionFolder(name, home / name) for name in names]


def status_of(folder: SessionFolder) -> tuple[Status, str]:
    """The state of a session and why, also while another process works on it. Never raises."""
    try:
        with Journal(folder.journal, folder.id, read_only=True) as journal:
            noted = journal.noted(_STATUS)
    except JournalFailed as error:
        return ("running", "") if locked(folder.lock) else ("new", str(error))
    if locked(folder.lock):
        return "running", ""
    if isinstance(noted, list) and len(noted) == 2 and noted[0] in ("complete", "incomplete"):
        return ("complete" if noted[0] == "complete" else "incomplete"), str(noted[1])
    return "stopped", "its process ended without a word"


def to_continue(order: ReportOrder, home: Path) -> SessionFolder | None:
    """The newest session, when it is this very report and is not complete. Raises RunLocked when it is being worked on."""
    for folder in reversed(all_sessions(home)):
        status, _ = status_of(folder)
        if status == "new":
            continue
        known = _order_of(folder)
        if known is None or not known.same_report(order):
            return None
        if status == "running":
            raise RunLocked(f"this report is being made already, as session {folder.id}", hint="Wait for it.")
        return None if status == "complete" else folder
    return None


@contextmanager
def opened(order: ReportOrder, home: Path, clock: Clock, *, fresh: bool = False) -> Iterator[Session]:
    """The session of this report: the one that was stopped, unless `fresh`, else a new one. Locked while the block lasts."""
    earlier = None if fresh else to_continue(order, home)
    folder = earlier or _new(home)
    lock = RunLock(folder.lock, run=folder.id, since=clock.now())
    with lock, Journal(folder.journal, folder.id, clock=clock) as journal, EventLog(folder.events) as events:
        journal.note(_ORDER, order.model_dump(mode="json"))
        journal.note(_STATUS, None)
        folder.work.mkdir(exist_ok=True)
        yield Session(folder, order, journal, events, earlier is not None)


def _order_of(folder: SessionFolder) -> ReportOrder | None:
    with (
        contextlib.suppress(JournalFailed, ValidationError),
        Journal(folder.journal, folder.id, read_only=True) as journal,
    ):
        return ReportOrder.model_validate(journal.noted(_ORDER))
    return None


def _new(home: Path) -> SessionFolder:
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        number = max((int(f.id) for f in all_sessions(home)), default=0)
        while True:
            number += 1
            folder = SessionFolder(f"{number:04}", home / f"{number:04}")
            with contextlib.suppress(FileExistsError):
                folder.path.mkdir(mode=0o700)
                return folder
    except OSError as error:
        raise UsageError(
            f"cannot write to the state directory: {error}", hint="Set HARNESS_STATE_DIR to a folder that is writable."
        ) from error
