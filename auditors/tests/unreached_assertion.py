"""assertion-never-reached: an assertion at the end of a `pytest.raises` block, behind the call that raises.

Why: when the test passes, the call has raised and the assertion was skipped. When the call does not raise, the test fails
anyway. The assertion decides nothing.

Example:

    with pytest.raises(ValueError) as caught:
        parse("x")
        assert "x" in str(caught.value)       # belongs behind the block

What it cannot see: blocks in which the assertion's own expression is what raises.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import last_name
from auditors.tests.functions import tests_of
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="assertion-never-reached",
    group="tests",
    title="Assertion behind the call that raises",
    severity=Severity.LOW,
    page=__doc__,
)
RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assertRaisesMessage"})


def check(module: Module, project: Project) -> Iterator[Claim]:
    """with-blocks that expect an exception and end in an assertion."""
    del project
    for _, function in tests_of(module):
        for block in ast.walk(function):
            if not isinstance(block, ast.With | ast.AsyncWith) or len(block.body) < 2:
                continue
            call = block.items[-1].context_expr
            last = block.body[-1]
            asserting = isinstance(last, ast.Assert) or (
                isinstance(last, ast.Expr)
                and isinstance(last.value, ast.Call)
                and last_name(last.value.func).startswith("assert")
            )
            if isinstance(call, ast.Call) and last_name(call.func) in RAISES and asserting:
                yield module.claim(
                    RULE,
                    last,
                    scenario="On every passing run the statements before it have raised, and this assertion was skipped.",
                    fix="Move it behind the `with` block.",
                    facts={"expects": last_name(call.args[0]) if call.args else ""},
                    related=(module.related("step", call, "expects an exception from this block"),),
                )


CHECK = Check(rules=(RULE,), module=check)
