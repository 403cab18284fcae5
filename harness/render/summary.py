"""The sentences about a whole run that text, Markdown and HTML share."""

import shlex
from collections import Counter

import harness
from harness.render.selection import active, decided, open_questions
from harness.schema.finding import Severity
from harness.schema.run import Counts, LaneCoverage, Report, RunStatus, Skip, Usage
from harness.schema.verdict import Verdict

EXPLAIN = "harness explain"
SEPARATOR = " · "
WHOLE_PROJECT = "."
"""Path of a Skip that speaks of no single file."""


def headline(report: Report) -> str:
    """`harness 0.1.0 · offline · 6 dimensions · shop@3f2a91c (clean) · config pyproject.toml`."""
    run = report.run
    target = run.target or "folder"
    if run.head:
        span = f"{run.base[:7]}..{run.head[:7]}" if run.base else run.head[:7]
        target += f"@{span} ({'with uncommitted changes' if run.dirty else 'clean'})"
    dimensions = len(report.stats.by_dimension) or len({lane.dimension for lane in report.coverage.lanes})
    parts = [
        f"harness {harness.__version__}",
        ", ".join(dict.fromkeys(run.models)) or "offline",
        plural(dimensions, "dimension") if dimensions else "",
        target,
        f"config {run.config}" if run.config else "no config",
    ]
    return SEPARATOR.join(part for part in parts if part)


