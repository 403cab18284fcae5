"""substring-membership: `x in ("abc")` looks for a part of a text, where a tuple with one element was meant.

Why: parentheses make no tuple. `"a" in ("abc")` and `"" in ("abc")` are true.

Example:

    if name in ("admin"):            # ("admin",): now "a", "min" and "" pass as well
        allow()

What it cannot see: the same mistake in a constant defined elsewhere.
"""

import ast
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="substring-membership",
    group="correctness",
    title="Parenthesised string is no tuple",
    severity=Severity.MEDIUM,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`in` with one string literal in parentheses on its right."""
    if module.test:
        return
    del project
    for compare in module.nodes(ast.Compare):
        right = compare.comparators[-1]
        if not isinstance(compare.ops[-1], ast.In | ast.NotIn) or not isinstance(right, ast.Constant):
            continue
        if not isinstance(right.value, str) or len(right.value) < 2:
            continue
        if right.end_lineno != right.lineno or right.end_col_offset is None:
            continue
        line = module.lines[right.lineno - 1].encode("utf-8", "surrogatepass")
        before, behind = line[: right.col_offset].rstrip(), line[right.end_col_offset :].lstrip()
        if before.endswith(b"(") and behind.startswith(b")"):
            yield module.claim(
                RULE,
                compare,
                scenario=f"Every part of {right.value!r}, and the empty text, counts as a member.",
                fix="Add the comma that makes it a tuple, or compare with `==`.",
                facts={"literal": right.value[:80]},
            )


CHECK = Check(rules=(RULE,), module=check)
