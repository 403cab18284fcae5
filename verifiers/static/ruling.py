"""What a falsifier says: it stands, it falls, or this method cannot tell."""

from collections.abc import Callable
from typing import NamedTuple

from harness.files import sha256
from harness.schema.evidence import Evidence, Tier
from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.schema.verdict import Verdict
from harness.source.project import Project


class Ruling(NamedTuple):
    """One answer with its witness."""

    verdict: Verdict
    """CONFIRMED, DISMISSED, or UNCERTAIN for "cannot tell"."""
    reason: str
    """One sentence for people."""
    evidence: tuple[Evidence, ...] = ()
    """The witness; never empty unless UNCERTAIN."""


Falsifier = Callable[[Finding, Project], Ruling]
"""Reads the code again, from the claim's location and typed slots alone, looking for a reason why the claim is wrong."""


def stands(reason: str, *, kind: str, detail: str = "", at: tuple[Location, ...] = ()) -> Ruling:
    """The claim holds, and this is the witness."""
    return Ruling(Verdict.CONFIRMED, reason, (_witness(reason, kind, detail, at),))


def falls(reason: str, *, kind: str, detail: str = "", at: tuple[Location, ...] = ()) -> Ruling:
    """The claim is wrong, and this is the witness."""
    return Ruling(Verdict.DISMISSED, reason, (_witness(reason, kind, detail, at),))


def cannot_tell(reason: str) -> Ruling:
    """This method has no answer."""
    return Ruling(Verdict.UNCERTAIN, reason)


def _witness(reason: str, kind: str, detail: str, at: tuple[Location, ...]) -> Evidence:
    return Evidence(tier=Tier.E3, kind=kind, summary=reason, detail=detail, sha256=sha256(detail), locations=at)
