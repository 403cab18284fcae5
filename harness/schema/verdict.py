"""What became of a finding."""

from enum import StrEnum

from harness.schema.base import Record
from harness.schema.evidence import Evidence, Tier


class Verdict(StrEnum):
    """UNVERIFIED is the absence of a verdict: nobody decided, for whatever reason."""

    CONFIRMED = "CONFIRMED"
    UNCERTAIN = "UNCERTAIN"
    DISMISSED = "DISMISSED"
    UNVERIFIED = "UNVERIFIED"


class Judgement(Record):
    """What one verifier says of one finding."""

    verifier: str
    """Id of the verifier."""
    verdict: Verdict
    """CONFIRMED and DISMISSED need evidence of tier E2 or more; UNCERTAIN means it looked and cannot tell;
    UNVERIFIED means it failed (`reason` says how), which is never an answer."""
    tier: Tier
    """Tier of the deciding evidence; E1 when it cannot tell."""
    reason: str
    """One sentence for people."""
    evidence: tuple[Evidence, ...] = ()
    """What was shown."""
