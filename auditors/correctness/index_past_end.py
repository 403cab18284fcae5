"""index-past-end: an index that is the length of the sequence, or goes one past it in the last round of a loop.

Why: indices end at `len(x) - 1`. The last round raises IndexError.

Example:

    for i in range(len(rows)):
        if rows[i] == rows[i + 1]:      # range(len(rows) - 1)
            ...

What it cannot see: sequences that are longer than the one the range was made from.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import dotted, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="index-past-end",
    group="correctness",
    title="Index one past the end",
    severity=Severity.MEDIUM,
    cwe=193,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`x[len(x)]`, `x[i + k]` in `range(len(x))`, and `x[i]` in `range(len(x) + k)`."""
    if module.test:
        return
    del project
    for subscript in module.nodes(ast.Subscript):
        base = dotted(subscript.value)
        if base and isinstance(subscript.ctx, ast.Load) and _length_of(subscript.slice) == base:
            yield _claim(module, subscript, base, "len", f"`{base}[len({base})]` is always one past the end.")
    for loop in module.nodes(ast.For):
        found = _range_over(loop)
        if found is None or not isinstance(loop.target, ast.Name):
            continue
        base, extra = found
        for node in own(loop.body):
            if not isinstance(node, ast.Subscript) or dotted(node.value) != base:
                continue
            past = extra + _offset(node.slice, loop.target.id)
            if past > 0:
                index = module.segment(node.slice)
                text = f"In the last round `{base}[{index}]` is {past} past the last element."
                yield _claim(module, node, base, "loop", text, loop.lineno)


def _claim(module: Module, node: ast.AST, base: str, form: str, scenario: str, loop: int = 0) -> Claim:
    return module.claim(
        RULE,
        node,
        scenario=f"{scenario} It raises IndexError.",
        fix="End the range one earlier, or use len - 1.",
        facts={"sequence": base, "form": form, "loop": str(loop)},
    )


def _length_of(node: ast.AST) -> str:
    if isinstance(node, ast.Call) and dotted(node.func) == "len" and len(node.args) == 1:
        return dotted(node.args[0])
    return ""


def _range_over(loop: ast.For) -> tuple[str, int] | None:
    """(sequence, how much longer than it the range is) for `range(len(x))`, `range(n, len(x) + 1)`."""
    call = loop.iter
    if not isinstance(call, ast.Call) or dotted(call.func) != "range" or len(call.args) not in (1, 2) or call.keywords:
        return None
    end = call.args[-1]
    if base := _length_of(end):
        return base, 0
    if isinstance(end, ast.BinOp) and isinstance(end.op, ast.Add) and (base := _length_of(end.left)):
        amount = end.right
        if isinstance(amount, ast.Constant) and isinstance(amount.value, int):
            return base, amount.value
    return None


def _offset(index: ast.AST, name: str) -> int:
    """0 for `i`, k for `i + k` and `k + i`, very negative for anything else."""
    if isinstance(index, ast.Name) and index.id == name:
        return 0
    if isinstance(index, ast.BinOp) and isinstance(index.op, ast.Add | ast.Sub):
        sign = 1 if isinstance(index.op, ast.Add) else -1
        for variable, amount in ((index.left, index.right), (index.right, index.left)):
            if isinstance(variable, ast.Name) and variable.id == name and isinstance(amount, ast.Constant):
                return sign * amount.value if isinstance(amount.value, int) else -(1 << 30)
    return -(1 << 30)


CHECK = Check(rules=(RULE,), module=check)
