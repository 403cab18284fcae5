"""The report for a terminal: what is broken first, how much was looked at last, because that is where eyes are."""

from collections import Counter
from collections.abc import Iterator

from harness.render import summary
from harness.render.ansi import Paint, wrap
from harness.render.listing import card, row, safe, why
from harness.render.selection import active, decided, dismissed, open_questions, waived
from harness.render.view import View
from harness.schema.finding import Finding
from harness.schema.run import Report, RunStatus

CARDS = 20
"""Findings shown with code; the rest get a line each."""
QUESTIONS = 5
"""Open questions listed unless they are asked for."""
GAPS = 5
"""Reasons of incomplete coverage that are spelled out."""


def render(report: Report, view: View) -> str:
    """Active findings as cards, open questions as lines, then the footer."""
    return "\n".join(_document(report, view, Paint(view.color))) + "\n"


def _document(report: Report, view: View, paint: Paint) -> Iterator[str]:
    if view.headline:
        yield paint("dim", safe(summary.headline(report)))
        yield ""
    yield from _rechecked(report, paint)
    found = active(report)
    for finding in found[:CARDS]:
        yield from card(finding, view, paint)
        yield ""
    if not found and report.run.status is RunStatus.COMPLETE and report.coverage.files:
        beside = " but those that people decided on" if decided(report) else ""
        yield paint("good", f"No confirmed finding{beside}.") + "\n"
    if found[CARDS:]:
        yield from (row(f, view, paint) for f in found[CARDS:])
        yield ""
    yield from _questions(report, view, paint)
    if "settled" in view.show:
        yield from _section("Waived and suppressed", decided(report), view, paint)
    else:
        yield from _section("Waived", waived(report), view, paint)
    if "dismissed" in view.show:
        yield from _section("Dismissed", dismissed(report), view, paint)
    yield from _refused(report, paint)
    yield from _footer(report, view, paint)


def _refused(report: Report, paint: Paint) -> Iterator[str]:
    """Results of a file that became no finding, by reason."""
    reasons = Counter(one.reason for one in report.imported if one.reason)
    if not reasons:
        return
    yield paint("bold", f"Not looked at ({reasons.total()})") + paint(
        "dim", "  results of the file that cite nothing here"
    )
    yield from (f"{count:>6}  {safe(reason)}" for reason, count in reasons.most_common(GAPS))
    if len(reasons) > GAPS:
        yield paint("dim", f"       {len(reasons) - GAPS} more reasons: --format json")
    yield ""


def _rechecked(report: Report, paint: Paint) -> Iterator[str]:
    if not report.rechecked:
        return
    outcomes = [r.outcome for r in report.rechecked]
    counts = ", ".join(f"{outcomes.count(name)} {name}" for name in ("fixed", "still there", "cannot tell"))
    yield paint("bold", f"Looked at again: {counts}")
    for one in report.rechecked:
        yield f"{one.outcome:<11}  {safe(f'{one.path}:{one.line}')}  {safe(one.rule)}"
        yield paint("dim", f"             {safe(one.reason)}")
    yield ""


def _questions(report: Report, view: View, paint: Paint) -> Iterator[str]:
    waiting = open_questions(report)
    if not waiting:
        return
    if "open" in view.show:
        yield from _section("Open questions", waiting, view, paint)
        return
    yield paint("bold", f"Open questions ({len(waiting)})") + paint("dim", "  neither proved nor refuted")
    yield from (row(f, view, paint) for f in waiting[:QUESTIONS])
    if len(waiting) > QUESTIONS:
        yield paint("dim", f"       {len(waiting) - QUESTIONS} more: harness findings list --open")
    yield ""


def _section(title: str, findings: list[Finding], view: View, paint: Paint) -> Iterator[str]:
    if not findings:
        return
    yield paint("bold", f"{title} ({len(findings)})")
    for finding in findings:
        yield row(finding, view, paint)
        yield from wrap(safe(why(finding)), view.width, " " * 14)
    yield ""


def _footer(report: Report, view: View, paint: Paint) -> Iterator[str]:
    complete = report.run.status is RunStatus.COMPLETE
    if not complete or not report.coverage.files:
        yield from (paint("bad", line) for line in wrap(safe(summary.state(report)), view.width, ""))
    for sentence in summary.review(report):
        yield from wrap(safe(sentence), view.width, "")
    yield paint("bold", summary.counts(report))
    yield from wrap(safe(f"{summary.pipeline(report)} · {summary.coverage(report)}"), view.width, "")
    gaps = summary.gaps(report)
    for gap in gaps[:GAPS]:
        yield from wrap(safe(gap), view.width, "  ")
    if gaps[GAPS:]:
        yield f"  {len(gaps) - GAPS} more reasons in the JSON report"
    if report.coverage.python:
        yield from wrap(safe(f"executed with {report.coverage.python}"), view.width, "  ")
    if (advice := report.coverage.advice) and not any(advice in gap for gap in gaps[:GAPS]):
        yield from wrap(safe(advice), view.width, "  ")
    for unused in report.stats.unused_suppressions[:GAPS]:
        yield from wrap(safe(f"{unused.path}: {unused.reason}"), view.width, "  ")
    if report.stats.unused_suppressions[GAPS:]:
        yield f"  {len(report.stats.unused_suppressions) - GAPS} more unused decisions in the JSON report"
    for line in summary.spent_on(report.usage):
        yield from wrap(safe(line), view.width, "  ")
    closing = [summary.spend(report.usage), summary.duration(report.run.seconds)]
    yield safe(summary.SEPARATOR.join([*closing, f"next: {summary.next_command(report, view.elsewhere)}"]))
    if view.outcome:
        yield from wrap(safe(view.outcome), view.width, "")
