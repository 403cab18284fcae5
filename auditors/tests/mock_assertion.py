"""mock-assertion-not-made: an assertion method of a mock is named but not called, or misspelt so that the mock invents it.

Why: `send.assert_called_once` is an attribute, and `send.called_once_with(1)` is a new mock, which is true.

Example:

    send.assert_called_once            # send.assert_called_once()
    assert send.called_once_with(1)    # send.assert_called_once_with(1)

What it cannot see: other misspellings (mock refuses those that begin with `assert`).
"""

import ast
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="mock-assertion-not-made",
    group="tests",
    title="Mock assertion is never made",
    severity=Severity.LOW,
    page=__doc__,
)
ASSERTIONS = frozenset(
    {
        "assert_called", "assert_called_once", "assert_called_with", "assert_called_once_with", "assert_any_call",
        "assert_has_calls", "assert_not_called", "assert_awaited", "assert_awaited_once", "assert_not_awaited",
    }
)  # fmt: skip
INVENTED = frozenset({name.removeprefix("assert_") for name in ASSERTIONS} - {"called", "awaited"})


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`m.assert_x` as a statement of its own, and calls of `m.called_once_with(...)`."""
    del project
    if not module.test:
        return
    for statement in module.nodes(ast.Expr):
        if isinstance(statement.value, ast.Attribute) and statement.value.attr in ASSERTIONS:
            yield _claim(module, statement.value, "uncalled", "The method is named, not called: nothing is asserted.")
    for call in module.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in INVENTED:
            yield _claim(module, call, "invented", "A mock answers any name with another mock, which is true.")


def _claim(module: Module, node: ast.AST, form: str, scenario: str) -> Claim:
    return module.claim(
        RULE, node, scenario=scenario, fix="Call the assertion: `m.assert_...()`.", facts={"form": form}
    )


CHECK = Check(rules=(RULE,), module=check)
