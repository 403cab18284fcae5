"""The cheapest verifier: reads again, by itself, what the finding cites. It never decides more than that."""

from harness.contracts import Bench
from harness.files import sha256
from harness.schema.evidence import Evidence, Tier
from harness.schema.finding import Finding
from harness.schema.verdict import Judgement, Verdict
from harness.source.citation import Citations, NotCited


class CitedVerifier:
    """See `harness.contracts.Verifier`. A citation that holds proves no defect: the verdict is UNCERTAIN, at E1."""

    id = "cited"
    version = "1"
    executes = False

    def handles(self, finding: Finding) -> bool:
        del finding
        return True

    def verify(self, finding: Finding, bench: Bench) -> Judgement:
        try:
            citation = Citations(bench.project).check(
                finding.location,
                finding.quote,
                finding.symbol,
                finding.absence,
                masked=finding.facts.get("masked") == "true",
            )
        except (NotCited, OSError) as error:
            reason = f"the citation no longer holds: {error}"
            return Judgement(verifier=self.id, verdict=Verdict.UNVERIFIED, tier=Tier.E0, reason=reason)
        evidence = Evidence(
            tier=Tier.E1,
            kind="search" if finding.absence else "quote",
            summary=citation.summary,
            detail=finding.quote,
            sha256=sha256(finding.quote),
            locations=(citation.location,),
        )
        return Judgement(
            verifier=self.id, verdict=Verdict.UNCERTAIN, tier=Tier.E1, reason=citation.summary, evidence=(evidence,)
        )
