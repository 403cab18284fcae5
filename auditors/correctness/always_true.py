"""always-true-condition: `x == "a" or "b"` is true whatever x is.

Why: `or` takes whole expressions; a non-empty literal is true by itself. The branch is always taken.

Example:

    if mode == "r" or "rb":          # if mode in ("r", "rb")
        open_for_reading()

What it cannot see: conditions that are always true because of the values of names.
"""

import ast
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="always-true-condition",
    group="correctness",
    title="Condition with a bare literal is always true",
    severity=Severity.MEDIUM,
    cwe=571,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`or` with a comparison before and a literal behind, in a test."""
    if module.test:
        return
    del project
    for operation in module.nodes(ast.BoolOp):
        if not isinstance(operation.op, ast.Or) or not isinstance(operation.values[0], ast.Compare):
            continue
        literal = next((v for v in operation.values[1:] if isinstance(v, ast.Constant) and v.value), None)
        if literal is not None:
            yield module.claim(
                RULE,
                operation,
                scenario=f"`{module.segment(literal)}` stands alone and is true: the condition holds for every value.",
                fix="Compare with each value: `x in (a, b)`.",
                facts={"literal": repr(literal.value)[:80]},
            )


CHECK = Check(rules=(RULE,), module=check)
