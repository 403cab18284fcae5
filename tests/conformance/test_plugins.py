"""Every registered auditor and verifier keeps the promises of `harness.contracts`, tried on the whole corpus."""

from pathlib import Path

import pytest

from harness import registry
from harness.audit.admit import admit
from harness.audit.discover import Raised
from harness.contracts import Bench
from harness.schema.finding import Claim
from harness.schema.run import Skip
from harness.schema.verdict import Verdict
from harness.source.project import Project
from tests.support.corpus import finding_of
from tests.support.trees import tree_of

CORPUS = Path(__file__).parent.parent / "corpus"
READING = [auditor for auditor in registry.auditors() if not auditor.executes]


@pytest.fixture(scope="module")
def bench():
    return Bench(project=Project(tree_of(CORPUS)), sandbox=None)


@pytest.fixture(scope="module")
def raised(bench):
    return {auditor.id: list(auditor.audit(bench)) for auditor in READING}


@pytest.mark.parametrize("auditor", registry.auditors(), ids=lambda a: a.id)
def test_an_auditor_is_named_versioned_and_explained(auditor):
    assert auditor.version
    assert auditor.group in {group for d in registry.dimensions().values() for group in d.groups}
    for rule in auditor.rules:
        assert rule.page.strip(), f"{rule.id} has no page"


@pytest.mark.parametrize("auditor", READING, ids=lambda a: a.id)
def test_an_auditor_raises_what_it_lists_and_says_all_that_is_needed(auditor, raised):
    known = {rule.id for rule in auditor.rules}
    for item in raised[auditor.id]:
        assert isinstance(item, Claim | Skip)
        if isinstance(item, Claim):
            assert item.rule in known
            assert item.dimension == "", "the lane writes the dimension"


def test_every_claim_of_ours_cites_what_is_there(bench, raised):
    claims = [Raised(item, name) for name, items in raised.items() for item in items if isinstance(item, Claim)]
    assert len(claims) > 300
    assert [(r.claim.rule, str(r.claim.location), r.reason) for r in admit(claims, bench.project).rejected] == []


def test_a_falsifier_never_breaks_on_a_claim_with_less_than_its_finder_gives(bench, raised):
    """Findings also come from elsewhere, without our typed slots: no opinion is fine, breaking down is not."""
    verifiers = [v for v in registry.verifiers() if not v.executes]
    broken = []
    for items in raised.values():
        for claim in (item for item in items if isinstance(item, Claim)):
            for changes in ({"facts": {}}, {"related": ()}, {"symbol": None}, {"line": 1, "end_line": 1}):
                finding = finding_of(claim).model_copy(update=changes)
                for verifier in (v for v in verifiers if v.id != "cited" and v.handles(finding)):
                    judgement = verifier.verify(finding, bench)
                    if judgement.verdict is Verdict.UNVERIFIED:
                        broken.append((claim.rule, str(claim.location), sorted(changes), judgement.reason))
    assert broken == []
