"""mixed-clocks: times with and without a zone, or local and UTC times without one, meet in one expression.

Why: subtracting or ordering an aware and a naive `datetime` raises TypeError. Two naive ones of different clocks give
a number that is wrong by the offset of the machine's zone, and nobody notices. `utcnow().timestamp()` is wrong by the
same offset, because a naive time is taken for local time.

Example:

    age = datetime.now(timezone.utc) - datetime.utcnow()        # TypeError
    age = datetime.utcnow() - datetime.fromtimestamp(mtime)     # hours off, anywhere but in London's winter

What it cannot see: times that come in as parameters, from a database, or from other functions.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import constant, dotted, keyword, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="mixed-clocks",
    group="data-integrity",
    title="Times of different kinds meet",
    severity=Severity.MEDIUM,
    cwe=682,
    page=__doc__,
)

_KINDS = {"aware": "a time with a zone", "utc": "a UTC time without a zone", "local": "a local time without a zone"}


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Subtractions, comparisons and `timestamp()` calls whose operands' kinds are known and do not fit."""
    del project
    if module.test or not any(target.partition(".")[0] == "datetime" for target in module.imports.values()):
        return
    for node in [*module.nodes(ast.BinOp), *module.nodes(ast.Compare), *module.nodes(ast.Call)]:
        pair = _operands(node)
        if pair is None:
            continue
        kinds = [_kind(module, part, part) for part in pair]
        if isinstance(node, ast.Call):
            if kinds[0] == "utc":
                yield _claim(module, node, "timestamp", "utc", "local")
        elif len(pair) == 2 and None not in kinds and kinds[0] != kinds[1]:
            yield _claim(module, node, "meet", str(kinds[0]), str(kinds[1]))


def _operands(node: ast.AST) -> list[ast.expr] | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return [node.left, node.right]
    if (
        isinstance(node, ast.Compare)
        and len(node.ops) == 1
        and isinstance(node.ops[0], ast.Lt | ast.Gt | ast.LtE | ast.GtE)
    ):
        return [node.left, node.comparators[0]]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "timestamp":
        return [node.func.value] if not node.args else None
    return None


def _claim(module: Module, node: ast.expr, shape: str, left: str, right: str) -> Claim:
    if shape == "timestamp":
        scenario = (
            f"On a machine whose zone is not UTC, `{ast.unparse(node)[:80]}` takes {_KINDS['utc']} for local time: "
            "the number is off by the zone's offset."
        )
    elif "aware" in (left, right):
        scenario = f"`{ast.unparse(node)[:80]}` mixes {_KINDS[left]} and {_KINDS[right]}: TypeError whenever it runs."
    else:
        scenario = (
            f"`{ast.unparse(node)[:80]}` mixes {_KINDS[left]} and {_KINDS[right]}: the result is off by the machine's "
            "offset from UTC."
        )
    return module.claim(
        RULE,
        node,
        scenario=scenario,
        fix="Use datetime.now(timezone.utc) and fromtimestamp(..., tz=timezone.utc) on both sides.",
        facts={"shape": shape, "left": left, "right": right},
    )


def _kind(module: Module, node: ast.expr, place: ast.AST, depth: int = 3) -> str | None:
    """`aware`, `utc` or `local` (both naive); None when it cannot be told."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return _kind(module, node.left, place, depth)
    if isinstance(node, ast.Name | ast.Attribute) and depth:
        bound = _bound(module, node, place)
        return _kind(module, bound, place, depth - 1) if bound is not None else None
    if not isinstance(node, ast.Call):
        return None
    name = module.resolve(node.func) or ""
    tail = name.removeprefix("datetime.datetime.") if name.startswith("datetime.datetime.") else ""
    if tail in {"now", "fromtimestamp"}:
        zone = node.args[0 if tail == "now" else 1 :][:1] or [z for z in [keyword(node, "tz")] if z]
        return "aware" if zone else "local"
    if tail == "today":
        return "local"
    if tail in {"utcnow", "utcfromtimestamp"}:
        return "utc"
    if tail == "strptime" and len(node.args) == 2 and "%z" in (constant(node.args[1]) or ""):
        return "aware"
    if isinstance(node.func, ast.Attribute) and node.func.attr == "astimezone":
        return "aware"
    if isinstance(node.func, ast.Attribute) and node.func.attr == "replace":
        zone_given = keyword(node, "tzinfo")
        if zone_given is not None:
            return None if isinstance(zone_given, ast.Constant) else "aware"
        return _kind(module, node.func.value, place, depth)
    return None


def _bound(module: Module, name: ast.expr, place: ast.AST) -> ast.expr | None:
    """The one value that the function (for attributes of `self`: the class) ever gives to `name`."""
    written = dotted(name)
    if written is None:
        return None
    scope: ast.AST | None = module.enclosing_function(place)
    if written.startswith("self."):
        scope = module.enclosing_class(place)
    if scope is None:
        return None
    nodes = ast.walk(scope) if isinstance(scope, ast.ClassDef) else own(scope)
    values = [n.value for n in nodes if isinstance(n, ast.Assign) and any(dotted(t) == written for t in n.targets)]
    return values[0] if len(values) == 1 else None


CHECK = Check(rules=(RULE,), module=check)
