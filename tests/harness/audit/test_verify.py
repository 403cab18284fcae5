"""What becomes of what verifiers say, and what a verifier may know."""

import pytest

from harness.audit.verify import EXECUTED, Failure, blind, decide
from harness.schema.evidence import Evidence, Tier
from harness.schema.finding import Severity
from harness.schema.verdict import Judgement, Verdict
from tests.support.audits import ConstantVerifier, EvalAuditor, Log, audit, means, project


def said(verdict, tier, verifier="v"):
    shown = (Evidence(tier=Tier(tier), kind="k", summary="s"),)
    return Judgement(
        verifier=verifier, verdict=Verdict(verdict), tier=Tier(tier), reason=f"{verifier} says so", evidence=shown
    )


C3, D3, U1, C4 = (
    said("CONFIRMED", "E3"),
    said("DISMISSED", "E3", "w"),
    said("UNCERTAIN", "E1"),
    said("CONFIRMED", "E4", "x"),
)
CITED = said("UNCERTAIN", "E1", "cited")
FAILED = Failure("id", "y", "it broke")


@pytest.mark.parametrize(
    ("judgements", "failures", "verdict", "tier"),
    [
        ([CITED, C3], [], "CONFIRMED", "E3"),
        ([CITED, D3], [], "DISMISSED", "E3"),
        ([D3, C4], [], "CONFIRMED", "E4"),
        ([C4, D3], [], "CONFIRMED", "E4"),
        ([C3, D3], [], "UNCERTAIN", "E1"),
        ([C3, U1], [], "CONFIRMED", "E3"),
        ([CITED, U1], [], "UNCERTAIN", "E1"),
        ([CITED], [], "UNCERTAIN", "E1"),
        ([], [], "UNCERTAIN", "E1"),
        ([CITED, U1], [FAILED], "UNVERIFIED", "E1"),
        ([], [FAILED], "UNVERIFIED", "E1"),
        ([C3], [FAILED], "CONFIRMED", "E3"),
        ([said("CONFIRMED", "E1")], [], "UNCERTAIN", "E1"),
        ([said("DISMISSED", "E1")], [], "UNCERTAIN", "E1"),
    ],
)
def test_the_strongest_mechanical_result_decides(judgements, failures, verdict, tier):
    decided = decide(judgements, failures)
    assert (decided.verdict, decided.tier) == (verdict, tier)


def test_the_reason_names_who_disagreed_and_who_failed():
    assert decide([C3, D3], []).reason == "verifiers of equal strength disagree: v: v says so; w: w says so"
    assert decide([U1], [FAILED]).reason == "y gave no answer: it broke"
    assert decide([CITED], []).reason == "no verifier knows this kind of claim"


class Curious(ConstantVerifier):
    """Says what it was shown of the finder."""

    def verify(self, finding, bench):
        judgement = super().verify(finding, bench)
        seen = f"{finding.auditors}{finding.dimension}{finding.fix!r}"
        return judgement.model_copy(update={"reason": seen})


def test_a_verifier_is_blind_to_who_found_it_and_what_they_propose(tmp_path):
    report = audit(project(tmp_path), means(verifiers=(Curious(),)))
    assert {f.reason for f in report.findings} == {"()()''"}
    assert report.findings[0].fix == "ast.literal_eval"
    assert blind(report.findings[0]).scenario == report.findings[0].scenario


class Executing(ConstantVerifier):
    id = "executed"
    executes = True


class NoSandbox:
    mechanism = "a place in this test"

    def run(self, argv, **more):
        raise AssertionError("nothing runs here")


def test_only_so_many_are_executed_and_people_are_told(tmp_path):
    files = {f"m{n:03}.py": f"def f{n}(x):\n    return eval(x)\n" for n in range(EXECUTED + 5)}
    log = Log()
    with_ = means(auditors=(EvalAuditor(traps=False),), verifiers=(Executing(),), sandbox=NoSandbox(), tell=log)
    report = audit(project(tmp_path, files), with_)
    verdicts = [f.verdict for f in report.findings]
    assert verdicts == [Verdict.CONFIRMED] * EXECUTED + [Verdict.UNCERTAIN] * 5
    assert {f.reason for f in report.findings[EXECUTED:]} == {f"not executed: only the {EXECUTED} gravest findings are"}
    assert any("5 findings were not executed" in getattr(e, "message", "") for e in log)


def test_the_highest_severity_of_a_group_counts(tmp_path):
    class Mild(EvalAuditor):
        def audit(self, bench):
            for item in super().audit(bench):
                yield item.model_copy(update={"severity": Severity.LOW})

    report = audit(project(tmp_path), means(auditors=(Mild(), EvalAuditor("evil", "other"))))
    assert {f.severity for f in report.findings} == {Severity.HIGH}


def test_a_verifier_cannot_speak_in_the_name_of_another(tmp_path):
    class Impostor(ConstantVerifier):
        id = "impostor"

        def verify(self, finding, bench):
            judgement = super().verify(finding, bench)
            return judgement.model_copy(update={"verifier": "constant", "verdict": Verdict.DISMISSED})

    report = audit(project(tmp_path), means(verifiers=(ConstantVerifier(), Impostor())))
    assert {(j.verifier, j.verdict) for j in report.findings[0].judgements} == {
        ("constant", "CONFIRMED"),
        ("impostor", "DISMISSED"),
    }
    assert report.findings[0].verdict is Verdict.UNCERTAIN
