"""Puts the ledger of a folder together, from what is there. The same record gives the same ledger: no clock is asked."""

import datetime
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from devlog.entry import Entry
from devlog.ledger import figures
from devlog.ledger.code import Code, count
from devlog.ledger.models import Asked, asked
from devlog.ledger.period import Period, day_of
from devlog.ledger.record import Checkpoint, Day, Decision, Flow, Ledger
from devlog.ledger.runs import Owed, Run, Runs, debt, runs_of
from devlog.ledger.waivers import Waivers, waivers_of
from devlog.store import Devlog
from harness.config import load
from harness.errors import NothingInScope, UsageError
from harness.files import displayable
from harness.repo.chronicle import Chronicle, Committed, chronicle
from harness.schema.waiver import Waiver


class Gathered(NamedTuple):
    """All that the figures are made of, cut to the period."""

    period: Period
    last: datetime.date
    """Last day with anything on record."""
    devlog: Path
    """Folder of the entries, as a person wrote it."""
    entries: tuple[Entry, ...]
    faults: tuple[str, ...]
    """What is wrong with the devlog."""
    commits: tuple[Committed, ...]
    chronicle: Chronicle
    """All commits."""
    runs: tuple[Run, ...]
    """Runs of the period."""
    record: Runs
    """All runs."""
    asked: Asked
    owed: Owed
    waivers: tuple[Waiver, ...]
    decided: Waivers
    """All decisions."""
    head: str | None
    """Commit at which code was counted, None for the folder as it is."""
    code: Code | None
    trouble: str
    """Why code was not counted."""


def gather(root: Path, period: Period, devlog: Path, title: str = "") -> Ledger:
    """The ledger. `devlog` is the folder of entries, from `root`. Raises NothingInScope when the period is empty,
    UsageError, ConfigError."""
    log = Devlog(root / devlog).examined()
    history = chronicle(root)
    record = runs_of(root)
    decided = waivers_of(root)
    entries = tuple(e for e in log.entries if period.holds(e.date))
    commits = tuple(c for c in history.commits if period.holds(day_of(c.at)))
    runs = tuple(run for run in record.runs if period.holds(run.day))
    waivers = tuple(w for w in decided.waivers if period.holds(w.date))
    days = _days(entries, commits, runs)
    recorded = sorted({day.day for day in days} | {w.date for w in waivers})
    if not recorded:
        raise NothingInScope(_nothing(root, period), hint=_sources(devlog, history, record))
    head = next((c.id for c in history.commits if period.until is None or _before(c, period.until)), None)
    code, trouble = _code(root, head)
    known = [run for run in record.runs if period.until is None or run.day <= period.until]
    found = Gathered(
        period=period, last=recorded[-1], devlog=devlog, entries=entries, faults=tuple(log.faults), commits=commits,
        chronicle=history, runs=runs, record=record, asked=asked(record.runs, record.endless, period),
        owed=debt(known, period), waivers=waivers, decided=decided, head=head, code=code, trouble=trouble,
    )  # fmt: skip
    flow = _flow(runs)
    return Ledger(
        target=displayable(title or root.resolve().name, keep="") or "/",
        head=head,
        since=period.since,
        until=period.until,
        first=recorded[0],
        last=recorded[-1],
        figures=figures.figures(found, flow),
        days=days,
        flow=flow,
        models=found.asked.taken,
        decisions=_decisions(waivers, recorded[-1]),
        debt=found.owed.claims,
        checkpoints=_checkpoints(commits),
        missing=figures.missing(found),
    )


def _days(entries: Sequence[Entry], commits: Sequence[Committed], runs: Sequence[Run]) -> tuple[Day, ...]:
    committed = Counter(day for c in commits if (day := day_of(c.at)))
    written, ran = Counter(e.date for e in entries), Counter(run.day for run in runs)
    return tuple(
        Day(day=day, commits=committed[day], entries=written[day], runs=ran[day])
        for day in sorted(committed.keys() | written.keys() | ran.keys())
    )


def _nothing(root: Path, period: Period) -> str:
    where = displayable(str(root.resolve()), keep="")
    if period.since and period.until:
        return f"nothing is recorded of {where} from {period.since} to {period.until}"
    if period.since:
        return f"nothing is recorded of {where} since {period.since}"
    return f"nothing is recorded of {where}" + (f" until {period.until}" if period.until else "")


def _sources(devlog: Path, history: Chronicle, record: Runs) -> str:
    commits = history.missing or f"{len(history.commits)} commits"
    said = f"Looked at: {devlog}, git ({commits}), {len(record.runs)} runs, .harness/waivers.toml."
    return displayable(said, keep="")


def _before(commit: Committed, until: datetime.date) -> bool:
    day = day_of(commit.at)
    return day is not None and day <= until


def _code(root: Path, head: str | None) -> tuple[Code | None, str]:
    exclude = load(root, {}).settings.exclude
    try:
        return count(root, head, exclude), ""
    except UsageError as error:
        return None, displayable(f"code cannot be counted: {error}", keep="")


def _flow(runs: Sequence[Run]) -> Flow:
    counted = [run.line for run in runs if run.line.raised is not None]
    names = ("raised", "admitted", "confirmed", "uncertain", "dismissed", "unverified")
    return Flow(runs=len(counted), **{name: sum(getattr(line, name) or 0 for line in counted) for name in names})


def _decisions(waivers: Sequence[Waiver], last: datetime.date) -> tuple[Decision, ...]:
    return tuple(
        Decision(kind=w.kind, rule=w.rule, path=w.path, reason=w.reason, author=w.author, date=w.date, until=w.until,
                 expired=w.until is not None and w.until < last)
        for w in sorted(waivers, key=lambda w: (w.date, w.fingerprint))
    )  # fmt: skip


def _checkpoints(commits: Sequence[Committed]) -> tuple[Checkpoint, ...]:
    return tuple(
        Checkpoint(commit=c.id, day=day, subject=c.subject, trailer=c.checkpoint)
        for c in reversed(commits)
        if c.checkpoint and (day := day_of(c.at))
    )
