"""`.harness/baseline.json`: what was known when the tool was adopted, so that only what is new stops a merge.

One entry a finding, by fingerprint, never a line number, so it hides exactly the findings it names and no new one. An
entry that was written for a finding without proof does not hide it once it is CONFIRMED. A baseline only shrinks by
itself (`shrunk`); it grows by `harness baseline write` alone.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from harness.audit.decision_files import read_text, write_text
from harness.errors import ConfigError
from harness.schema.base import Record
from harness.schema.finding import Finding, Severity
from harness.schema.run import Report, RunStatus
from harness.schema.verdict import Verdict

FILE = ".harness/baseline.json"


class Known(Record):
    """One finding that was there before."""

    fingerprint: str
    """Which finding."""
    rule: str
    """Its rule, for readers."""
    path: str
    """Its file; an entry can only be dropped when this file was looked at, or is gone."""
    severity: Severity
    """Its severity when it was written."""
    verdict: Verdict
    """Its verdict when it was written."""


class Baseline(Record):
    """The file."""

    version: Literal["harness.baseline/1"] = "harness.baseline/1"
    """Version of this shape."""
    findings: tuple[Known, ...] = ()
    """By path, rule, fingerprint."""


def read(path: Path) -> Baseline:
    """The baseline of a file; an empty one when there is no file. Raises ConfigError."""
    text = read_text(path)
    return Baseline() if text is None else parse(text, FILE)


def parse(text: str, where: str) -> Baseline:
    """The baseline in a text. Raises ConfigError."""
    try:
        return Baseline.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        hint = "Write it anew: harness baseline write"
        raise ConfigError(f"{where}: {place + ': ' if place else ''}{first['msg'].lower()}", hint=hint) from error


def write(path: Path, baseline: Baseline) -> None:
    """Put the baseline at `path`, whole or not at all, one entry a line so that a diff shows findings. Raises OSError."""
    lines = ",\n".join(f"    {json.dumps(known.model_dump(mode='json'))}" for known in baseline.findings)
    body = f"[\n{lines}\n  ]" if lines else "[]"
    write_text(path, f'{{\n  "version": {json.dumps(baseline.version)},\n  "findings": {body}\n}}\n')


def of(findings: Iterable[Finding]) -> Baseline:
    """A baseline of these findings, but dismissed, waived and inline-suppressed ones, which need no entry."""
    known = {
        f.fingerprint: Known(
            fingerprint=f.fingerprint, rule=f.rule, path=f.path, severity=f.severity, verdict=f.verdict
        )
        for f in findings
        if f.verdict is not Verdict.DISMISSED and f.waiver is None and not (f.suppressed or "").startswith("inline")
    }
    return Baseline(findings=tuple(sorted(known.values(), key=lambda k: (k.path, k.rule, k.fingerprint))))


def replaced(before: Baseline, report: Report, looked_for: Iterable[str]) -> Baseline:
    """A baseline of the findings of a run, with the entries of rules that it did not look for as they were."""
    rules = set(looked_for)
    fresh = of(report.findings)
    there = {known.fingerprint for known in fresh.findings}
    kept = [k for k in before.findings if k.rule not in rules and k.fingerprint not in there]
    return Baseline(findings=tuple(sorted((*fresh.findings, *kept), key=lambda k: (k.path, k.rule, k.fingerprint))))


def hides(known: Known, finding: Finding) -> bool:
    """Whether the entry still speaks for the finding: not when it got more severe, or was proved since."""
    proved = finding.verdict is Verdict.CONFIRMED and known.verdict is not Verdict.CONFIRMED
    return finding.severity.rank <= known.severity.rank and not proved


def shrunk(baseline: Baseline, report: Report, looked_for: Iterable[str]) -> Baseline:
    """The baseline without entries that a complete run no longer finds, so that they cannot hide a relapse.

    An entry goes when its rule was looked for (`looked_for`) and its file was neither out of scope nor skipped by a
    lane. All others stay: not seen is not resolved.
    """
    if report.run.status is not RunStatus.COMPLETE:
        return baseline
    seen = {f.fingerprint for f in report.findings if f.verdict is not Verdict.DISMISSED}
    rules = set(looked_for)
    outside = tuple(skip.path for skip in report.coverage.excluded)
    skipped = {skip.path for lane in report.coverage.lanes for skip in lane.skipped}

    def stays(known: Known) -> bool:
        if known.fingerprint in seen or known.rule not in rules or known.path in skipped:
            return True
        return any(known.path == out or (out.endswith("/") and known.path.startswith(out)) for out in outside)

    return baseline.model_copy(update={"findings": tuple(k for k in baseline.findings if stays(k))})
