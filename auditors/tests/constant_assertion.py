"""constant-assertion: an assertion that is true whatever the code does.

Why: `assertTrue(value, 3)` takes the 3 for a message, and `or` with a literal is true. Both look like tests.

Example:

    self.assertTrue(len(rows), 3)        # self.assertEqual(len(rows), 3)
    assert status == 200 or 204          # assert status in (200, 204)

    assert True                          # and the test around it can fail no other way

What it cannot see: values that happen to be constant. Tuples and texts alone are ruff's F631 and PLW0129.
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
_NO_CODE = "No value of the program takes part in this assertion: it holds or fails whatever the code does."
_ASSERTING = {
    "assertTrue": 1,
    "assertFalse": 1,
    "assertIsNone": 1,
    "assertIsNotNone": 1,
    "assertEqual": 2,
    "assertEquals": 2,
}
_NEVER = {"assertTrue": False, "assertFalse": True}
"""The constant with which an assertion stands for "not to be reached"."""


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`or` with a true literal, comparisons of literals, and assertTrue with an expected value for a message."""
    del project
    if not module.test:
        return
    for statement in module.nodes(ast.Assert):
        if _always(statement.test):
            yield _claim(
                module, statement, "literal", "This assertion holds for every value.", "Compare with what is expected."
            )
        elif _literal(statement.test, never=False):
            yield _claim(module, statement, "constant", _NO_CODE, "Assert something that the code decides.")
    for call in module.nodes(ast.Call):
        name = last_name(call.func)
        if name == "assertTrue" and call.args and _always(call.args[0]):
            yield _claim(module, call, "literal", "This assertion holds for every value.", "Assert what is expected.")
        elif name == "assertTrue" and len(call.args) == 2 and not _message(call.args[1]):
            text = "The second argument is only the message: any true first argument passes."
            yield _claim(module, call, "message", text, "Use assertEqual.")
        elif (
            name in _ASSERTING
            and call.args
            and all(_literal(a, never=_NEVER.get(name)) for a in call.args[: _ASSERTING[name]])
        ):
            yield _claim(module, call, "constant", _NO_CODE, "Assert something that the code decides.")


def _claim(module: Module, node: ast.AST, form: str, scenario: str, fix: str) -> Claim:
    return module.claim(RULE, node, scenario=scenario, fix=fix, facts={"form": form})


def _always(test: ast.expr) -> bool:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return any(isinstance(v, ast.Constant) and v.value for v in test.values)
    return False


def _literal(test: ast.expr, never: bool | None) -> bool:
    """Made of literals alone, and neither the constant that stands for "never" nor what ruff reports (texts, tuples)."""
    if isinstance(test, ast.Constant):
        return not isinstance(test.value, str | bytes) and (never is None or bool(test.value) is not never)
    parts = (ast.Compare, ast.UnaryOp, ast.BoolOp, ast.BinOp)
    allowed = (*parts, ast.Constant, ast.cmpop, ast.unaryop, ast.boolop, ast.operator)
    return isinstance(test, parts) and all(isinstance(n, allowed) for n in ast.walk(test))


def _message(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return isinstance(node, ast.JoinedStr | ast.BinOp | ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.IfExp)


CHECK = Check(rules=(RULE,), module=check)
