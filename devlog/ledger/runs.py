"""What `runs.tsv` says of the runs of a folder, and what their reports say of claims without a verdict.

`runs.tsv` is the source. A run that ended before there was one is read from its own report; one that has neither was
killed, or is still at work, and only what its models took is known.
"""

import datetime
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from devlog.ledger.period import Period, day_of_text
from devlog.ledger.record import Debt
from harness.errors import UsageError
from harness.files import displayable
from harness.journal.register import RunLine, read
from harness.schema.run import Counts, RunInfo, Usage
from harness.state import REGISTER, RunFolder, State


class Run(NamedTuple):
    """One run that ended."""

    line: RunLine
    """Its last line, or what that would be by its report."""
    day: datetime.date
    """When it began, UTC."""
    folder: RunFolder
    """Where it was kept; may be gone."""


class Runs(NamedTuple):
    """All runs of a folder."""

    place: str
    """Where they are kept, for people."""
    runs: tuple[Run, ...]
    """That ended, oldest first."""
    from_reports: int
    """How many of them are not in `runs.tsv`."""
    endless: tuple[RunFolder, ...]
    """Folders of runs that have neither line nor report."""
    unreadable: int
    """Lines of `runs.tsv` that cannot be read."""
    missing: str = ""
    """Why there are none to be read, '' when that is not so."""


def runs_of(root: Path) -> Runs:
    """The runs of the folder `root`, as this user's record on this machine has them."""
    try:
        state = State(root)
        place = ".harness/runs" if state.runs.parent.name == ".harness" else "the user's state directory"
        register = read(state.runs / REGISTER)
        folders = {folder.id: folder for folder in state.all_runs()}
    except (OSError, UsageError) as error:
        return Runs("", (), 0, (), 0, displayable(f"the record of runs cannot be read: {error}", keep=""))
    lines = {(line.run, line.started): line for line in register.lines}
    listed = {line.run for line in lines.values()}
    reported = {name: line for name, at in folders.items() if name not in listed and (line := _by_report(at))}
    found = [
        Run(line, day, folders.get(line.run, RunFolder(line.run, state.runs / line.run)))
        for line in (*lines.values(), *reported.values())
        if (day := day_of_text(line.started)) is not None
    ]
    endless = tuple(at for name, at in folders.items() if name not in listed and name not in reported)
    found.sort(key=lambda run: (run.line.started, run.line.run))
    return Runs(place, tuple(found), len(reported), endless, register.unreadable)


def _by_report(folder: RunFolder) -> RunLine | None:
    try:
        report = json.loads(folder.report.read_bytes())
        run = RunInfo.model_validate(report["run"])
        counts = Counts.model_validate({name: report["stats"][name] for name in Counts.model_fields})
        used = Usage.model_validate(report["usage"])
        review = report.get("review")
        kind = "gate" if review and review["whole"] else "review" if review else _kind(report)
        return RunLine.model_validate(
            {
                "run": folder.id, "kind": kind, "started": run.started.isoformat(), "seconds": run.seconds,
                "status": run.status.value, "exit_code": 0 if run.status == "complete" else 3,
                "base": run.base or "", "head": run.head or "", "models": " ".join(run.models),
                **counts.model_dump(exclude={"duplicates"}),
                **used.model_dump(include=RunLine.model_fields.keys() & Usage.model_fields.keys()),
            }
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, ValidationError):
        return None


def _kind(report: "dict[str, object]") -> str:
    return "recheck" if report.get("rechecked") else "verify" if report.get("imported") else "audit"


class Owed(NamedTuple):
    """Claims that never got a verdict."""

    claims: tuple[Debt, ...]
    """Oldest first."""
    untold: int
    """Claims whose report is gone, so that nobody knows whether a later run judged them."""


def debt(runs: Sequence[Run], period: Period) -> Owed:
    """Claims that a run of the period left without a verdict, and that no later run judged."""
    open_: dict[str, Debt] = {}
    untold = 0
    for run in runs:
        left = run.line.unverified or 0
        fresh = left and period.holds(run.day)
        if not open_ and not fresh:
            continue
        try:
            raw = run.folder.report.read_bytes()
        except OSError:
            untold += left if fresh else 0
            continue
        if not left and not any(fingerprint.encode() in raw for fingerprint in open_):
            continue
        for claim, verdict in _claims(raw, run):
            if verdict == "UNVERIFIED":
                if fresh:
                    open_.setdefault(claim.fingerprint, claim)
            else:
                open_.pop(claim.fingerprint, None)
    return Owed(tuple(open_.values()), untold)


def _claims(raw: bytes, run: Run) -> Iterator[tuple[Debt, str]]:
    try:
        report = json.loads(raw)
        for f in report["findings"]:
            yield (
                Debt(fingerprint=f["fingerprint"], rule=f["rule"], path=f["path"], line=f["line"], run=run.line.run,
                     day=run.day, reason=f.get("reason") or ""),
                f["verdict"],
            )  # fmt: skip
    except (ValueError, KeyError, TypeError):
        return
