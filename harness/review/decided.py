"""What was decided before the change, and what the change would decide about itself, which does not count."""

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.audit import baseline as baselines
from harness.audit import waivers as waiver_file
from harness.audit.decisions import Decisions
from harness.audit.suppress import Suppression, in_text
from harness.config import Configuration, load
from harness.errors import ConfigError
from harness.files import sha256
from harness.repo.export import read_files
from harness.repo.which import Which
from harness.review.diff import FileChange
from harness.review.own import own_finding
from harness.review.rules import DECISION
from harness.schema.evidence import Evidence, Tier
from harness.schema.finding import Finding, Severity
from harness.schema.location import Location
from harness.schema.verdict import Verdict
from harness.scratch import scratch
from harness.source.project import Project

CONFIGURATIONS = ("harness.toml", "pyproject.toml")
DECISIONS = (waiver_file.FILE, baselines.FILE)
_WORKFLOWS = (".github/", ".gitlab-ci", ".pre-commit-config", "azure-pipelines", ".circleci/", ".ci/", "Jenkinsfile")
_NAMED = "harness"


class Added(NamedTuple):
    """One decision of the change about itself."""

    at: Location
    what: str


def configuration_at(origin: Path, which: Which | None, flags: Mapping[str, object]) -> Configuration:
    """The settings as the files of a state give them; None means a state without files. Raises ConfigError, UsageError."""
    files = read_files(origin, which, CONFIGURATIONS) if which is not None else {}
    with scratch("base") as folder:
        for name, content in files.items():
            (folder / name).write_bytes(content)
        try:
            return load(folder, flags)
        except ConfigError as error:
            if which is None or which.revision is None:
                raise
            hint = f"It is that of commit {which.revision[:12]}, whose settings count here. {error.hint}".strip()
            raise ConfigError(str(error), hint=hint) from error


def decisions_at(origin: Path, which: Which | None, changes: Sequence[FileChange]) -> Decisions:
    """Waivers and baseline of a state, and the lines on which no suppression counts. Raises ConfigError, UsageError."""
    files = _texts(origin, which) if which is not None else {}
    added = {change.after: change.added for change in changes if change.after}
    waivers = files.get(waiver_file.FILE)
    known = files.get(baselines.FILE)
    return Decisions(
        waivers=waiver_file.parse(waivers, waiver_file.FILE) if waivers is not None else (),
        baseline=baselines.parse(known, baselines.FILE) if known is not None else baselines.Baseline(),
        added=added,
    )


def _texts(origin: Path, which: Which) -> dict[str, str]:
    return {n: raw.decode("utf-8", "replace") for n, raw in read_files(origin, which, DECISIONS).items()}


def loosened(origin: Path, base: Which | None, head: Which) -> tuple[str, ...]:
    """Ways in which the head's configuration would check less than the base's, as sentences."""
    before = configuration_at(origin, base, {})
    try:
        after = configuration_at(origin, head, {})
    except ConfigError as error:
        return (f"the configuration cannot be read after the change: {error}",)
    return tuple(_looser(before, after))


def _looser(before: Configuration, after: Configuration) -> Iterator[str]:
    a, b = before.settings, after.settings
    ranks = {"none": 3, "high": 2, "medium": 1, "low": 0}
    if ranks[b.fail_on] > ranks[a.fail_on]:
        yield f"fail_on goes from {a.fail_on} to {b.fail_on}"
    if b.min_tier > a.min_tier:
        yield f"min_tier goes from {a.min_tier} to {b.min_tier}"
    if more := sorted(set(b.exclude) - set(a.exclude)):
        yield f"exclude gets {', '.join(more)}"
    if fewer := sorted(set(a.read_only) - set(b.read_only)):
        yield f"read_only loses {', '.join(fewer)}"
    if (
        b.dimensions
        and set(a.dimensions) != set(b.dimensions)
        and not (a.dimensions and set(a.dimensions) < set(b.dimensions))
    ):
        yield f"dimensions go from {', '.join(a.dimensions) or 'all'} to {', '.join(b.dimensions)}"
    if a.profile != b.profile and b.profile == "session":
        yield f"profile goes from {a.profile} to {b.profile}"
    if a.execute and not b.execute:
        yield "execute is switched off"
    if b.budget != a.budget and b.budget:
        yield f"budget becomes {', '.join(b.budget)}"
    if a.model != b.model or a.verifier_model != b.verifier_model:
        yield f"the model goes from {a.model} to {b.model}"
    if before.gate.test_command != after.gate.test_command:
        yield f"gate.test_command goes from `{before.gate.test_command}` to `{after.gate.test_command}`"
    if after.gate.test_seconds < before.gate.test_seconds:
        yield f"gate.test_seconds goes from {before.gate.test_seconds:g} to {after.gate.test_seconds:g}"


