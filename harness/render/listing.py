"""Findings in the terminal: one as a line, one as a card, and why one is not in the way."""

from collections.abc import Iterator

from harness.files import displayable
from harness.render.ansi import Paint, columns, wrap
from harness.render.code import code_lines
from harness.render.view import View
from harness.schema.finding import Finding
from harness.schema.verdict import Verdict

SHORTEST_CLAIM = 24
"""Columns below which a claim is not begun on the line of its place."""


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
    yield from code(finding, paint)
    yield from labelled("evidence", proof(finding), view, paint)
    yield from labelled("fix", finding.fix, view, paint)


def code(finding: Finding, paint: Paint, *, around: int = 1) -> Iterator[str]:
    """The code of a finding, its range in colour, or underlined without colour."""
    lines = code_lines(finding, around=around)
    for number, before, marked, after in lines:
        gutter = (paint("mark", ">") if marked else " ") + paint("dim", f" {number:>6} │")
        yield f"{gutter} {before}{paint('mark', marked)}{after}" if before.strip() or marked else gutter
        if marked and not paint.color and (before.strip() or after.strip()):
            yield f"         │ {' ' * columns(before)}{'^' * columns(marked)}"


def proof(finding: Finding) -> str:
    """The sentence that decided: of evidence of the verdict's tier, or of what there is; a test for the project decided nothing."""
    known = [e for e in finding.evidence if e.kind != "regression-test"]
    deciding = [e for e in known if e.tier is finding.tier] or known
    return deciding[-1].summary if deciding else finding.reason


def labelled(label: str, text: str, view: View, paint: Paint) -> Iterator[str]:
    """A label and its text, wrapped; nothing for no text."""
    lines = wrap(safe(text), view.width, " " * 12)
    if lines:
        yield f"  {paint('dim', f'{label:<8}')}  {lines[0].strip()}"
        yield from lines[1:]


def row(finding: Finding, view: View, paint: Paint) -> str:
    """One line: id, severity, place, rule, and as much of the claim as fits."""
    severity = paint(finding.severity.value, f"{finding.severity.value.upper():<6}")
    line = f"{finding.id:<6} {severity} {safe(f'{finding.path}:{finding.line}')}  {safe(finding.rule)}"
    if finding.verdict is Verdict.UNVERIFIED:
        line += " (no verdict)"
    room = view.width - columns(line) - 2
    claim = " ".join(safe(finding.scenario).split())
    return f"{line}  {paint('dim', _clipped(claim, room))}" if room >= SHORTEST_CLAIM and claim else line


def why(finding: Finding) -> str:
    """Why a finding does not stop a merge: the waiver, the suppression, the refutation, or the lack of a verdict."""
    if finding.waiver is not None:
        until = f", until {finding.waiver.until}" if finding.waiver.until else ""
        return f"waived ({finding.waiver.kind}) by {finding.waiver.author} on {finding.waiver.date}{until}: " + (
            finding.waiver.reason
        )
    if finding.suppressed is not None:
        return finding.suppressed
    if finding.verdict is Verdict.DISMISSED:
        return f"refuted: {proof(finding)}"
    if finding.verdict is Verdict.UNCERTAIN:
        return f"cannot tell: {finding.reason}"
    return f"no verdict: {finding.reason}" if finding.verdict is Verdict.UNVERIFIED else finding.reason


def _clipped(text: str, width: int) -> str:
    if columns(text) <= width:
        return text
    while columns(text) >= width:
        text = text[: -max((columns(text) - width) // 2, 1)]
    return text + "…"


def safe(text: str) -> str:
    """One line of text that cannot steer a terminal."""
    return displayable(text.replace("\t", " ").replace("\n", " "), keep="")
