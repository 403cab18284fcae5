"""Coverage and mutants: what the auditors that run the project's tests claim, and when they refuse to claim anything."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from auditors.tests import running
from auditors.tests.suite import SuiteAuditor
from harness.contracts import Bench
from harness.sandbox.base import Execution, Mount, Sandbox
from harness.sandbox.python import examine
from harness.schema.finding import Claim
from harness.schema.run import Skip
from harness.schema.verdict import Verdict
from tests.support.corpus import finding_of, judge
from tests.support.environments import environment
from tests.support.trees import project_of
from verifiers.executed.verifier import ExecutedVerifier

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


OLD = sorted(Path.home().glob(".pyenv/versions/3.8.*/bin/python3.8"))
UNREACHED, SURVIVING = "untested-public-function", "surviving-mutant"


class Counting:
    """A sandbox that counts."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.mechanism = inner.mechanism
        self.runs = 0
        self.seconds = 0.0

    def run(self, argv: Sequence[str], **options: Any) -> Execution:
        done = self._inner.run(argv, **options)
        self.runs += 1
        self.seconds += done.seconds
        return done


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much the machine has to do."""
    monkeypatch.setattr("auditors.tests.suite.seconds_for", lambda _: 120.0)


def claims_of(bench: Bench, rule: str) -> tuple[list[Claim], list[Skip]]:
    items = list(SuiteAuditor().audit(bench))
    return [i for i in items if isinstance(i, Claim) and i.rule == rule], [i for i in items if isinstance(i, Skip)]


def test_a_function_no_test_enters_is_claimed_and_confirmed(tmp_path: Path, sandbox: Sandbox) -> None:
    bench = Bench(project=project_of(tmp_path, PROJECT), sandbox=sandbox)
    claims, skips = claims_of(bench, UNREACHED)
    assert [(c.symbol, c.facts["passed"]) for c in claims] == [("refund", "2"), ("named_only", "2")]
    assert skips == []
    assert judge(claims[0], bench).verdict is Verdict.CONFIRMED


def test_a_function_that_a_skipped_test_names_is_left_out(tmp_path: Path, sandbox: Sandbox) -> None:
    skipped = "\n\nimport pytest\n\n\n@pytest.mark.skip\ndef test_named():\n    named_only(1, [])\n"
    bench = Bench(project=project_of(tmp_path, {**PROJECT, "tests/test_pay.py": WEAK + skipped}), sandbox=sandbox)
    claims, _ = claims_of(bench, UNREACHED)
    assert [c.symbol for c in claims] == ["refund"]


def test_a_run_that_is_not_credible_claims_nothing(tmp_path: Path, sandbox: Sandbox) -> None:
    for name, text, reason in (
        ("a", "import missing_dependency\n", "No module named 'missing_dependency'"),
        ("b", "def test_no():\n    assert False\n", "no test passed"),
        ("c", "import os\nos._exit(0)\n", "left no report"),
        ("d", "print('1 passed')\n", "exit code 5"),
        ("e", "def test_other():\n    pass\n", "import file mismatch"),
    ):
        again = {"other/test_pay.py": text} if name == "e" else {}
        files = {**PROJECT, "tests/test_pay.py": text, **again}
        bench = Bench(project=project_of(tmp_path / name, files), sandbox=sandbox)
        claims, skips = claims_of(bench, UNREACHED)
        assert claims == []
        assert reason in skips[0].reason


def test_tests_that_do_not_end_are_one_skip_and_cost_their_time_once(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditors.tests.suite.seconds_for", lambda _: 3.0)
    files = {**PROJECT, "tests/test_pay.py": "def test_sleeps():\n    while True:\n        pass\n"}
    counting = Counting(sandbox)
    claims, skips = claims_of(Bench(project=project_of(tmp_path, files), sandbox=counting), UNREACHED)
    assert claims == []
    assert [s.reason for s in skips] == [s.reason for s in skips if "limit of wall" in s.reason]
    assert (len(skips), counting.runs) == (1, 1)


def test_a_suite_whose_pace_is_hopeless_is_given_up_long_before_its_time(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditors.tests.suite.seconds_for", lambda _: 60.0)
    slow = "import time\n\nimport pytest\n\n\n@pytest.mark.parametrize('n', range(4000))\ndef test_naps(n):\n    time.sleep(0.5)\n"
    counting = Counting(sandbox)
    _, skips = claims_of(Bench(project=project_of(tmp_path, {"tests/test_naps.py": slow}), sandbox=counting), UNREACHED)
    assert "its 4000 tests would take about" in skips[0].reason
    assert counting.runs == 1
    assert counting.seconds < 40


def test_small_projects_have_an_answer_soon_and_large_ones_get_their_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
    small = project_of(tmp_path / "small", PROJECT)
    large = project_of(tmp_path / "large", {"big.py": "x = 1\n" * 10_000})
    assert running.seconds_for(small) == running.LEAST_SECONDS
    assert 35 < running.seconds_for(large) < 45
    monkeypatch.setattr("os.getloadavg", lambda: (1000.0, 0.0, 0.0))
    assert running.seconds_for(small) == running.LEAST_SECONDS * running.BUSIEST


def test_without_a_sandbox_nothing_runs(tmp_path: Path) -> None:
    bench = Bench(project=project_of(tmp_path, PROJECT), sandbox=None)
    assert [type(i) for i in SuiteAuditor().audit(bench)] == [Skip]


def test_survivors_are_claimed_and_noticed_changes_are_not(tmp_path: Path, sandbox: Sandbox, monkeypatch) -> None:
    monkeypatch.setattr("auditors.tests.mutants.PER_FUNCTION", 3)
    bench = Bench(project=project_of(tmp_path, PROJECT), sandbox=sandbox)
    claims, skips = claims_of(bench, SURVIVING)
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
    _, skips = claims_of(bench, UNREACHED)
    assert skips == []


def test_tests_of_one_name_run_where_the_project_says_how_they_are_imported(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditors.tests.mutants.PER_FUNCTION", 3)
    files = {
        **PROJECT,
        "pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["-ra", "--import-mode=importlib"]\n',
        "tests/more/test_pay.py": WEAK,
    }
    bench = Bench(project=project_of(tmp_path, files), sandbox=sandbox)
    claims, skips = claims_of(bench, SURVIVING)
    assert skips == []
    assert ExecutedVerifier().verify(finding_of(claims[0]), bench).verdict is Verdict.CONFIRMED


@pytest.mark.skipif(not OLD, reason="no Python 3.8 here")
def test_an_old_python_without_pytest_is_a_skip_that_says_what_to_install(tmp_path: Path, sandbox: Sandbox) -> None:
    python = examine(environment(tmp_path / ".venv", str(OLD[-1])), sandbox)
    bench = Bench(project=project_of(tmp_path / "project", PROJECT), sandbox=sandbox, python=python)
    claims, skips = claims_of(bench, UNREACHED)
    assert claims == []
    assert "has no pytest" in skips[0].reason
    assert skips[0].reason.endswith(".venv/bin/python -m pip install pytest coverage")


@pytest.mark.skipif(not OLD, reason="no Python 3.8 here")
def test_the_observer_is_written_for_the_oldest_python(sandbox: Sandbox) -> None:
    python = examine(OLD[-1], sandbox)
    folder = Path(running.__file__).parent / "inside"
    program = [
        python.executable,
        "-c",
        "import sys; sys.path.insert(0, '/o'); import observe; observe.Recorder(None, 1.0)",
    ]
    done = sandbox.run(program, readable=[*python.readable, Mount(folder, "/o")])
    assert (done.returncode, done.stderr) == (0, b"")
