"""test-cannot-fail: a test without a single call or assertion, beside tests that do assert.

Why: it is green whatever the code does, and counts as coverage in everybody's head.

Example:

    def test_total_of_nothing():
        expected = 0                 # and the assertion was never written

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
    """Test bodies that neither call nor assert, in a scope where some test does assert."""
    del project
    for _, function in tests_of(module):
        idle = not any(isinstance(n, ast.Call | ast.Await | ast.Yield) or asserts(n) for n in own(function.body))
        if idle and any(asserts(n) for n in ast.walk(module.parents[function])):
            yield module.claim(
                RULE,
                function,
                scenario=f"`{function.name}` calls nothing and asserts nothing: no change of the code can make it fail.",
                fix="Write the assertion, or remove the test.",
            )


CHECK = Check(rules=(RULE,), module=check)
