"""async-test-not-awaited: `async def test_...` in a plain unittest.TestCase.

Why: unittest calls it, gets a coroutine, and counts the test as passed. The body never runs.

Example:

    class TestClient(unittest.TestCase):          # unittest.IsolatedAsyncioTestCase
        async def test_get(self):
            self.assertEqual(await get(), 1)

What it cannot see: base classes of other projects that await their tests.
"""

import ast
from collections.abc import Iterator

from auditors.tests.functions import tests_of
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="async-test-not-awaited",
    group="tests",
    title="Async test never runs",
    severity=Severity.LOW,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """async tests in classes with unittest.TestCase among their bases."""
    del project
    for _, function in tests_of(module):
        owner = module.parents[function]
        if (
            not isinstance(function, ast.AsyncFunctionDef)
            or not isinstance(owner, ast.ClassDef)
            or function.decorator_list
        ):
            continue
        if "unittest.TestCase" in {module.resolve(base) for base in owner.bases}:
            yield module.claim(
                RULE,
                function,
                scenario=f"unittest does not await `{function.name}`: its body never runs and the test passes.",
                fix="Derive from unittest.IsolatedAsyncioTestCase.",
                facts={"class": owner.name},
            )


CHECK = Check(rules=(RULE,), module=check)
