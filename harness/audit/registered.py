"""Writes a run into `runs.tsv` when it ends, however it ends. `harness.journal.register` owns the file."""

from typing import Literal

from harness.audit.desk import Desk
from harness.audit.order import Order
from harness.audit.spending import usage
from harness.errors import ExitCode, HarnessError, Interrupted, NothingInScope, UsageError
from harness.journal.register import RunLine, append
from harness.schema.run import Report, Usage


def register(desk: Desk, line: RunLine) -> None:
    """Add the line. A list that cannot be written costs no result: people are told, and the report has it all."""
    if not desk.working:
        return
    try:
        append(desk.folder.register, line)
    except OSError as error:
        desk.warn(f"{desk.folder.register.name} cannot be written: {error.strerror or error}")


def kind(order: Order) -> Literal["audit", "verify", "recheck", "review", "gate"]:
    """What a run does, by its order."""
    if order.change is not None:
        return "gate" if order.change.gate else "review"
    if order.recheck:
        return "recheck"
    return "verify" if order.imported else "audit"


def line_of(order: Order, report: Report, code: int) -> RunLine:
    """The line of a run that has a report."""
    run, stats = report.run, report.stats
    return RunLine(
        run=run.id, kind=kind(order), started=run.started.isoformat(), seconds=round(run.seconds, 3),
        status="complete" if run.status == "complete" else "incomplete", exit_code=code,
        base=run.base or "", head=run.head or "", models=" ".join(run.models),
        raised=stats.raised, admitted=stats.admitted, confirmed=stats.confirmed, uncertain=stats.uncertain,
        dismissed=stats.dismissed, unverified=stats.unverified,
    ).model_copy(update=_taken(report.usage))  # fmt: skip


def line_without_report(desk: Desk, started: str, seconds: float, error: BaseException) -> RunLine:
    """The line of a run that broke off. What it had found is not counted: nobody has put it together."""
    change = desk.order.change
    return RunLine(
        run=desk.folder.id, kind=kind(desk.order), started=started, seconds=round(seconds, 3),
        status="refused" if isinstance(error, UsageError | NothingInScope) else "incomplete",
        exit_code=error.exit_code if isinstance(error, HarnessError | Interrupted) else ExitCode.BUG,
        base=(change.base if change else None) or "", head=(change.head or change.at if change else None) or "",
        models=" ".join(desk.models.specs) if desk.models else "",
    ).model_copy(update=_taken(usage(desk.folder, 0) if desk.models else Usage()))  # fmt: skip


def _taken(used: Usage) -> dict[str, object]:
    names = ("calls", "input_tokens", "cached_tokens", "output_tokens", "cost", "unpriced")
    return {name: getattr(used, name) for name in names}
