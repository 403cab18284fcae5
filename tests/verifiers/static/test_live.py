"""Claims in code that never runs fall before any other question is asked."""

import ast
from pathlib import Path

import pytest

from harness.schema.finding import Finding, Rule, Severity
from harness.schema.verdict import Verdict
from harness.source.project import Project
from tests.support.corpus import finding_of
from tests.support.trees import project_of
from verifiers.static.live import live
from verifiers.static.ruling import Ruling, stands


def always(finding: Finding, project: Project) -> Ruling:
    return stands("it stands", kind="test")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("if 0:\n    x()\n", Verdict.DISMISSED),
        ("if not True:\n    x()\n", Verdict.DISMISSED),
        ("if 1:\n    y()\nelse:\n    x()\n", Verdict.DISMISSED),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    x()\n", Verdict.DISMISSED),
        ("debug = 0\nif debug:\n    x()\n", Verdict.DISMISSED),
        ("def f():\n    return 1\n    x()\n", Verdict.DISMISSED),
        ("if 1:\n    x()\n", Verdict.CONFIRMED),
        ("DEBUG = False\nif DEBUG:\n    x()\n", Verdict.CONFIRMED),
        ("debug = 0\ndebug = 1\nif debug:\n    x()\n", Verdict.CONFIRMED),
        ("debug = 0\ndef f(debug):\n    if debug:\n        x()\n", Verdict.CONFIRMED),
        ("def f(a):\n    if a:\n        return 1\n    x()\n", Verdict.CONFIRMED),
    ],
)
def test_dead_code(tmp_path: Path, text: str, verdict: Verdict) -> None:
    project = project_of(tmp_path, {"m.py": text})
    module = project.module("m.py")
    rule = Rule(id="some-rule", group="test", title="t", severity=Severity.LOW)
    call = next(n for n in module.nodes(ast.Call) if ast.unparse(n) == "x()")
    finding = finding_of(module.claim(rule, call, scenario="s", fix="f"))
    assert live(always)(finding, project).verdict is verdict
