"""Coverage and mutants: what the auditors that run the project's tests claim, and when they refuse to claim anything."""

from pathlib import Path

from auditors.tests.coverage import CoverageAuditor
from auditors.tests.mutants import MutantAuditor
from harness.contracts import Bench
from harness.sandbox.base import Sandbox
from harness.schema.finding import Claim
from harness.schema.run import Skip
from harness.schema.verdict import Verdict
from tests.support.corpus import judge
from tests.support.trees import project_of

PAY = """
def settle(amount, limit, parts):
    if amount > limit:
        raise ValueError("over the limit")
    for part in parts:
        if part < 0:
            continue
        amount += part
    return amount


def refund(amount, parts):
    if amount < 0:
        return 0
    for part in parts:
        if part:
            amount -= part
    return amount


def named_only(amount, parts):
    if amount < 0:
        return 0
    for part in parts:
        if part:
            amount -= part
    return amount
"""
WEAK = """
from shop.pay import settle


def test_settles():
    settle(1, 10, [1, -1])


def test_result():
    assert settle(1, 10, []) == 1
"""
PROJECT = {"shop/__init__.py": "", "shop/pay.py": PAY, "tests/test_pay.py": WEAK}


def claims_of(auditor: CoverageAuditor | MutantAuditor, bench: Bench) -> tuple[list[Claim], list[Skip]]:
    items = list(auditor.audit(bench))
    return [i for i in items if isinstance(i, Claim)], [i for i in items if isinstance(i, Skip)]


def test_a_function_no_test_enters_is_claimed_and_confirmed(tmp_path: Path, sandbox: Sandbox) -> None:
    bench = Bench(project=project_of(tmp_path, PROJECT), sandbox=sandbox)
    claims, skips = claims_of(CoverageAuditor(), bench)
    assert [(c.symbol, c.facts["passed"]) for c in claims] == [("refund", "2"), ("named_only", "2")]
    assert skips == []
    assert judge(claims[0], bench).verdict is Verdict.CONFIRMED


def test_a_function_that_a_skipped_test_names_is_left_out(tmp_path: Path, sandbox: Sandbox) -> None:
    skipped = "\n\nimport pytest\n\n\n@pytest.mark.skip\ndef test_named():\n    named_only(1, [])\n"
    bench = Bench(project=project_of(tmp_path, {**PROJECT, "tests/test_pay.py": WEAK + skipped}), sandbox=sandbox)
    claims, _ = claims_of(CoverageAuditor(), bench)
    assert [c.symbol for c in claims] == ["refund"]


def test_a_run_that_is_not_credible_claims_nothing(tmp_path: Path, sandbox: Sandbox) -> None:
    for name, text, reason in (
        ("a", "import missing_dependency\n", "No module named 'missing_dependency'"),
        ("b", "def test_no():\n    assert False\n", "no test passed"),
        ("c", "import os\nos._exit(0)\n", "left no report"),
        ("d", "print('1 passed')\n", "exit code 5"),
    ):
        files = {**PROJECT, "tests/test_pay.py": text}
        bench = Bench(project=project_of(tmp_path / name, files), sandbox=sandbox)
        claims, skips = claims_of(CoverageAuditor(), bench)
        assert claims == []
        assert reason in skips[0].reason


def test_tests_that_do_not_end_are_a_skip(tmp_path: Path, sandbox: Sandbox, monkeypatch) -> None:
    monkeypatch.setattr("auditors.tests.coverage.SECONDS", 3.0)
    files = {**PROJECT, "tests/test_pay.py": "def test_sleeps():\n    while True:\n        pass\n"}
    bench = Bench(project=project_of(tmp_path, files), sandbox=sandbox)
    claims, skips = claims_of(CoverageAuditor(), bench)
    assert claims == []
    assert "limit of wall" in skips[0].reason


def test_without_a_sandbox_nothing_runs(tmp_path: Path) -> None:
    bench = Bench(project=project_of(tmp_path, PROJECT), sandbox=None)
    for auditor in (CoverageAuditor(), MutantAuditor()):
        assert [type(i) for i in auditor.audit(bench)] == [Skip]


def test_survivors_are_claimed_and_noticed_changes_are_not(tmp_path: Path, sandbox: Sandbox, monkeypatch) -> None:
    monkeypatch.setattr("auditors.tests.mutants.PER_FUNCTION", 3)
    bench = Bench(project=project_of(tmp_path, PROJECT), sandbox=sandbox)
    claims, skips = claims_of(MutantAuditor(), bench)
    assert skips == []
    assert [(c.facts["mutation"], c.quote) for c in claims] == [("negate", "if part < 0:")]


def test_the_projects_own_version_can_be_asked_for(tmp_path: Path, sandbox: Sandbox) -> None:
    files = {
        **PROJECT,
        "pyproject.toml": '[project]\nname = "tiny-shop"\nversion = "1.5"\n',
        "tests/test_pay.py": "import importlib.metadata\nfrom shop.pay import settle\n\n\ndef test_version():\n"
        "    assert importlib.metadata.version('tiny-shop') == '1.5'\n    assert settle(1, 2, []) == 1\n",
    }
    bench = Bench(project=project_of(tmp_path, files), sandbox=sandbox)
    _, skips = claims_of(CoverageAuditor(), bench)
    assert skips == []
