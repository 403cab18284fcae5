"""The state of a run as its folder tells it: running, complete, incomplete and why. Always ends in a terminal one."""

import contextlib
import shlex
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from harness.audit.desk import Desk
from harness.audit.order import Order
from harness.errors import Interrupted, JournalFailed, NothingInScope, UsageError
from harness.files import write_atomic
from harness.journal.journal import Journal
from harness.journal.lock import holder, locked
from harness.journal.steps import StepCounts
from harness.journal.store import failures
from harness.schema.run import Report, RunStatus
from harness.state import RunFolder, discard_copy

_ORDER = "order"
_STARTED = "started"
_STATUS = "status"
_REFUSED = "refused"
INTERRUPTED = "interrupted"


class RunState(NamedTuple):
    """What `harness runs` shows of a run."""

    status: RunStatus
    """RUNNING only while a process holds the lock."""
    reason: str
    """Why it is incomplete, or who works on it."""
    started: str
    """Wall clock, ISO 8601; '' when it never began."""
    order: Order | None
    """What was asked for."""
    refused: bool
    """What was asked for cannot be done, so that there is nothing to continue."""
    lanes: StepCounts
    """Lanes so far."""
    verifications: StepCounts
    """Verifications so far."""


def open_order(journal: Journal, order: Order) -> None:
    """Record what was asked for, before anything is done."""
    journal.note(_ORDER, order.model_dump(mode="json"))


def order_of(journal: Journal) -> Order:
    """What was asked for. Raises JournalFailed when the run died before it was recorded."""
    noted = journal.noted(_ORDER)
    if noted is None:
        raise JournalFailed("this run ended before it had begun", hint="Start a new audit.")
    return Order.model_validate(noted)


def started(desk: Desk) -> datetime:
    """When the run began; noted the first time."""
    noted = desk.journal.noted(_STARTED)
    if isinstance(noted, str):
        return datetime.fromisoformat(noted)
    now = desk.clock.now()
    if desk.working:
        desk.journal.note(_STARTED, now.isoformat())
    return now


def conclude(desk: Desk, report: Report) -> None:
    """Write the report and the terminal state; the private copy goes once nothing is left to do."""
    if not desk.working:
        return
    _make_room(desk)
    with failures(desk.folder.report):
        write_atomic(desk.folder.report, report.model_dump_json(indent=2) + "\n", mode=0o600)
    desk.journal.note(_STATUS, [report.run.status.value, report.run.reason or ""])
    if report.run.status is RunStatus.COMPLETE:
        discard_copy(desk.folder)


def interrupted(desk: Desk) -> Interrupted:
    """Record that the user stopped the run; the exception says how to go on."""
    if desk.working:
        _make_room(desk)
        desk.journal.note(_STATUS, [RunStatus.INCOMPLETE.value, INTERRUPTED])
    again = resume_command(desk.order, desk.folder.id)
    return Interrupted(f"run {desk.folder.id} keeps everything found so far; continue with: {again}")


def resume_command(order: Order, run_id: str) -> str:
    """What to type to continue a run, from the folder in which this process stands."""
    here = Path(order.origin) == Path.cwd()
    return f"harness resume {run_id}" + ("" if here else f" --repo {shlex.quote(order.origin)}")


def broken_off(desk: Desk, error: Exception) -> None:
    """Record why there will be no report. A journal that cannot be written leaves the run without a terminal word."""
    if desk.working:
        _make_room(desk)
        with contextlib.suppress(JournalFailed):
            desk.journal.note(_STATUS, [RunStatus.INCOMPLETE.value, str(error) or repr(error)])
            desk.journal.note(_REFUSED, isinstance(error, UsageError | NothingInScope))
    if isinstance(error, NothingInScope):
        discard_copy(desk.folder)


def _make_room(desk: Desk) -> None:
    """No more answers are on their way, and what comes now is the last that is written."""
    with contextlib.suppress(OSError):
        desk.folder.ballast.unlink(missing_ok=True)


def reopened(journal: Journal) -> None:
    """The run works again."""
    journal.note(_STATUS, None)
    if journal.noted(_REFUSED):
        journal.note(_REFUSED, False)


def state_of(folder: RunFolder) -> RunState:
    """The state of a run, also while another process works on it. Raises JournalFailed."""
    with Journal(folder.journal, folder.id, read_only=True) as journal:
        noted = journal.noted(_STATUS)
        order = journal.noted(_ORDER)
        begun = journal.noted(_STARTED)
        refused = journal.noted(_REFUSED) is True
        lanes, verifications = journal.counts("discover/"), journal.counts("verify/")
    if isinstance(noted, list) and len(noted) == 2:
        status, reason = RunStatus(str(noted[0])), str(noted[1])
    elif locked(folder.lock):
        who = holder(folder.lock)
        status, reason = RunStatus.RUNNING, f"process {who.pid} on {who.host}" if who else ""
    else:
        status, reason = RunStatus.INCOMPLETE, "its process ended without a word"
    known = Order.model_validate(order) if order is not None else None
    return RunState(status, reason, str(begun or ""), known, refused, lanes, verifications)


def stored_report(folder: RunFolder) -> Report | None:
    """The report that the run wrote, None when it wrote none that can be read."""
    try:
        return Report.model_validate_json(folder.report.read_bytes())
    except (OSError, ValueError):
        return None
