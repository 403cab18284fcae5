"""The verifier that asks models: one reader, or a panel of several for high severity. Disagreement decides nothing."""

from collections.abc import Mapping

from harness.contracts import Bench
from harness.errors import HarnessError
from harness.files import displayable, sha256
from harness.llm.client import Asker
from harness.schema.evidence import DISAGREEMENT, Evidence, Tier
from harness.schema.finding import Finding, Severity
from harness.schema.verdict import Judgement, Verdict
from verifiers.argued.falsifier import Falsifier
from verifiers.argued.heard import Heard

PANEL = 3
"""Readers for a finding of high severity (V5)."""


class ArguedVerifier:
    """See `harness.contracts.Verifier`."""

    id = "argued"
    executes = False
    asks = True

    def __init__(self, askers: Mapping[str, Asker] | None = None, *, panel: int = PANEL) -> None:
        self._falsifier = Falsifier()
        self._askers = askers or {}
        self._panel = panel
        self.version = f"3-{self._falsifier.version}-{panel}"

    def handles(self, finding: Finding) -> bool:
        """Any kind: a reader needs no table."""
        del finding
        return bool(self._askers)

    def verify(self, finding: Finding, bench: Bench) -> Judgement:
        """CONFIRMED or DISMISSED at E2 when every vote that counts agrees; a failed vote is never an opinion.

        CONFIRMED at E4 when one of these votes came with a reproducer that proved it in the sandbox.
        """
        readers = self._readers(finding)
        heard: list[Heard] = []
        for sample, asker in enumerate(readers):
            try:
                heard.append(self._falsifier.hear(finding, bench, asker, sample=sample))
            except HarnessError as error:
                heard.append(Heard("failed", f"{type(error).__name__}: {error}", family=asker.family))
                break
        return self._judgement(finding, heard, len(readers))

    def _readers(self, finding: Finding) -> list[Asker]:
        """`panel` readers for high severity, different families first; one otherwise."""
        askers = list(self._askers.values())
        count = self._panel if finding.severity is Severity.HIGH else 1
        return [askers[n % len(askers)] for n in range(count)]

    def _judgement(self, finding: Finding, heard: list[Heard], wanted: int) -> Judgement:
        votes = {h.verdict for h in heard if h.verdict in ("stands", "refuted")}
        failed = [h for h in heard if h.verdict == "failed"]
        record = "; ".join(
            f"reader {n} ({h.family}) {h.verdict}: {displayable(h.reason)}{_told(h)}" for n, h in enumerate(heard, 1)
        )
        if failed or len(heard) < wanted:
            return Judgement(verifier=self.id, verdict=Verdict.UNVERIFIED, tier=Tier.E1, reason=f"no verdict: {record}")
        if len(votes) != 1:
            why = "the readers disagree" if votes else "no reader could tell"
            split = Evidence(tier=Tier.E2, kind=DISAGREEMENT, summary=why, detail=record, sha256=sha256(record))
            return Judgement(
                verifier=self.id,
                verdict=Verdict.UNCERTAIN,
                tier=Tier.E1,
                reason=f"{why}: {record}",
                evidence=(split,) if votes else (),
            )
        counted = [h for h in heard if h.verdict in votes]
        if len(counted) * 2 <= wanted:
            return Judgement(
                verifier=self.id,
                verdict=Verdict.UNCERTAIN,
                tier=Tier.E1,
                reason=f"most readers could not tell: {record}",
            )
        verdict = Verdict.CONFIRMED if votes == {"stands"} else Verdict.DISMISSED
        evidence = Evidence(
            tier=Tier.E2, kind="argument", summary=displayable(counted[0].reason), detail=record, sha256=sha256(record),
            locations=tuple(dict.fromkeys(place for h in counted for place in h.places)),
        )  # fmt: skip
        proofs = _proofs(finding, counted) if verdict is Verdict.CONFIRMED else ()
        return Judgement(
            verifier=self.id, verdict=verdict, tier=Tier.E4 if proofs else Tier.E2,
            reason=displayable(counted[0].reason), evidence=(evidence, *proofs),
        )  # fmt: skip


def _told(heard: Heard) -> str:
    return f" [its reproducer: {heard.ending.said}]" if heard.ending else ""


def _proofs(finding: Finding, counted: list[Heard]) -> tuple[Evidence, ...]:
    """Reproducers that proved the claim, ready to be kept as tests."""
    found = []
    for heard in counted:
        if heard.ending is not None and heard.ending.proved and heard.reproducer is not None:
            detail = displayable(
                f"{heard.ending.said}\n\n# program\n{heard.reproducer.program}\n\n# control\n{heard.reproducer.control}"
            )
            found.append(
                Evidence(tier=Tier.E4, kind="reproducer", summary=heard.ending.said, detail=detail, sha256=sha256(detail),
                         locations=(finding.location,))
            )  # fmt: skip
    return tuple(found)
