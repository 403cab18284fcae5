"""Surviving mutants: the project's own tests are run three times, and only one pattern of results confirms."""

from pathlib import Path

import pytest

from harness.contracts import Bench
from harness.sandbox.base import Sandbox
from harness.schema.evidence import Tier
from harness.schema.finding import Finding
from harness.schema.verdict import Judgement, Verdict
from harness.source.project import Project
from tests.support.claims import finding_at
from tests.support.trees import project_of
from verifiers.executed.verifier import ExecutedVerifier

FILES = {
    "shop/__init__.py": "",
    "shop/price.py": """
def discount(total):
    if total >= 100:
        return total * 0.9
    return total


def shipping(weight):
    return 5 if weight > 10 else 2


def unused(value):
    return value + 1
""",
    "tests/test_price.py": """
from shop.price import discount, shipping


def test_discount():
    assert discount(50) == 50
    assert discount(200) == 180


def test_shipping():
    assert shipping(10) == 2
    assert shipping(11) == 5
""",
}


def judge(project: Project, sandbox: Sandbox, text: str, after: str) -> Judgement:
    facts = {"before": text, "after": after}
    finding: Finding = finding_at(project, "shop/price.py", text, kind="surviving-mutant", facts=facts)
    verifier = ExecutedVerifier()
    assert verifier.handles(finding)
    return verifier.verify(finding, Bench(project=project, sandbox=sandbox))


def test_a_change_at_a_limit_that_no_test_tries_is_confirmed(tmp_path: Path, sandbox: Sandbox) -> None:
    judged = judge(project_of(tmp_path, FILES), sandbox, "total >= 100", "total > 100")
    assert (judged.verdict, judged.tier) == (Verdict.CONFIRMED, Tier.E4), judged
    assert judged.evidence[0].detail.splitlines() == [
        "unchanged: exit code 0: 2 passed",
        "changed: exit code 0: 2 passed",
        "blatant: exit code 1: 1 failed",
    ]


@pytest.mark.parametrize(
    ("text", "after", "words"),
    [
        ("weight > 10", "weight >= 10", "a test notices the change"),
        ("value + 1", "value - 1", "none reaches it"),
        ("total >= 100", "total >=", "does not stand at this place"),
    ],
    ids=["noticed", "unreached", "no-python"],
)
def test_every_other_pattern_stays_open(tmp_path: Path, sandbox: Sandbox, text: str, after: str, words: str) -> None:
    judged = judge(project_of(tmp_path, FILES), sandbox, text, after)
    assert judged.verdict is Verdict.UNCERTAIN, judged
    assert words in judged.reason


def test_tests_that_fail_anyway_prove_nothing(tmp_path: Path, sandbox: Sandbox) -> None:
    files = {**FILES, "tests/test_broken.py": "def test_it():\n    assert False\n"}
    judged = judge(project_of(tmp_path, files), sandbox, "total >= 100", "total > 100")
    assert judged.verdict is Verdict.UNCERTAIN
    assert "do not pass unchanged" in judged.reason


def test_a_conftest_that_calls_everything_passed_confirms_nothing(tmp_path: Path, sandbox: Sandbox) -> None:
    files = {**FILES, "conftest.py": "print('2 passed')\nimport os\nos._exit(0)\n"}
    judged = judge(project_of(tmp_path, files), sandbox, "total >= 100", "total > 100")
    assert judged.verdict is Verdict.UNCERTAIN, judged
    assert "none reaches it" in judged.reason
