"""test-overwritten: a second test of the same name in the same class or module replaces the first.

Why: only the last one runs. The first is in the file, green in the head, and never executed.

Example:

    def test_empty(self): ...
    def test_empty(self): ...        # the first is gone

What it cannot see: names made by decorators.
"""

import ast
from collections.abc import Iterator

from auditors.tests.functions import tests_of
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="test-overwritten",
    group="tests",
    title="Test is replaced by a later one of the same name",
    severity=Severity.LOW,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Two tests with one name directly in the same block."""
    del project
    last: dict[tuple[ast.AST, str], FunctionNode] = {}
    for _, function in tests_of(module):
        key = (module.parents[function], function.name)
        earlier = last.get(key)
        if earlier is not None:
            yield module.claim(
                RULE,
                earlier,
                scenario=f"`{function.name}` is defined again in line {function.lineno}; this one never runs.",
                fix="Rename one of them.",
                facts={"again": str(function.lineno)},
                related=(module.related("sibling", function, "replaces it"),),
            )
        last[key] = function


CHECK = Check(rules=(RULE,), module=check)
