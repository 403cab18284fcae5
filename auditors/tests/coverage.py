"""untested-public-function: a public function that no test enters, measured by running them.

Why: it can be deleted, and everything stays green.

The project's tests run once under coverage, in the sandbox, on a copy. The functions with the most branches come first, 20 of
them; one with fewer than two is not worth a claim, and one that a decorator hands elsewhere (a route) is left out. When some
tests fail or are skipped here, functions that any test names are left out too: those tests might reach them. Where the tests
cannot be run credibly nothing is claimed, and the coverage of the audit says why.

What it cannot see: code that tests run in another process, and tests that need services or dependencies that are not here.
"""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from auditors.syntax import own
from auditors.tests.functions import words_in_tests
from auditors.tests.running import TestRun
from auditors.tests.unmentioned import ASIDE, is_public, risk_of
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="untested-public-function",
    group="tests",
    title="Public function that no test reaches",
    severity=Severity.LOW,
    page=__doc__,
)
MOST = 20
"""Claims raised."""
LEAST_RISK = 2
"""Branches below which an unreached function is not worth a claim."""


def unreached(project: Project, run: TestRun) -> Iterator[Claim]:
    """Compares the lines of every public function with the lines that were executed."""
    unsure = words_in_tests(project) if run.failed or run.skipped else set()
    found: list[tuple[int, str, int, Claim]] = []
    for module in project.modules():
        executed = run.lines.get(module.path, frozenset())
        if not executed or ASIDE & set(PurePosixPath(module.path).parts):
            continue
        for qualname, function in module.functions:
            if function.name in unsure:
                continue
            if is_public(module, qualname, function) and not _body_lines(function) & executed:
                risk = risk_of(function)
                if risk >= LEAST_RISK:
                    found.append((-risk, module.path, function.lineno, _claim(module, qualname, function, run, risk)))
    for _, _, _, claim in sorted(found, key=lambda item: item[:3])[:MOST]:
        yield claim


def _body_lines(function: FunctionNode) -> set[int]:
    """First lines of the statements of its body, the docstring left out."""
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return {n.lineno for n in own(body) if isinstance(n, ast.stmt)}


def _claim(module: Module, qualname: str, function: FunctionNode, run: TestRun, risk: int) -> Claim:
    return module.claim(
        RULE,
        function,
        scenario=f"{run.passed + run.failed} tests ran and none entered `{qualname}` ({risk} branches): whatever breaks in it, "
        "they stay green.",
        fix=f"Test `{qualname}`, its error paths first.",
        facts={"function": qualname, "risk": str(risk), "passed": str(run.passed), "failed": str(run.failed)},
    )
