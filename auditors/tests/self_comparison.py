"""self-comparison: a test compares a value with itself.

Why: it holds unless `==` itself is broken. One side was meant to be something else.

Example:

    assert response.status == response.status      # == 200

What it cannot see: two names for one object.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import last_name
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="self-comparison",
    group="tests",
    title="Test compares a value with itself",
    severity=Severity.LOW,
    page=__doc__,
)
EQUAL = frozenset(
    {"assertEqual", "assertEquals", "assertIs", "assertListEqual", "assertDictEqual", "assertSequenceEqual"}
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """assert a == a, and assertEqual(a, a)."""
    del project
    if not module.test:
        return
    pairs: list[tuple[ast.AST, ast.expr, ast.expr]] = []
    for statement in module.nodes(ast.Assert):
        test = statement.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq | ast.Is):
            pairs.append((statement, test.left, test.comparators[0]))
    for call in module.nodes(ast.Call):
        if last_name(call.func) in EQUAL and len(call.args) >= 2:
            pairs.append((call, call.args[0], call.args[1]))
    for node, left, right in pairs:
        if type(left) is type(right) and not isinstance(left, ast.Constant) and ast.dump(left) == ast.dump(right):
            yield module.claim(
                RULE,
                node,
                scenario=f"`{module.segment(left)[:60]}` is compared with itself: the test passes whatever it is.",
                fix="Compare with the expected value.",
                facts={"left": module.segment(left)[:200]},
            )


CHECK = Check(rules=(RULE,), module=check)
