"""test-cannot-fail: a test without a single call or assertion, or with a comparison whose result nobody looks at.

Why: it is green whatever the code does, and counts as coverage in everybody's head.

Example:

    def test_total():
        total([1, 2]) == 3           # assert total([1, 2]) == 3

What it cannot see: tests that only call something. Those fail when it raises, which may be all that is wanted.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import own
from auditors.tests.functions import asserts, tests_of
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="test-cannot-fail",
    group="tests",
    title="Test that cannot fail",
    severity=Severity.LOW,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Bare comparisons as statements, and test bodies that neither call nor assert."""
    del project
    for _, function in tests_of(module):
        nodes = list(own(function.body))
        for node in nodes:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare):
                yield module.claim(
                    RULE,
                    node,
                    scenario="The comparison is computed and thrown away: the test passes when it is false.",
                    fix="Put `assert` before it.",
                    facts={"form": "comparison"},
                )
        if not any(isinstance(n, ast.Call | ast.Await | ast.Yield) or asserts(n) for n in nodes):
            yield module.claim(
                RULE,
                function,
                scenario=f"`{function.name}` calls nothing and asserts nothing: no change of the code can make it fail.",
                fix="Write the assertion, or remove the test.",
                facts={"form": "nothing"},
            )


CHECK = Check(rules=(RULE,), module=check)
