"""Where events go: the session's log, and a terminal that knows the events every run has."""

from agent.milestones import ReportEvent, ReportSink
from harness.events import Event, Progress, RunEnded, Sink, StageStarted, Warned
from harness.journal.events import EventLog
from harness.schema.run import RunStatus


def to_both(log: EventLog, tell: Sink) -> ReportSink:
    """A sink that keeps an event before it shows it."""

    def sink(event: ReportEvent) -> None:
        log.append(event.model_dump(mode="json", exclude_defaults=True))
        shown = as_event(event)
        if shown is not None:
            tell(shown)

    return sink


def as_event(event: ReportEvent) -> Event | None:
    """The same as every other run would say it; None for what a terminal does not show."""
    match event.kind:
        case "started":
            return StageStarted(stage=event.stage, index=event.index, total=event.total)
        case "working":
            return Progress(stage=event.stage, done=event.index - 1, total=event.total, note=event.note)
        case "done" | "skipped":
            note = f"skipped: {event.note}" if event.kind == "skipped" else event.note
            return Progress(stage=event.stage, done=event.index, total=event.total, note=note)
        case "warned":
            return Warned(message=event.note)
        case "ended":
            return RunEnded(status=RunStatus(event.status), reason=event.note or None)
    return None
