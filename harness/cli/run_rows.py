"""One line a run: what was asked for, on what, and what came of it."""

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.audit.order import Order
from harness.audit.status import RunState
from harness.schema.run import Counts, RunInfo
from harness.state import RunFolder


class _Outcome(BaseModel):
    """The parts of a report that a line shows; the rest, which may be long, is not built."""

    model_config = ConfigDict(extra="ignore")

    run: RunInfo
    stats: "_Verdicts"


class _Verdicts(Counts):
    model_config = ConfigDict(extra="ignore")


class Row(NamedTuple):
    """What a line says."""

    id: str
    started: str
    """To the minute, UTC."""
    kind: str
    """audit, review, gate, verify or recheck."""
    what: str
    """Profile, dimensions, or the change."""
    revision: str
    """Seven digits, `+` with uncommitted changes; `-` for a plain folder."""
    status: str
    verdicts: str
    """Counts of what was found, '' without a report."""
    reason: str

    def text(self) -> str:
        """The line."""
        head = f"{self.id}  {self.started:<16}  {self.kind:<7}  {self.what:<22}  {self.revision:<8}  {self.status:<10}"
        return "  ".join(part for part in (head, self.verdicts, self.reason) if part).rstrip()


def row(folder: RunFolder, state: RunState) -> Row:
    """The line of one run."""
    outcome = _outcome(folder)
    return Row(
        folder.id,
        state.started[:16].replace("T", " "),
        kind_of(state.order),
        what_of(state.order),
        _revision(outcome),
        state.status.value,
        verdicts_of(outcome.stats) if outcome is not None else "",
        state.reason,
    )


def kind_of(order: Order | None) -> str:
    """What sort of run it is; `?` when it died before it was recorded."""
    if order is None:
        return "?"
    if order.change is not None:
        return "gate" if order.change.gate else "review"
    if order.imported is not None:
        return "recheck" if order.recheck else "verify"
    return "audit"


def what_of(order: Order | None) -> str:
    """Its dimensions, or the change that it looked at."""
    if order is None:
        return ""
    change = order.change
    if change is not None:
        head = (
            "patch"
            if change.patch is not None
            else "index"
            if change.staged
            else change.ref
            if change.head
            else "work tree"
        )
        return f"{(change.base or 'nothing')[:7]}..{head}"
    if order.imported is not None:
        return "findings"
    return ",".join(order.dimensions) or order.profile


def verdicts_of(stats: Counts) -> str:
    """`2 confirmed, 1 open`; `nothing found` when there was nothing to judge."""
    parts = [
        f"{count} {name}"
        for name, count in (
            ("confirmed", stats.confirmed),
            ("open", stats.uncertain),
            ("dismissed", stats.dismissed),
            ("unverified", stats.unverified),
        )
        if count
    ]
    return ", ".join(parts) or "nothing found"


def _outcome(folder: RunFolder) -> _Outcome | None:
    try:
        return _Outcome.model_validate_json(folder.report.read_bytes())
    except (OSError, ValidationError):
        return None


def _revision(outcome: _Outcome | None) -> str:
    if outcome is None or outcome.run.head is None:
        return "-"
    return outcome.run.head[:7] + ("+" if outcome.run.dirty else "")
