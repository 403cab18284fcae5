"""shadowed-loop-variable: an inner loop takes over the variable of the outer one, which is used again behind it.

Why: behind the inner loop the name holds the inner loop's last element, not the outer element it was meant for.

Example:

    for item in order.items:
        for item in item.parts:       # for part in item.parts
            weigh(item)
        ship(item)                     # ships the last part

What it cannot see: inner loops hidden in functions.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import own, stored
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="shadowed-loop-variable",
    group="correctness",
    title="Inner loop overwrites the outer loop's variable",
    severity=Severity.MEDIUM,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Inner for-loops with a target of the outer one, when the outer body reads the name behind them."""
    if module.test:
        return
    del project
    for outer in module.nodes(ast.For):
        names = stored([outer.target]) - {"_"}
        for inner in own(outer.body):
            if not isinstance(inner, ast.For):
                continue
            for name in sorted(names & stored([inner.target])):
                end = inner.end_lineno or inner.lineno
                later = next(
                    (
                        n
                        for n in own(outer.body)
                        if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) and n.lineno > end
                    ),
                    None,
                )
                if later is not None:
                    yield module.claim(
                        RULE,
                        inner,
                        scenario=f"Behind this loop `{name}` is its last element; line {later.lineno} takes it for the outer one.",
                        fix="Give the inner loop its own name.",
                        facts={"name": name, "outer": str(outer.lineno), "read": str(later.lineno)},
                        related=(module.related("step", later, "meant the outer element"),),
                    )


CHECK = Check(rules=(RULE,), module=check)
