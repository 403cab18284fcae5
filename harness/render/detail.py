"""One finding with everything that is known of it: what `harness findings show` prints."""

from collections.abc import Iterator

from harness.render.ansi import Paint, wrap
from harness.render.code import shown, source_line
from harness.render.listing import code, labelled, safe, why
from harness.render.selection import settled
from harness.render.view import View
from harness.schema.evidence import Evidence
from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.schema.verdict import Verdict

AROUND = 2


def detail(finding: Finding, view: View) -> str:
    """The whole text."""
    return "\n".join(_lines(finding, view, Paint(view.color))) + "\n"


def _lines(finding: Finding, view: View, paint: Paint) -> Iterator[str]:
    severity = paint(finding.severity.value, finding.severity.value.upper())
    yield f"{severity} {finding.verdict} {finding.tier} {finding.tier.label}  {paint('bold', safe(view.title(finding.rule)))}"
    symbol = f"  in {safe(finding.symbol)}" if finding.symbol else ""
    yield f"{paint('place', safe(f'{finding.path}:{finding.line}:{finding.column}'))}{paint('dim', symbol)}"
    yield ""
    yield from wrap(safe(finding.scenario), view.width, "")
    yield from code(finding, paint, around=AROUND)
    yield ""
    yield from labelled("fix", finding.fix, view, paint)
    yield from labelled("verdict", finding.reason, view, paint)
    if settled(finding) or finding.verdict is Verdict.DISMISSED:
        yield from labelled("decided", why(finding), view, paint)
    if finding.related:
        yield ""
        yield paint("bold", "Places")
        for place in finding.related:
            yield from _place(finding, place.location, f"{place.role}: {place.message}".rstrip(": "), paint)
    for proof in sorted(finding.evidence, key=lambda e: -e.tier.rank):
        yield ""
        yield from _evidence(finding, proof, view, paint)
    if finding.judgements:
        yield ""
        yield paint("bold", "Verifiers")
        for judgement in finding.judgements:
            verdict = f"{judgement.verdict} {judgement.tier}"
            yield from wrap(safe(f"{judgement.verifier}: {verdict}: {judgement.reason}"), view.width, "  ")
    yield ""
    cwe = f", CWE-{finding.cwe}" if finding.cwe else ""
    yield paint(
        "dim", safe(f"rule {finding.rule}{cwe} · raised by {', '.join(finding.auditors)} · {finding.fingerprint}")
    )
    page = f"harness explain {finding.rule} · " if finding.rule in view.rules else ""  # another scanner's has none
    yield safe(f"next: {page}harness findings waive {finding.id} --reason ...")


def _evidence(finding: Finding, proof: Evidence, view: View, paint: Paint) -> Iterator[str]:
    yield f"{paint('bold', f'{proof.tier} {proof.tier.label}')} {safe(proof.kind)}"
    yield from wrap(safe(proof.summary), view.width, "  ")
    for at in proof.locations:
        yield from _place(finding, at, "", paint)
    for line in proof.detail.splitlines():
        yield f"  {paint('dim', '│')} {shown(line)}"
    if proof.detail and proof.sha256:
        yield paint("dim", f"  sha256 {safe(proof.sha256)}")


def _place(finding: Finding, at: Location, said: str, paint: Paint) -> Iterator[str]:
    yield f"  {paint('place', safe(str(at)))}  {safe(said)}".rstrip()
    text = source_line(finding, at.path, at.line)
    if text is not None:
        yield f"    {paint('dim', '│')} {shown(text.strip())}"
