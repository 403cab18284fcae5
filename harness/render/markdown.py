"""Markdown for a pull request or a step summary: a table to read, and each finding folded behind it."""

import re
from collections.abc import Iterator

from harness.files import displayable
from harness.render import summary
from harness.render.code import code_lines
from harness.render.inert import block, cell, code, is_sentence, prose, tag
from harness.render.listing import why
from harness.render.selection import active, chosen, open_questions, settled, waived
from harness.render.view import View
from harness.schema.finding import Finding
from harness.schema.run import Report, RunStatus
from harness.schema.verdict import Verdict

LARGEST = 60_000
"""Characters; a comment on a pull request may have 65,536."""
ROWS = 50
QUESTIONS = 10


def render(report: Report, view: View) -> str:
    """The document, within `LARGEST`; what is left out is counted."""
    found = chosen(report, view)
    parts = ["\n".join(_head(report)), "\n".join(_table(found[:ROWS]))] if found else ["\n".join(_head(report))]
    tail = "\n".join(_tail(report, view))
    room = LARGEST - len(tail) - sum(map(len, parts)) - 200
    shown = 0
    for finding in found[:ROWS]:
        card = "\n".join(_card(finding))
        if len(card) > room:
            break
        room -= len(card) + 2
        parts.append(card)
        shown += 1
    if shown < len(found):
        parts.append(f"{summary.plural(len(found) - shown, 'finding')} more in the full report.")
    return "\n\n".join([*parts, tail]) + "\n"


def _head(report: Report) -> Iterator[str]:
    confirmed = active(report)
    clean = report.run.status is RunStatus.COMPLETE and report.coverage.files and not confirmed
    yield f"## harness: {'no confirmed finding' if clean else summary.counts(report).split(summary.SEPARATOR)[0]}"
    yield ""
    if report.run.status is not RunStatus.COMPLETE or not report.coverage.files:
        yield f"> **{prose(summary.state(report))}**"
        yield ""
    yield prose(summary.counts(report))


def _table(findings: list[Finding]) -> Iterator[str]:
    yield "| severity | finding | where | verdict |"
    yield "|---|---|---|---|"
    for f in findings:
        where = code(f"{f.path}:{f.line}")
        row = [
            f.severity.value,
            f"{code(f.rule)} {prose(_first_sentence(f.scenario))}",
            where,
            f"{f.verdict} {f.tier}{_decision(f)}",
        ]
        yield f"| {' | '.join(cell(column) for column in row)} |"


def _decision(finding: Finding) -> str:
    return "" if not settled(finding) else ", waived" if finding.waiver is not None else ", suppressed"


def _first_sentence(text: str) -> str:
    return _clipped(re.split(r"(?<=[^.]\.)\s+(?=[A-Z`])|\n", text.strip(), maxsplit=1)[0])


def _clipped(text: str) -> str:
    return text if len(text) <= 160 else text[:159] + "…"


def _card(finding: Finding) -> Iterator[str]:
    place = f"{finding.path}:{finding.line}"
    yield f"<details><summary>{finding.severity.value.upper()} {tag(finding.rule)} {tag(place)} {tag(finding.id)}</summary>"
    yield ""
    yield prose(finding.scenario)
    yield ""
    lines = code_lines(finding, around=2)
    if lines:
        marked = [f"{'>' if line.marked else ' '} {line.number:>5}  {line.text}".rstrip() for line in lines]
        yield block(marked)
        yield ""
    if settled(finding):
        yield f"**Not in the way** {prose(why(finding))}"
        yield ""
    yield f"**{finding.verdict} {finding.tier} {finding.tier.label}** {prose(finding.reason)}"
    for proof in finding.evidence:
        yield f"- {proof.tier} {prose(proof.kind)}: {prose(proof.summary)}"
    yield ""
    if is_sentence(finding.fix):
        yield f"**Fix** {prose(finding.fix)}"
        yield ""
    elif finding.fix.strip():
        yield "**Fix**"
        yield ""
        yield block([displayable(line, keep="") for line in finding.fix.strip().splitlines()])
        yield ""
    yield "</details>"


def _tail(report: Report, view: View) -> Iterator[str]:
    waiting = open_questions(report)
    if waiting and "open" not in view.show:
        yield f"**Open questions ({len(waiting)})**: neither proved nor refuted."
        yield ""
        for f in waiting[:QUESTIONS]:
            word = "" if f.verdict is Verdict.UNCERTAIN else f" ({f.verdict})"
            yield f"- {code(f'{f.path}:{f.line}')} {code(f.rule)}{word} {prose(_first_sentence(f.scenario))}"
        if waiting[QUESTIONS:]:
            yield f"- {len(waiting) - QUESTIONS} more"
        yield ""
    put_off = waived(report)
    if put_off and "settled" not in view.show:
        yield f"**Waived ({len(put_off)})**: somebody decided not to fix them."
        yield ""
        for f in put_off[:QUESTIONS]:
            yield f"- {code(f'{f.path}:{f.line}')} {code(f.rule)} {prose(_clipped(why(f)))}"
        if put_off[QUESTIONS:]:
            yield f"- {len(put_off) - QUESTIONS} more"
        yield ""
    for sentence in summary.review(report):
        yield prose(sentence)
        yield ""
    yield prose(f"{summary.pipeline(report)} · {summary.coverage(report)}")
    gaps = summary.gaps(report)
    if gaps:
        yield ""
        yield from (f"- {prose(gap)}" for gap in gaps[:QUESTIONS])
        if gaps[QUESTIONS:]:
            yield f"- {len(gaps) - QUESTIONS} more reasons"
    yield ""
    run = report.run
    yield prose(f"{summary.headline(report)} · {summary.spend(report.usage)} · {summary.duration(run.seconds)}")
    if spent := summary.spent_on(report.usage):
        yield ""
        yield from (f"- {prose(line)}" for line in spent)
    if view.outcome:
        yield ""
        yield prose(view.outcome)
