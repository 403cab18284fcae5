"""Puts a finished report where the user wants it: each file appears whole, and nothing of an older report stays among them."""

import shutil
from pathlib import Path

import harness
from agent.checks import CheckList, unread
from agent.data.trace import numbers_in, untraced
from agent.milestones import ReportEvent
from agent.pipeline import BIBLIOGRAPHY, MAIN, Made
from agent.records import Quantity, Scan, Settings
from agent.session import Session
from agent.skeleton import without_appendix
from agent.tex.compile import last_good
from agent.tex.export import export
from agent.trace import Trace, stages_of, usage_of
from harness.errors import UsageError
from harness.files import displayable, write_atomic
from harness.llm.ledger import Ledger

TRACE, CHECKS, ZIP, PDF, LOG, FIGURES = "trace.json", "checks.md", "report.zip", "report.pdf", "report.log", "figures"
UNCOMPILED = "report-uncompiled.tex"
"""The text that does not compile, beside the last pair that did."""
_OURS = (MAIN, PDF, LOG, BIBLIOGRAPHY, ZIP, TRACE, CHECKS, UNCOMPILED)


def require_place(out: Path, data: Path) -> None:
    """Raises UsageError when a report must not be put there: inside the data folder, or among other things."""
    real = out.resolve()
    if real == data.resolve() or real.is_relative_to(data.resolve()):
        raise UsageError(
            f"{displayable(str(out))} is inside the data folder, which is only read",
            hint="Name a place outside: -o DIR.",
        )
    if out.exists() and not out.is_dir():
        raise UsageError(f"{displayable(str(out))} is no folder", hint="Name a folder: -o DIR.")
    if out.is_dir() and any(out.iterdir()) and not (out / TRACE).is_file():
        raise UsageError(
            f"{displayable(str(out))} is not empty and holds no report", hint="Name a new or empty folder: -o DIR."
        )


def deliver(made: Made, session: Session, scan: Scan, out: Path) -> int:
    """Write everything to `out` and return how many points its check list has. Raises UsageError when it cannot be written."""
    work = session.folder.work
    checks = _checks(made, scan, session.order.settings)
    compiled = made.mended.compiled if made.mended else None
    good = last_good(work) if compiled is not None and not compiled.ok else None
    trace = _trace(made, session)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in _OURS:
            (out / name).unlink(missing_ok=True)
        shutil.rmtree(out / FIGURES, ignore_errors=True)
        write_atomic(out / TRACE, trace.to_json())
        write_atomic(out / CHECKS, checks.markdown())
        if good:
            write_atomic(out / UNCOMPILED, made.tex)
        write_atomic(out / MAIN, good.tex.read_bytes() if good else made.tex)
        if good or (compiled and compiled.ok):
            write_atomic(out / PDF, (good.pdf if good else work / PDF).read_bytes())
        if made.bib:
            write_atomic(out / BIBLIOGRAPHY, made.bib)
        if compiled is not None and (work / LOG).is_file():
            write_atomic(out / LOG, (work / LOG).read_bytes())
        for figure in made.figures:
            write_atomic(out / figure.path, (work / figure.path).read_bytes())
        export(out, out / ZIP, diagnosis=compiled.diagnosis if compiled else None)
    except OSError as error:
        raise UsageError(f"cannot write to {displayable(str(out))}: {error.strerror or error}") from error
    return checks.open


def _checks(made: Made, scan: Scan, settings: Settings) -> CheckList:
    printed = without_appendix(made.tex, made.quantities, settings) if settings.appendix else made.tex
    names = (*(file.path for file in scan.files), settings.title, settings.author)
    return CheckList(
        reasons=made.reasons,
        offline=not made.by_model,
        untraced=untraced(printed, made.quantities, (*made.reading.words, *names)),
        unknown_keys=made.unknown_keys,
        gaps=made.gaps,
        unread=unread(scan, made.reading.used, made.reading.readings.problems),
        changes=(*made.changes, *(made.mended.changes if made.mended else ())),
        compiled=made.mended.compiled if made.mended else None,
    )


def _printed(made: Made) -> tuple[Quantity, ...]:
    """The quantities whose text the report prints."""
    texts = {number.text for number in numbers_in(made.tex)}
    return tuple(q for q in made.quantities if q.text in texts)


def _trace(made: Made, session: Session) -> Trace:
    order = session.order
    events = []
    last = 0
    while told := session.events.after(last):
        events += [ReportEvent.model_validate(one.event) for one in told]
        last = told[-1].id
    exploration = made.explored.exploration
    return Trace(
        version=harness.__version__,
        session=session.folder.id,
        data=Path(order.data).name,
        material=order.material,
        settings=order.settings,
        models=(order.cheap_model or order.model, order.model) if order.model else (),
        xelatex=order.xelatex if made.mended else "",
        status="incomplete" if made.reasons else "complete",
        reasons=made.reasons,
        stages=stages_of(events),
        exploration=exploration.model_copy(update={"texts": ()}),
        read=made.reading.used,
        explore_requests=made.explored.requests,
        gaps=made.gaps,
        drafted_by="model" if made.by_model else "rules",
        draft_problems=made.drafted.problems if made.drafted else (),
        critiques=tuple(r.critique.changes for r in made.rounds),
        reflect_gate=tuple(r.decision for r in made.rounds),
        changes=(*made.changes, *(made.mended.changes if made.mended else ())),
        repairs=made.mended.notes if made.mended else (),
        compiled=made.mended.compiled if made.mended else None,
        quantities=_printed(made),
        sources=made.reading.sources,
        usage=usage_of(Ledger(session.folder.ledger).entries()),
    )
