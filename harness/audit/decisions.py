"""People's decisions about findings, applied in one place: waivers, inline suppressions, the baseline, in that order.

A decision hides a finding from the gate, never from the report. One that speaks of nothing is reported as unused.
"""

import datetime
import difflib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.audit import baseline as baselines
from harness.audit import waivers as waiver_file
from harness.audit.baseline import Baseline, Known
from harness.audit.suppress import Malformed, Suppression, suppressions
from harness.schema.finding import Finding
from harness.schema.run import Skip
from harness.schema.verdict import Verdict
from harness.schema.waiver import Waiver
from harness.source.project import Project


class Decisions(NamedTuple):
    """What was decided, read from the revision that is trusted (the base of a change under review)."""

    waivers: tuple[Waiver, ...] = ()
    """Of `.harness/waivers.toml`."""
    baseline: Baseline = Baseline()
    """Of `.harness/baseline.json`."""
    inline: bool = True
    """Whether comments in the code count at all."""
    added: Mapping[str, frozenset[int]] = {}
    """Lines that the change under review added, by path; a suppression on one of them, or for one, does not count."""


class Scope(NamedTuple):
    """Which rules this run knows of, so that a decision about a rule that was not looked for is not called unused."""

    looked_for: frozenset[str] | None = None
    """Rules of lanes that were done; None means all."""
    known: frozenset[str] = frozenset()
    """All rules there are; empty means that none is called unknown."""


class Applied(NamedTuple):
    """The result."""

    findings: tuple[Finding, ...]
    """In the order given, with `waiver` and `suppressed` filled in."""
    unused: tuple[Skip, ...]
    """Decisions that hide nothing, by file, with the reason."""


def read(root: Path) -> Decisions:
    """The decisions kept in the folder `root`. Raises ConfigError."""
    return Decisions(waivers=waiver_file.read(root / waiver_file.FILE), baseline=baselines.read(root / baselines.FILE))


def apply(
    findings: Sequence[Finding],
    project: Project,
    decisions: Decisions,
    *,
    today: datetime.date,
    scope: Scope = Scope(),  # noqa: B008  # an immutable record
) -> Applied:
    """Apply `decisions` as of `today`. A dismissed finding needs no decision and uses none."""
    waived = {w.fingerprint: w for w in decisions.waivers if waiver_file.holds(w, today)}
    known = {k.fingerprint: k for k in decisions.baseline.findings}
    inline = _Inline(project, decisions)
    done = tuple(
        f if f.verdict is Verdict.DISMISSED else _decide(f, waived.get(f.fingerprint), inline, known.get(f.fingerprint))
        for f in findings
    )
    alive = [f.fingerprint for f in findings if f.verdict is not Verdict.DISMISSED]
    stale = [
        Skip(path=waiver_file.FILE, reason=f"waiver of {w.rule or 'a finding'} {w.fingerprint[:8]} {why}")
        for w, why in waiver_file.unused(decisions.waivers, alive, today)
        if not waiver_file.holds(w, today) or _could_be_seen(w, project, scope)
    ]
    return Applied(done, (*stale, *inline.unused(scope)))


def _could_be_seen(waiver: Waiver, project: Project, scope: Scope) -> bool:
    """Whether the run would have raised the finding if it were there: not seen is not resolved."""
    looked_for = scope.looked_for is None or not waiver.rule or waiver.rule in scope.looked_for
    return looked_for and (not waiver.path or waiver.path in project.entries)


def _decide(finding: Finding, waiver: Waiver | None, inline: "_Inline", known: Known | None) -> Finding:
    reason = inline.reason(finding)
    if waiver is not None:
        return finding.model_copy(update={"waiver": waiver})
    if reason is not None:
        return finding.model_copy(update={"suppressed": f"inline: {reason}"})
    if known is not None and baselines.hides(known, finding):
        return finding.model_copy(update={"suppressed": f"baseline: known as {known.severity} {known.verdict}"})
    return finding


class _Inline:
    """The suppressions of a project, and which rule of which was used."""

    def __init__(self, project: Project, decisions: Decisions) -> None:
        found: Iterable[Suppression | Malformed] = suppressions(project) if decisions.inline else ()
        self._problems: list[tuple[str, int, str]] = []
        self._by_path: dict[str, list[Suppression]] = {}
        self._used: set[tuple[str, int, str]] = set()
        for item in found:
            if isinstance(item, Malformed):
                self._problems.append((item.path, item.line, item.problem))
            elif item.line in (changed := decisions.added.get(item.path, frozenset())):
                self._problems.append((item.path, item.line, "was added by the change under review and does not count"))
            elif not changed.isdisjoint(range(item.target, item.last + 1)):
                self._problems.append((item.path, item.line, "was there for code that the change under review edits"))
            else:
                self._by_path.setdefault(item.path, []).append(item)

    def reason(self, finding: Finding) -> str | None:
        """Reason of the suppression that speaks for the finding."""
        for item in self._by_path.get(finding.path, ()):
            speaks = finding.line <= item.last and item.target <= finding.end_line
            if speaks and finding.rule in item.rules:
                self._used.add((item.path, item.line, finding.rule))
                return item.reason
        return None

    def unused(self, scope: Scope) -> list[Skip]:
        """What suppressed nothing, by path and line."""
        found = list(self._problems)
        for items in self._by_path.values():
            for item in items:
                for rule in item.rules:
                    if (item.path, item.line, rule) not in self._used and (why := _why_unused(rule, scope)):
                        found.append((item.path, item.line, why))
        return [Skip(path=path, reason=f"line {line}: harness: ignore {why}") for path, line, why in sorted(found)]


def _why_unused(rule: str, scope: Scope) -> str:
    if scope.known and rule not in scope.known:
        near = difflib.get_close_matches(rule, scope.known, n=1)
        return f"[{rule}] names a rule that does not exist" + (f"; did you mean {near[0]}?" if near else "")
    if scope.looked_for is not None and rule not in scope.looked_for:
        return ""
    return f"[{rule}] suppresses nothing: remove it"
