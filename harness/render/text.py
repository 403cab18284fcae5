"""The report for a terminal: what is broken first, how much was looked at last, because that is where eyes are."""

from collections.abc import Iterator

from harness.files import displayable
from harness.render import summary
from harness.render.ansi import Paint, columns, wrap
from harness.render.code import code_lines
from harness.render.selection import active, decided, dismissed, open_questions
from harness.render.view import View
from harness.schema.finding import Finding
from harness.schema.run import Report, RunStatus
from harness.schema.verdict import Verdict

CARDS = 20
"""Findings shown with code; the rest get a line each."""
QUESTIONS = 5
"""Open questions listed unless they are asked for."""
SHORTEST_CLAIM = 24
"""Columns below which a claim is not begun on the line of its place."""
GAPS = 5
"""Reasons of incomplete coverage that are spelled out."""


def render(report: Report, view: View) -> str:
    """Active findings as cards, open questions as lines, then the footer."""
    return "\n".join(_document(report, view, Paint(view.color))) + "\n"


def _document(report: Report, view: View, paint: Paint) -> Iterator[str]:
    if view.headline:
        yield paint("dim", safe(summary.headline(report)))
        yield ""
    found = active(report)
    for finding in found[:CARDS]:
        yield from card(finding, view, paint)
        yield ""
    if found[CARDS:]:
        yield from (_listed(f, view, paint) for f in found[CARDS:])
        yield ""
    yield from _questions(report, view, paint)
    if "settled" in view.show:
        yield from _section("Waived and suppressed", decided(report), view, paint)
    if "dismissed" in view.show:
        yield from _section("Dismissed", dismissed(report), view, paint)
    yield from _footer(report, view, paint)


def card(finding: Finding, view: View, paint: Paint) -> Iterator[str]:
    """One finding: verdict, place, claim, code, evidence, fix."""
    severity = paint(finding.severity.value, f"{finding.severity.value.upper():<6}")
    verdict = f"{finding.verdict} {finding.tier} {finding.tier.label}"
    left = f"{severity} {verdict}  {safe(', '.join(finding.dimension))}  {paint('dim', safe(finding.rule))}"
    gap = max(view.width - columns(left) - len(finding.id), 2)
    yield f"{left}{' ' * gap}{paint('bold', finding.id)}"
    symbol = f"  in {safe(finding.symbol)}" if finding.symbol else ""
    yield f"  {paint('place', safe(f'{finding.path}:{finding.line}:{finding.column}'))}{paint('dim', symbol)}"
    yield from wrap(safe(finding.scenario), view.width, "  ")
    yield from _code(finding, paint)
    yield from _labelled("evidence", _proof(finding), view, paint)
    yield from _labelled("fix", finding.fix, view, paint)


def _code(finding: Finding, paint: Paint) -> Iterator[str]:
    lines = code_lines(finding, around=1)
    for number, before, marked, after in lines:
        gutter = paint("dim", f"  {number:>6} │")
        yield f"{gutter} {before}{paint('mark', marked)}{after}" if before.strip() or marked else gutter
        if marked and not paint.color and (before.strip() or after.strip()):
            yield f"         │ {' ' * columns(before)}{'^' * columns(marked)}"


def _proof(finding: Finding) -> str:
    deciding = [e for e in finding.evidence if e.tier is finding.tier] or list(finding.evidence)
    return deciding[-1].summary if deciding else finding.reason


def _labelled(label: str, text: str, view: View, paint: Paint) -> Iterator[str]:
    lines = wrap(safe(text), view.width, " " * 12)
    if lines:
        yield f"  {paint('dim', f'{label:<8}')}  {lines[0].strip()}"
        yield from lines[1:]


def _listed(finding: Finding, view: View, paint: Paint) -> str:
    severity = paint(finding.severity.value, f"{finding.severity.value.upper():<6}")
    line = f"{finding.id:<6} {severity} {safe(f'{finding.path}:{finding.line}')}  {safe(finding.rule)}"
    room = view.width - columns(line) - 2
    claim = " ".join(safe(finding.scenario).split())
    return f"{line}  {paint('dim', _clipped(claim, room))}" if room >= SHORTEST_CLAIM and claim else line


def _questions(report: Report, view: View, paint: Paint) -> Iterator[str]:
    waiting = open_questions(report)
    if not waiting:
        return
    if "open" in view.show:
        yield from _section("Open questions", waiting, view, paint)
        return
    yield paint("bold", f"Open questions ({len(waiting)})") + paint("dim", "  neither proved nor refuted")
    yield from (_listed(f, view, paint) for f in waiting[:QUESTIONS])
    if len(waiting) > QUESTIONS:
        yield paint("dim", f"       {len(waiting) - QUESTIONS} more: harness findings list --open")
    yield ""


def _section(title: str, findings: list[Finding], view: View, paint: Paint) -> Iterator[str]:
    if not findings:
        return
    yield paint("bold", f"{title} ({len(findings)})")
    for finding in findings:
        yield _listed(finding, view, paint)
        yield from wrap(safe(_why(finding)), view.width, " " * 14)
    yield ""


def _why(finding: Finding) -> str:
    if finding.waiver is not None:
        until = f", until {finding.waiver.until}" if finding.waiver.until else ""
        return f"waived ({finding.waiver.kind}) by {finding.waiver.author} on {finding.waiver.date}{until}: " + (
            finding.waiver.reason
        )
    if finding.suppressed is not None:
        return finding.suppressed
    return f"refuted: {_proof(finding)}" if finding.verdict is Verdict.DISMISSED else finding.reason


def _footer(report: Report, view: View, paint: Paint) -> Iterator[str]:
    complete = report.run.status is RunStatus.COMPLETE
    if not complete or not report.coverage.files:
        yield from (paint("bad", line) for line in wrap(safe(summary.state(report)), view.width, ""))
    yield paint("bold", summary.counts(report))
    yield f"{summary.pipeline(report)} · {summary.coverage(report)}"
    gaps = summary.gaps(report)
    for gap in gaps[:GAPS]:
        yield from wrap(safe(gap), view.width, "  ")
    if gaps[GAPS:]:
        yield f"  {len(gaps) - GAPS} more reasons in the JSON report"
    for unused in report.stats.unused_suppressions[:GAPS]:
        yield from wrap(safe(f"{unused.path}: {unused.reason}"), view.width, "  ")
    if report.stats.unused_suppressions[GAPS:]:
        yield f"  {len(report.stats.unused_suppressions) - GAPS} more unused decisions in the JSON report"
    closing = [summary.spend(report.usage), summary.duration(report.run.seconds)]
    yield safe(summary.SEPARATOR.join([*closing, f"next: {summary.next_command(report)}"]))
    if view.outcome:
        yield from wrap(safe(view.outcome), view.width, "")


def _clipped(text: str, width: int) -> str:
    if columns(text) <= width:
        return text
    while columns(text) >= width:
        text = text[: -max((columns(text) - width) // 2, 1)]
    return text + "…"


def safe(text: str) -> str:
    """One line of text that cannot steer a terminal."""
    return displayable(text.replace("\t", " ").replace("\n", " "), keep="")
