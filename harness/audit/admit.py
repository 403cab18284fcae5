"""admit: a claim that does not cite what is there is rejected, with the reason, before anyone spends time on it (A2)."""

from collections.abc import Sequence
from typing import NamedTuple

from harness.audit.discover import Raised
from harness.schema.finding import Rejection
from harness.source.citation import Citations, NotCited
from harness.source.project import Project

NAME = "admit"


class Admission(NamedTuple):
    """Both sides of the gate."""

    admitted: tuple[Raised, ...]
    """In the order raised, places re-anchored."""
    rejected: tuple[Rejection, ...]
    """In the order raised."""
    refused: dict[str, str]
    """Origin of a claim made elsewhere -> why it was rejected."""


def admit(raised: Sequence[Raised], project: Project) -> Admission:
    """Check every claim mechanically. A check that breaks rejects its own claim and no other."""
    citations = Citations(project)
    citations.prepare(one.claim.absence for one in raised if one.claim.absence is not None)
    verdicts: dict[int, Raised | Rejection] = {}
    for number in sorted(range(len(raised)), key=lambda n: raised[n].claim.location.path):
        verdicts[number] = _check(raised[number], citations)
    ordered = [verdicts[number] for number in range(len(raised))]
    return Admission(
        tuple(v for v in ordered if isinstance(v, Raised)),
        tuple(v for v in ordered if isinstance(v, Rejection)),
        {r.origin: v.reason for r, v in zip(raised, ordered, strict=True) if r.origin and isinstance(v, Rejection)},
    )


def _check(raised: Raised, citations: Citations) -> Raised | Rejection:
    claim = raised.claim
    if raised.refusal:
        return Rejection(claim=claim, auditor=raised.auditor, reason=raised.refusal)
    try:
        for name in ("scenario", "fix"):
            if not getattr(claim, name).strip():
                raise NotCited(f"the claim has no {name}")
        citation = citations.check(
            claim.location, claim.quote, claim.symbol, claim.absence, masked=claim.facts.get("masked") == "true"
        )
    except NotCited as refusal:
        return Rejection(claim=claim, auditor=raised.auditor, reason=str(refusal))
    except Exception as error:  # noqa: BLE001  # one malformed claim must not drop the rest
        return Rejection(claim=claim, auditor=raised.auditor, reason=f"the citation could not be checked: {error!r}")
    if not citation.moved:
        return raised
    return raised._replace(claim=claim.model_copy(update={"location": citation.location}))
