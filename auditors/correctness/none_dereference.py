"""none-dereference: a value that may be None is used as if it were not, where another path checks it.

Why: the check shows that somebody met None there. The path without it ends in `AttributeError: 'NoneType' object has no
attribute ...` or `TypeError: 'NoneType' object is not subscriptable`.

Example:

    user = users.get(key)
    if user is None:
        log.warning("no user %s", key)     # and goes on
    return user.name                       # crashes for exactly the case that was logged

What it cannot see: None that travels through attributes and containers, and checks hidden in functions it calls.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import defaults, last_name, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="none-dereference",
    group="correctness",
    title="None used where another path checks for it",
    severity=Severity.MEDIUM,
    cwe=476,
    page=__doc__,
)
MAY_BE_NONE = frozenset({"match", "fullmatch", "search", "get", "find_spec", "which"})
"""Last names of calls that often answer None; a check in the same function must agree before anything is claimed."""


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Names that are compared with None in a function and dereferenced in it where no test of them stands around."""
    if module.test:
        return
    del project
    by_function: dict[FunctionNode, set[str]] = {}
    for compare in module.nodes(ast.Compare):
        if isinstance(compare.left, ast.Name) and _is_none(compare) and (f := module.enclosing_function(compare)):
            by_function.setdefault(f, set()).add(compare.left.id)
    for negation in module.nodes(ast.UnaryOp):
        name = negation.operand.id if isinstance(negation.operand, ast.Name) else ""
        if isinstance(negation.op, ast.Not) and name and (f := module.enclosing_function(negation)):
            by_function.setdefault(f, set()).add(name)
    for function in sorted(by_function, key=lambda node: node.lineno):
        yield from _in_function(module, function, by_function[function])


def _in_function(module: Module, function: FunctionNode, checked: set[str]) -> Iterator[Claim]:
    origins = {a.arg: a.arg for a, d in defaults(function) if isinstance(d, ast.Constant) and d.value is None}
    for node in own(function.body):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            call = node.value
            if isinstance(call, ast.Call) and last_name(call.func) in MAY_BE_NONE and len(call.args) <= 2:
                origins[node.targets[0].id] = last_name(call.func)
            elif isinstance(call, ast.Constant) and call.value is None:
                origins[node.targets[0].id] = "None"
    done: set[str] = set()
    for node in own(function.body):
        if not isinstance(node, ast.Attribute | ast.Subscript) or not isinstance(node.value, ast.Name):
            continue
        name = node.value.id
        if name not in checked or name not in origins or name in done or _tested_around(module, node, function, name):
            continue
        done.add(name)
        use = f".{node.attr}" if isinstance(node, ast.Attribute) else "[...]"
        yield module.claim(
            RULE,
            node,
            scenario=f"`{name}` may be None here (it is compared with None in the same function): `{name}{use}` then raises.",
            fix=f"Check `{name}` on this path too, or leave the function where it is None.",
            facts={"name": name, "origin": origins[name]},
            related=(module.related("definition", function, f"`{name}` is checked for None in this function"),),
        )


def _is_none(compare: ast.Compare) -> bool:
    right = compare.comparators[0]
    return isinstance(compare.ops[0], ast.Is | ast.IsNot) and isinstance(right, ast.Constant) and right.value is None


def _tested_around(module: Module, node: ast.AST, function: FunctionNode, name: str) -> bool:
    """An enclosing test, boolean operator or conditional speaks of `name`, or an earlier one in the block leaves."""
    child = node
    for up in module.ancestors(node):
        if up is function or isinstance(up, ast.Lambda):
            return _left_before(function.body, child, name)
        test = getattr(up, "test", None)
        if isinstance(up, ast.BoolOp) or (isinstance(up, ast.If | ast.IfExp | ast.While | ast.comprehension) and test):
            around = [v for v in up.values if v is not child] if isinstance(up, ast.BoolOp) else [test]
            if any(isinstance(n, ast.Name) and n.id == name for v in around if v for n in ast.walk(v)):
                return True
        for block in ("body", "orelse", "finalbody"):
            body = getattr(up, block, None)
            if isinstance(body, list) and _left_before(body, child, name):
                return True
        child = up
    return False


def _left_before(body: list[ast.stmt], child: ast.AST, name: str) -> bool:
    for statement in body:
        if statement is child:
            return False
        if isinstance(statement, ast.If) and any(
            isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement.test)
        ):
            if isinstance(statement.body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break):
                return True
            if any(
                isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(statement)
            ):
                return True
    return False


CHECK = Check(rules=(RULE,), module=check)
