"""float-money: amounts of money are kept or compared as binary floating point.

Why: 0.10 has no exact binary form. Sums drift by cents, equal amounts compare unequal, and what is stored is not what
was paid.

Example:

    price = models.FloatField()                  # DecimalField(max_digits=12, decimal_places=2)
    if paid == price * 1.19: ...                 # Decimal, or whole cents

What it cannot see: amounts whose names do not speak of money, and floats that come from other modules.
"""

import ast
import re
from collections.abc import Iterator

from auditors.bodies import dotted, marginal
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="float-money",
    group="data-integrity",
    title="Money in binary floating point",
    severity=Severity.MEDIUM,
    cwe=682,
    page=__doc__,
)

MONEY = re.compile(
    r"(^|_)(price|prices|amount|balance|salary|invoice|payment|refund|subtotal|vat|revenue|deposit|payout|fee|fees|tax)(_|$)",
    re.IGNORECASE,
)
_COLUMNS = {"FloatField", "Float", "REAL", "Double", "DOUBLE"}


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Float columns with the name of an amount; `float(...)` and float literals that make or compare one."""
    del project
    if marginal(module):
        return
    bound: list[tuple[ast.stmt, ast.expr, ast.expr]] = [(n, n.targets[0], n.value) for n in module.nodes(ast.Assign)]
    bound += [(n, n.target, n.value) for n in module.nodes(ast.AnnAssign) if n.value is not None]
    for node, target, value in bound:
        name = (dotted(target) or "").rpartition(".")[2]
        shape = _made(module, value) if MONEY.search(name) else None
        if shape is not None:
            yield _claim(module, node, name, shape)
    for compare in module.nodes(ast.Compare):
        if not all(isinstance(op, ast.Eq | ast.NotEq) for op in compare.ops):
            continue
        parts = [compare.left, *compare.comparators]
        names = [n for p in parts for n in [(dotted(p) or "").rpartition(".")[2]] if n and MONEY.search(n)]
        if names and any(_floating(p) for p in parts):
            yield _claim(module, compare, names[0], "compared")


def _made(module: Module, value: ast.expr) -> str | None:
    if isinstance(value, ast.Call):
        name = module.resolve(value.func) or ast.unparse(value.func)
        last = name.rpartition(".")[2]
        if last in _COLUMNS:
            return "column"
        if last in {"Column", "mapped_column"} and value.args:
            kinds = {(dotted(a.func if isinstance(a, ast.Call) else a) or "").rpartition(".")[2] for a in value.args}
            return "column" if kinds & _COLUMNS else None
        return "converted" if name == "float" else None
    return "computed" if _floating(value) else None


def _floating(node: ast.expr) -> bool:
    """Arithmetic with a float literal, or a conversion to float, in it."""
    if isinstance(node, ast.Call):
        return dotted(node.func) == "float"
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult | ast.Div | ast.Add | ast.Sub):
        return False
    parts = [node.left, node.right]
    return any((isinstance(p, ast.Constant) and isinstance(p.value, float)) or _floating(p) for p in parts)


def _claim(module: Module, node: ast.expr | ast.stmt, name: str, shape: str) -> Claim:
    what = {
        "column": f"`{name}` is stored as binary floating point: sums over many rows are off by cents",
        "converted": f"`{name}` becomes binary floating point: sums and comparisons with it are off by a fraction of a cent",
        "computed": f"`{name}` is computed in binary floating point: rounding differs from what people compute",
        "compared": f"`{name}` is compared for equality with a binary floating point value: equal amounts compare unequal",
    }
    return module.claim(
        RULE,
        node,
        severity=None if shape in {"column", "compared"} else Severity.LOW,
        scenario=f"An amount such as 0.10 or 1.15 comes in: {what[shape]}.",
        fix="Keep it as Decimal (from text, not from float) or as whole cents.",
        facts={"name": name, "shape": shape},
    )


CHECK = Check(rules=(RULE,), module=check)
