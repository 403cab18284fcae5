"""From the command line to a report on disk: checks before anything is made, one session, what is printed and returned."""

import os
import sys
from pathlib import Path
from typing import Literal, NamedTuple

import click

import harness
from agent import pipeline
from agent.deliver import deliver, require_place
from agent.desk import Desk
from agent.milestones import Milestones, milestones
from agent.models import connected
from agent.order import ReportOrder
from agent.records import Scan, Settings
from agent.scan import scan
from agent.session import Session, opened, sessions_home
from agent.telling import to_both
from agent.tex.compile import probe
from harness.budget import parse
from harness.clock import Clock, SystemClock
from harness.digest import source_digest
from harness.errors import ExitCode, HarnessError, Interrupted, NothingInScope, SandboxUnavailable, UsageError
from harness.events import RunStarted, Sink, silent
from harness.files import displayable, sha256
from harness.progress import ProgressLines
from harness.sandbox.base import Sandbox
from harness.stopping import stoppable


class Asked(NamedTuple):
    """The command line."""

    data: Path
    out: Path
    settings: Settings
    sessions: Path | None = None
    """Where sessions are kept, None for the user's state."""
    model: str | None = None
    cheap_model: str | None = None
    bibliography: Path | None = None
    budget: tuple[str, ...] = ()
    record: Path | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    fresh: bool = False


class _Means(NamedTuple):
    sandbox: Sandbox | None
    no_sandbox: str


def make(asked: Asked, *, quiet: bool = False, clock: Clock | None = None) -> int:
    """Make the report and print where it is. Raises UsageError, NothingInScope before anything is made."""
    clock = clock or SystemClock()
    parse(asked.budget)
    require_place(asked.out, asked.data)
    try:
        found = scan(asked.data)
    except OSError as error:
        raise UsageError(f"{displayable(str(asked.data))} cannot be read: {error.strerror}") from error
    if all(file.problem for file in found.files):
        raise NothingInScope(
            f"{displayable(asked.data.name)} holds nothing that can be read ({len(found.files)} entries)",
            hint="Name the folder that holds the measurements or notes themselves.",
        )
    means = _means()
    order = _order(asked, found, means)
    tell: Sink = silent if quiet else ProgressLines(sys.stderr, os.environ)
    home = asked.sessions or sessions_home(asked.data)
    with stoppable():
        try:
            with opened(order, home, clock, fresh=asked.fresh) as session:
                return _conduct(session, found, means, asked.out, tell, clock)
        finally:
            if isinstance(tell, ProgressLines):
                tell.close()


def _conduct(session: Session, found: Scan, means: _Means, out: Path, tell: Sink, clock: Clock) -> int:
    order = session.order
    plan = milestones(order.settings, model=order.model is not None, xelatex=bool(order.xelatex))
    tell(RunStarted(run=session.folder.id, headline=_headline(session, found, plan), stages=plan))
    told = Milestones(plan, to_both(session.events, tell))
    if session.continued:
        told.warn(f"session {session.folder.id} is continued; --fresh starts anew")
    if means.no_sandbox:
        told.warn(f"no figures and no PDF: {means.no_sandbox}")
    elif order.settings.compile and not order.xelatex:
        told.warn("xelatex is not here, so there is no PDF; report.zip compiles elsewhere")
    try:
        with connected(order, session.folder) as askers:
            made = pipeline.make(Desk(order, session, found, told, clock, askers, means.sandbox))
        checks = deliver(made, session, found, out)
    except Interrupted:
        session.conclude("incomplete", "interrupted")
        told.end("incomplete", "interrupted; the same command continues it")
        raise Interrupted("everything finished is kept; the same command continues it") from None
    except HarnessError as error:
        session.conclude("incomplete", str(error))
        told.end("incomplete", str(error))
        raise
    status: Literal["complete", "incomplete"] = "incomplete" if made.reasons else "complete"
    session.conclude(status, "; ".join(made.reasons))
    told.end(status, "; ".join(made.reasons))
    compiled = made.mended.compiled if made.mended else None
    first = f"report.pdf, {pipeline.counted(compiled.pages, 'page')}" if compiled and compiled.ok else "report.tex"
    click.echo(displayable(str(out / first), keep=""))
    click.echo(displayable(f"{out / 'report.zip'}", keep=""))
    click.echo(displayable(f"{out / 'checks.md'}, {checks} to look at", keep=""))
    for reason in made.reasons:
        click.echo(displayable(f"incomplete: {reason}", keep=""), err=True)
    return ExitCode.INCOMPLETE if made.reasons else ExitCode.PASS


def _headline(session: Session, found: Scan, plan: tuple[str, ...]) -> str:
    """What runs, on what, with which backend; the first line a person reads."""
    order = session.order
    models = (
        "offline" if not order.model else " · ".join(dict.fromkeys((order.cheap_model or order.model, order.model)))
    )
    tex = "xelatex" if order.xelatex else "no PDF"
    name, files = Path(order.data).name, pipeline.counted(len(found.files), "file")
    return f"harness {harness.__version__} · {models} · {name} ({files}) · {tex} · {len(plan)} milestones"


def _means() -> _Means:
    from harness.sandbox.probe import find_sandbox

    try:
        return _Means(find_sandbox(), "")
    except SandboxUnavailable as error:
        return _Means(None, f"{error}. {error.hint}".strip())


def _order(asked: Asked, found: Scan, means: _Means) -> ReportOrder:
    settings = asked.settings
    if means.sandbox is None:
        settings = settings.model_copy(update={"figures": False, "compile": False})
    bibliography = ""
    if asked.bibliography:
        try:
            bibliography = asked.bibliography.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{displayable(str(asked.bibliography))} cannot be read: {error}") from error
    return ReportOrder(
        data=str(asked.data),
        material=sha256(found.model_dump_json()),
        settings=settings,
        model=asked.model,
        cheap_model=asked.cheap_model if asked.model else None,
        xelatex=probe() if settings.compile else "",
        bibliography=bibliography,
        budget=asked.budget,
        record=str(asked.record) if asked.record else None,
        requests_per_minute=asked.requests_per_minute,
        tokens_per_minute=asked.tokens_per_minute,
        code=source_digest(("harness", "agent")),
        version=harness.__version__,
    )