def plural(number: int, word: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def counts(report: Report) -> str:
    """`9 confirmed (2 high, 4 medium, 3 low) · 2 open questions · 13 dismissed`, and what people decided."""
    confirmed = active(report)
    by_severity = Counter(f.severity for f in confirmed)
    split = ", ".join(f"{by_severity[s]} {s}" for s in Severity if by_severity[s])
    waiting = open_questions(report)
    unverified = sum(f.verdict is Verdict.UNVERIFIED for f in waiting)
    hidden = decided(report)
    waived = sum(f.waiver is not None for f in hidden)
    parts = [
        f"{len(confirmed)} confirmed" + (f" ({split})" if split else ""),
        plural(len(waiting) - unverified, "open question"),
        f"{unverified} without a verdict" if unverified else "",
        f"{sum(f.verdict is Verdict.DISMISSED for f in report.findings)} dismissed",
        f"{waived} waived" if waived else "",
        f"{len(hidden) - waived} suppressed" if len(hidden) > waived else "",
    ]
    return SEPARATOR.join(part for part in parts if part)


def overturned(numbers: Counts) -> float | None:
    """Share of findings that verification proved wrong, 0 to 1; None when there was none to judge."""
    judged = numbers.confirmed + numbers.uncertain + numbers.dismissed + numbers.unverified
    return numbers.dismissed / judged if judged else None


def pipeline(report: Report) -> str:
    """`raised 38 · admitted 31 · 42 % overturned`, with canaries when there were any."""
    stats = report.stats
    share = overturned(stats)
    parts = [
        f"raised {stats.raised:,}",
        f"admitted {stats.admitted:,}",
        plural(stats.duplicates, "duplicate") + " merged" if stats.duplicates else "",
        "nothing to overturn" if share is None else f"{share:.0%} overturned".replace("%", " %"),
    ]
    if report.canaries:
        right, planted = report.canaries.get("right", 0), report.canaries.get("planted", 0)
        parts.append(f"canaries {right}/{planted} right")
    return SEPARATOR.join(part for part in parts if part)


def not_analysed(report: Report) -> list[Skip]:
    """Files in scope that at least one lane wanted and could not analyse, each once, by path; `.` is no file: all of it."""
    found: dict[str, str] = {}
    for lane in report.coverage.lanes:
        for skip in lane.skipped:
            found.setdefault(skip.path, skip.reason)
    return [Skip(path=path, reason=found[path]) for path in sorted(found)]


def troubled(report: Report) -> list[LaneCoverage]:
    """Lanes that did not reach their end."""
    return [lane for lane in report.coverage.lanes if lane.status != "done"]


def analysed(report: Report) -> int:
    """Files in scope that every lane which wanted them could analyse."""
    missed = sum(skip.path != WHOLE_PROJECT for skip in not_analysed(report))
    return max(report.coverage.files - missed, 0)


def coverage(report: Report) -> str:
    """`coverage 214/217 files, 31,200 lines, 12/13 lanes`."""
    cover = report.coverage
    if not cover.files:
        return "coverage: no file was in scope, which is not a clean result"
    lanes = len(cover.lanes)
    done = lanes - len(troubled(report))
    parts = [
        f"coverage {analysed(report):,}/{cover.files:,} files",
        plural(cover.lines, "line"),
        f"{done}/{lanes} lanes" if done != lanes else plural(lanes, "lane"),
    ]
    return ", ".join(parts)


def gaps(report: Report) -> list[str]:
    """One sentence for each way in which the run did not look at everything; empty when it did."""
    found = [f"lane {t.auditor} ({t.dimension}) {t.status}: {t.reason or 'no reason given'}" for t in troubled(report)]
    reasons: dict[str, list[str]] = {}
    for skip in not_analysed(report):
        reasons.setdefault(skip.reason, []).append(skip.path)
    for reason, paths in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        shown = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
        found.append(f"not analysed, {reason}" + (f": {shown}" if paths != [WHOLE_PROJECT] else ""))
    return found


def review(report: Report) -> list[str]:
    """Sentences about the change that was reviewed, its round and its tests; none for an audit."""
    info = report.review
    if info is None:
        return []
    base = info.base[:12] if info.base else "no base"
    size = f"{info.kind} since {base}: {plural(info.lines, 'line')} in {plural(len(info.files), 'file')}"
    left = [f"{info.known} findings that the base has, too" if info.known else ""]
    left += [f"{info.elsewhere} that nothing ties to the change" if info.elsewhere else ""]
    not_shown = ", ".join(part for part in left if part)
    found = [size + (f" · not shown: {not_shown}" if not_shown else "")]
    if info.advice:
        found.append(info.advice)
    if info.round.previous:
        said = f"round {info.round.number} after run {info.round.previous}: {len(info.round.new)} new"
        parts = [said, f"{len(info.round.still_open)} still open", f"{len(info.round.gone)} gone"]
        found.append(", ".join([*parts, *([f"{info.round.answered} answered"] if info.round.answered else [])]))
    if info.tests is not None:
        tests = info.tests
        ran = (
            f"{tests.passed} passed, {tests.failed} failed, {tests.skipped} skipped"
            if tests.passed or tests.failed
            else ""
        )
        found.append(f"tests {SEPARATOR.join(p for p in (tests.status, ran, tests.reason, tests.compared) if p)}")
    found += [f"the change loosens what is checked: {sentence}" for sentence in info.policy]
    return found


def spend(usage: Usage) -> str:
    """What the models cost; an unknown price is said, never counted as zero."""
    if not usage.calls:
        return "nothing spent"
    sent = f"{plural(usage.calls, 'call')}, {plural(usage.input_tokens + usage.output_tokens, 'token')}"
    if usage.cost is None and not usage.known_cost:
        return f"{sent}, cost unknown (a price is missing)"
    if usage.cost is None:
        return f"{sent}, at least {dollars(usage.known_cost)} ({plural(usage.unpriced, 'call')} of unknown cost)"
    each = f", {dollars(usage.cost_per_confirmed)} a confirmed finding" if usage.cost_per_confirmed is not None else ""
    return f"{sent}, {dollars(usage.cost)}{each}"


def dollars(amount: float) -> str:
    """`$1.20`, `$0.0042`."""
    return f"${amount:,.4f}" if 0 < amount < 0.1 else f"${amount:,.2f}"


def spent_on(usage: Usage) -> list[str]:
    """`discover security, openai:m: 12 calls, 3,400 tokens, $0.12`, a line for each stage, lane and model."""
    return [
        f"{s.stage} {s.lane}, {s.model}: {plural(s.calls, 'call')}, {plural(s.input_tokens + s.output_tokens, 'token')}, "
        + ("cost unknown" if s.cost is None else dollars(s.cost))
        for s in usage.by
    ]


def duration(seconds: float) -> str:
    """`0.4 s`, `11 s`, `3 min 20 s`, `1 h 02 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def next_command(report: Report, elsewhere: str = "") -> str:
    """The one command that makes most sense now; `elsewhere` is the folder it is about, '' when that is the current one."""
    command = _next_command(report)
    about = elsewhere and command != EXPLAIN
    return f"{command} --repo {shlex.quote(elsewhere)}" if about else command


def _next_command(report: Report) -> str:
    if report.run.status is not RunStatus.COMPLETE:
        return f"harness resume {report.run.id}"
    if confirmed := active(report):
        return f"harness findings show {confirmed[0].id}"
    if open_questions(report):
        return "harness findings list --open"
    if any(f.verdict is Verdict.DISMISSED for f in report.findings):
        return "harness findings list --dismissed"
    return EXPLAIN


def state(report: Report) -> str:
    """One sentence: how far the run came."""
    run = report.run
    if run.status is RunStatus.COMPLETE:
        return "complete" if report.coverage.files else "complete, but nothing was in scope"
    return f"{run.status.value.upper()}: {run.reason or 'the run did not reach its end'}; this is never a pass"
