"""The report that commands about findings speak of: that of the named run, else of the last one which wrote one."""

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.audit import waivers
from harness.audit.status import order_of, stored_report
from harness.clock import SystemClock
from harness.errors import JournalFailed, UsageError
from harness.journal.journal import Journal
from harness.schema.finding import Finding
from harness.schema.run import Report
from harness.schema.verdict import Verdict
from harness.state import RunFolder, State

RECENT = 8
"""Earlier runs that are searched for what the last one does not have."""


class LastRun(NamedTuple):
    """A report and whose it is."""

    root: Path
    """The audited folder."""
    report: Report
    """Its last report."""

    def as_of_today(self) -> "LastRun":
        """The same run as the waivers of today make it look; they may have changed since. Raises ConfigError."""
        today = SystemClock().now().date()
        held = {w.fingerprint: w for w in waivers.read(self.root / waivers.FILE) if waivers.holds(w, today)}
        findings = tuple(
            f if f.verdict is Verdict.DISMISSED else f.model_copy(update={"waiver": held.get(f.fingerprint)})
            for f in self.report.findings
        )
        return self._replace(report=self.report.model_copy(update={"findings": findings}))

    def finding(self, wanted: str) -> Finding:
        """The finding with this id, or the one whose fingerprint begins so. Raises UsageError that says what there is."""
        known = self.report.findings
        text = wanted.strip().lower()
        found = [f for f in known if f.id == text] or [f for f in known if text and f.fingerprint.startswith(text)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(
                f"{wanted!r} is the beginning of {len(found)} findings",
                hint=f"One of: {', '.join(f.id for f in found[:8])}.",
            )
        near = difflib.get_close_matches(text, [f.id for f in known], n=3)
        hint = f"Did you mean {' or '.join(near)}?" if near else "harness findings list --all"
        if (elsewhere := self._run_with(text)) is not None:
            hint = f"Run {elsewhere} has it: give --run {elsewhere}."
        raise UsageError(f"run {self.report.run.id} has no finding {wanted!r}", hint=hint)

    def _run_with(self, text: str) -> str | None:
        """The newest other run with a finding so called."""
        for report in _recent(self.root, self.report):
            if any(f.id == text or (len(text) > 3 and f.fingerprint.startswith(text)) for f in report.findings):
                return report.run.id
        return None

    def narrower_than(self) -> str | None:
        """What to tell people when this run looked at less than an earlier audit did, None otherwise."""
        own = _dimensions(self.report)
        only = "a change" if self.report.review else ", ".join(sorted(own)) or "findings made elsewhere"
        for report in _recent(self.root, self.report):
            wide = _dimensions(report)
            if not report.review and not report.imported and (own < wide or (self.report.review and own <= wide)):
                return (
                    f"run {self.report.run.id} looked at {only}; "
                    f"what the audit of {len(wide)} dimensions found before: --run {report.run.id}"
                )
        return None


def last_run(root: Path, run_id: str | None = None) -> LastRun:
    """The last run of `root` that has a report, or the one named. Raises UsageError."""
    state = State(root)
    if run_id is not None:
        folder = state.run(run_id)
        report = stored_report(folder)
        if report is None:
            raise UsageError(f"run {folder.id} wrote no report", hint=f"harness resume {folder.id}")
        return LastRun(state.origin, report)
    for folder in reversed(state.all_runs()):
        report = stored_report(folder)
        if report is not None:
            return LastRun(state.origin, report)
    raise UsageError(f"no finished run of {state.origin}", hint=_elsewhere(root))


def reported(root: Path) -> bytes:
    """The last report of `root` as it was written, those of rechecks left out. Raises UsageError when there is none."""
    state = State(root)
    for folder in reversed(state.all_runs()):
        if stored_report(folder) is not None and not _rechecks(folder):
            return folder.report.read_bytes()
    raise UsageError(f"no finished run of {state.origin}", hint=_elsewhere(root))


def _recent(root: Path, but: Report) -> Iterator[Report]:
    """Reports of the latest runs before this one, newest first."""
    before = [f for f in State(root).all_runs() if int(f.id) < int(but.run.id)]
    for folder in reversed(before[-RECENT:]):
        if (report := stored_report(folder)) is not None:
            yield report


def _dimensions(report: Report) -> set[str]:
    return {lane.dimension for lane in report.coverage.lanes}


def _elsewhere(root: Path) -> str:
    return f"Start one: harness audit {root} · or name the folder that was audited: --repo FOLDER"


def _rechecks(folder: RunFolder) -> bool:
    try:
        with Journal(folder.journal, folder.id, read_only=True) as journal:
            return order_of(journal).recheck
    except JournalFailed:
        return True
