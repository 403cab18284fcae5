"""What an attempt to reproduce a claim ends with."""

from collections.abc import Sequence
from typing import NamedTuple

from harness.files import sha256
from harness.schema.evidence import Evidence, Tier
from harness.schema.finding import Finding
from harness.schema.verdict import Verdict


class Outcome(NamedTuple):
    """CONFIRMED when the failure was seen and the control did not show it, else UNCERTAIN: never DISMISSED."""

    verdict: Verdict
    """CONFIRMED or UNCERTAIN."""
    reason: str
    """One sentence for people."""
    evidence: tuple[Evidence, ...] = ()
    """What was run, and what it showed."""


def reproduced(finding: Finding, reason: str, steps: Sequence[str]) -> Outcome:
    """It failed as claimed and its negative control did not."""
    return Outcome(Verdict.CONFIRMED, reason, (_evidence(finding, Tier.E4, reason, steps),))


def not_reproduced(finding: Finding, reason: str, steps: Sequence[str] = ()) -> Outcome:
    """This method has not seen it, which says nothing against the claim."""
    return Outcome(Verdict.UNCERTAIN, reason, (_evidence(finding, Tier.E1, reason, steps),) if steps else ())


def _evidence(finding: Finding, tier: Tier, reason: str, steps: Sequence[str]) -> Evidence:
    detail = "\n".join(steps)
    return Evidence(
        tier=tier,
        kind="reproducer",
        summary=reason,
        detail=detail,
        sha256=sha256(detail),
        locations=(finding.location,),
    )