def workflows(base: Project | None, head: Project, changes: Sequence[FileChange]) -> tuple[str, ...]:
    """Files of the change by which harness is run automatically."""
    found = []
    for change in changes:
        if not change.path.startswith(_WORKFLOWS):
            continue
        texts = [p.text(path) for p, path in ((base, change.before), (head, change.after)) if p is not None and path]
        if any(_NAMED in text for text in texts):
            found.append(f"{change.path}, which runs harness, is changed")
    return tuple(found)


def added(
    origin: Path, base: Which | None, head: Which, project: Project, changes: Sequence[FileChange]
) -> list[Added]:
    """Suppressions, waivers and baseline entries that the change brings."""
    found = []
    for change in changes:
        entry = project.entries.get(change.after or "")
        if entry is None:
            continue
        for item in in_text(entry.path, project.text(entry.path), entry.language):
            if isinstance(item, Suppression) and item.line in change.added:
                at = Location(path=item.path, line=item.line, end_line=item.line)
                found.append(Added(at, f'an inline suppression of {", ".join(item.rules)} ("{item.reason}")'))
    before = _texts(origin, base) if base is not None else {}
    for name, text in _texts(origin, head).items():
        new = _new_lines(before.get(name, ""), text)
        marks = [(n, line) for n, line in new if "fingerprint" in line]
        kind = "waiver" if name == waiver_file.FILE else "baseline entry"
        found += [
            Added(Location(path=name, line=n, end_line=n), f"a {kind} ({line.strip()[:80]})") for n, line in marks
        ]
        if new and not marks:
            n = new[0][0]
            found.append(Added(Location(path=name, line=n, end_line=n), f"an edit of {name}"))
    return found


def _new_lines(before: str, after: str) -> list[tuple[int, str]]:
    lines = after.split("\n")
    matcher = difflib.SequenceMatcher(None, before.split("\n"), lines, autojunk=False)
    changed = [b for tag, _, _, b1, b2 in matcher.get_opcodes() if tag != "equal" for b in range(b1, b2)]
    return [(n + 1, lines[n]) for n in changed if lines[n].strip()]


def as_findings(
    found: Sequence[Added], policy: Sequence[str], project: Project, changes: Sequence[FileChange]
) -> list[Finding]:
    """Each as a finding: it is there, which the diff proves, and it does not count, which people should know."""
    places = {c.after: min(c.added | c.cuts, default=1) for c in changes if c.after}
    one = next((name for name in CONFIGURATIONS if name in places), None)
    where = one or next(iter(places), None) or CONFIGURATIONS[0]
    at = Location(path=where, line=places.get(where, 1), end_line=places.get(where, 1))
    items = [(item.at, item.what, DECISION.severity) for item in found]
    items += [(at, f"a looser policy: {sentence}", Severity.MEDIUM) for sentence in policy]
    twins: Counter[tuple[str, str]] = Counter()
    findings = []
    for at, what, severity in items:
        findings.append(_finding(at, what, severity, project, twins[at.path, what]))
        twins[at.path, what] += 1
    return findings


def _finding(at: Location, what: str, severity: Severity, project: Project, twin: int) -> Finding:
    """`twin` counts equal ones of the same file before it, which tells them apart."""
    reason = "the line is in the change and not in its base"
    detail = f"{at}: {what}"
    proof = Evidence(tier=Tier.E3, kind="diff", summary=reason, detail=detail, sha256=sha256(detail), locations=(at,))
    finding = own_finding(
        DECISION, at, project, identity=(what, str(twin)) if twin else (what,), symbol=None,
        scenario=f"The change brings {what} with it. Decisions are read from the base, so it does not count in this review; "
        "once merged it hides or lets through what nobody else has looked at.",
        fix="Have somebody else agree to it in a change of its own, or take it out.",
        verdict=Verdict.CONFIRMED, evidence=proof, reason=reason, facts={"decision": what},
    )  # fmt: skip
    return finding.model_copy(update={"severity": severity})
