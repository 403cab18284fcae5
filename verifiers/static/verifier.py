"""Dispatch: one falsifier a claim kind, looked up in the tables of the groups."""

from harness.contracts import Bench
from harness.schema.evidence import Tier
from harness.schema.finding import Finding
from harness.schema.verdict import Judgement, Verdict
from harness.source.project import Project
from verifiers.static import (
    claimed,
    concurrency,
    consistency,
    correctness,
    data_integrity,
    docs,
    frontend,
    latex,
    platform,
    security,
    tests,
    wrapped,
)
from verifiers.static.ruling import Falsifier, Ruling, cannot_tell, falls

VERSION = "1"

FALSIFIERS: dict[str, Falsifier] = {
    **security.FALSIFIERS,
    **concurrency.FALSIFIERS,
    **data_integrity.FALSIFIERS,
    **correctness.FALSIFIERS,
    **consistency.FALSIFIERS,
    **latex.FALSIFIERS,
    **platform.FALSIFIERS,
    **tests.FALSIFIERS,
    **docs.FALSIFIERS,
    **frontend.FALSIFIERS,
    **wrapped.FALSIFIERS,
}


class StaticVerifier:
    """See `harness.contracts.Verifier`."""

    id = "static"
    version = VERSION
    executes = False

    def handles(self, finding: Finding) -> bool:
        return finding.kind in FALSIFIERS or claimed.falsifier(finding) is not None

    def verify(self, finding: Finding, bench: Bench) -> Judgement:
        try:
            ruling = _of_a_stub(finding) or _ruling(finding, bench.project)
        except Exception as error:  # noqa: BLE001  # a falsifier that breaks has no opinion, and says so
            reason = f"the static falsifier for {finding.kind} failed: {error!r}"
            return Judgement(verifier=self.id, verdict=Verdict.UNVERIFIED, tier=Tier.E1, reason=reason)
        tier = Tier.E1 if ruling.verdict is Verdict.UNCERTAIN else Tier.E3
        return Judgement(
            verifier=self.id, verdict=ruling.verdict, tier=tier, reason=ruling.reason, evidence=ruling.evidence
        )


def _ruling(finding: Finding, project: Project) -> Ruling:
    """By the claim's kind, and where that cannot tell, by what was told of it."""
    by_kind, by_cwe = FALSIFIERS.get(finding.kind), claimed.falsifier(finding)
    ruling = by_kind(finding, project) if by_kind is not None else None
    if by_cwe is not None and (ruling is None or ruling.verdict is Verdict.UNCERTAIN):
        wider = by_cwe(finding, project)
        if ruling is None or wider.verdict is not Verdict.UNCERTAIN:
            return wider
    return ruling or cannot_tell("no falsifier knows this kind of claim")


def _of_a_stub(finding: Finding) -> Ruling | None:
    """Nothing in a stub runs or is called: it describes code that stands elsewhere, often outside of the project."""
    if not finding.path.endswith(".pyi"):
        return None
    return falls("a stub only describes code that stands elsewhere", kind="syntax", at=(finding.location,))
