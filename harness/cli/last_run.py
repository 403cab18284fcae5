"""The report that commands about findings speak of: that of the last run which wrote one."""

import difflib
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
        raise UsageError(f"run {self.report.run.id} has no finding {wanted!r}", hint=hint)


def last_run(root: Path) -> LastRun:
    """The last run of `root` that has a report. Raises UsageError."""
    state = State(root)
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


def _elsewhere(root: Path) -> str:
    return f"Start one: harness audit {root} · or name the folder that was audited: --repo FOLDER"


def _rechecks(folder: RunFolder) -> bool:
    try:
        with Journal(folder.journal, folder.id, read_only=True) as journal:
            return order_of(journal).recheck
    except JournalFailed:
        return True
