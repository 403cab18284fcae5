"""A survivor counts only when the unchanged suite passes, the poisoned one fails and the changed one passes."""

from pathlib import Path

import pytest

from harness.contracts import Bench
from harness.sandbox.base import Sandbox
from harness.schema.evidence import Tier
from harness.schema.finding import Finding, Severity
from harness.schema.verdict import Verdict
from tests.support.trees import project_of
from verifiers.executed.verifier import ExecutedVerifier

LIMITS = """def over(amount, limit):
    if amount > limit:
        return True
    return False


def unused(x):
    if x:
        return 1
    return 2
"""
WEAK = "from limits import over\n\n\ndef test_runs():\n    over(1, 2)\n"
STRICT = (
    "from limits import over\n\n\ndef test_decides():\n    assert over(3, 2) is True\n    assert over(1, 2) is False\n"
)
BROKEN = "def test_fails():\n    assert False\n"
FORGED = "import os\n\n\ndef test_runs():\n    os._exit(0)\n"


def finding(line: int, replacement: str, end_column: int) -> Finding:
    facts = {
        "mutation": "negate", "line": str(line), "end_line": str(line), "column": "8", "end_column": str(end_column),
        "replacement": replacement, "function": "over", "tests": "1",
    }  # fmt: skip
    return Finding(
        id="0000", fingerprint="0000", dimension=("tests",), auditors=("tests-run",), rule="surviving-mutant", cwe=None,
        severity=Severity.LOW, path="limits.py", line=line, end_line=line, column=8, end_column=end_column, symbol="over",
        quote="if amount > limit:", scenario="s", fix="f", kind="surviving-mutant", facts=facts,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tests", "line", "replacement", "end", "verdict", "reason"),
    [
        (WEAK, 2, "not (amount > limit)", 22, Verdict.CONFIRMED, "the whole suite passes"),
        (STRICT, 2, "not (amount > limit)", 22, Verdict.UNCERTAIN, "a test notices the change"),
        (WEAK, 8, "not (x)", 9, Verdict.UNCERTAIN, "do not run it"),
        (BROKEN, 2, "not (amount > limit)", 22, Verdict.UNCERTAIN, "do not all pass"),
        (FORGED, 2, "not (amount > limit)", 22, Verdict.UNCERTAIN, "do not run it"),
        (WEAK, 2, "amount > limit", 22, Verdict.UNCERTAIN, "does not fit"),
        (WEAK, 2, "not (", 22, Verdict.UNCERTAIN, "does not fit"),
    ],
)
def test_a_survivor_needs_its_control(
    tmp_path: Path, sandbox: Sandbox, tests: str, line: int, replacement: str, end: int, verdict: Verdict, reason: str
) -> None:
    bench = Bench(project=project_of(tmp_path, {"limits.py": LIMITS, "tests/test_limits.py": tests}), sandbox=sandbox)
    judgement = ExecutedVerifier().verify(finding(line, replacement, end), bench)
    assert (judgement.verdict, reason in judgement.reason) == (verdict, True), judgement.reason
    assert judgement.tier is (Tier.E4 if verdict is Verdict.CONFIRMED else Tier.E1)
