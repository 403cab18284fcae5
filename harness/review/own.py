"""Findings that the review makes itself, complete with verdict and evidence."""

from harness.audit.fingerprint import LENGTH
from harness.files import sha256
from harness.schema.evidence import Evidence, Tier
from harness.schema.finding import Finding, Rule
from harness.schema.location import Location, RelatedLocation
from harness.schema.verdict import Judgement, Verdict
from harness.source.project import Project

VERIFIER = "review"


def own_finding(
    rule: Rule, at: Location, project: Project, *, identity: tuple[str, ...], symbol: str | None, scenario: str, fix: str,
    verdict: Verdict, evidence: Evidence, reason: str, facts: dict[str, str], related: tuple[RelatedLocation, ...] = (),
) -> Finding:  # fmt: skip
    """A finding with one judgement. `identity` goes into the fingerprint beside rule, path and symbol."""
    mark = sha256("\0".join((rule.id, at.path, symbol or "", *identity)))[:LENGTH]
    tier = evidence.tier if verdict is Verdict.CONFIRMED else Tier.E1
    judgement = Judgement(verifier=VERIFIER, verdict=verdict, tier=tier, reason=reason, evidence=(evidence,))
    return Finding(
        id=mark[:8], fingerprint=mark, dimension=("review",), auditors=("review",), rule=rule.id, cwe=rule.cwe,
        severity=rule.severity, path=at.path, line=at.line, end_line=at.end_line, symbol=symbol,
        quote=quoted(project, at), scenario=scenario, fix=fix, kind=rule.id, facts=facts, related=related,
        verdict=verdict, tier=tier, reason=reason, evidence=(evidence,), judgements=(judgement,),
    )  # fmt: skip


def quoted(project: Project, at: Location) -> str:
    """The first line of a place, '' where it cannot be read."""
    try:
        lines = project.lines(at.path)
    except (KeyError, OSError):
        return ""
    return lines[at.line - 1].strip() if at.line <= len(lines) else ""
