"""constant-assertion: an assertion that is true whatever the code does.

Why: `assertTrue(value, 3)` takes the 3 for a message, and `or` with a literal is true. Both look like tests.

Example:

    self.assertTrue(len(rows), 3)        # self.assertEqual(len(rows), 3)
    assert status == 200 or 204          # assert status in (200, 204)

What it cannot see: values that happen to be constant. Tuples and texts alone are ruff's F631 and PLW0129;
`assert True` alone is nobody's.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import last_name
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="constant-assertion",
    group="tests",
    title="Assertion that always holds",
    severity=Severity.LOW,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`or` with a true literal, and assertTrue with an expected value for a message."""
    del project
    if not module.test:
        return
    for statement in module.nodes(ast.Assert):
        if _always(statement.test):
            yield _claim(
                module, statement, "literal", "This assertion holds for every value.", "Compare with what is expected."
            )
    for call in module.nodes(ast.Call):
        name = last_name(call.func)
        if name == "assertTrue" and call.args and _always(call.args[0]):
            yield _claim(module, call, "literal", "This assertion holds for every value.", "Assert what is expected.")
        elif name == "assertTrue" and len(call.args) == 2 and not _message(call.args[1]):
            text = "The second argument is only the message: any true first argument passes."
            yield _claim(module, call, "message", text, "Use assertEqual.")


def _claim(module: Module, node: ast.AST, form: str, scenario: str, fix: str) -> Claim:
    return module.claim(RULE, node, scenario=scenario, fix=fix, facts={"form": form})


def _always(test: ast.expr) -> bool:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return any(isinstance(v, ast.Constant) and v.value for v in test.values)
    return False


def _message(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return isinstance(node, ast.JoinedStr | ast.BinOp | ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.IfExp)


CHECK = Check(rules=(RULE,), module=check)
