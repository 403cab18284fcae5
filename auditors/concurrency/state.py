"""State that several threads or tasks can see, and what a node does to it."""

import ast

from auditors.bodies import dotted, own
from harness.source.module import FunctionNode, Module

_CHANGES = frozenset(
    {"add", "append", "appendleft", "extend", "insert", "update", "remove", "pop", "popitem", "popleft", "clear"}
)


def state(module: Module, expression: ast.AST) -> str | None:
    """`self.x`, `self.x.y`, a module global, an attribute of one (`app.state.runs`), or a variable of the function
    around the function that holds the expression; None for locals and everything else."""
    name = dotted(expression)
    if name is None:
        return None
    head, _, rest = name.partition(".")
    if head in {"self", "cls"}:
        return name if rest else None
    if head in module.definitions:
        return name if isinstance(module.definitions[head], ast.Assign | ast.AnnAssign) else None
    return name if head not in module.imports and _outer(module, expression, head) else None


def _outer(module: Module, place: ast.AST, name: str) -> bool:
    """Whether `name` is free in the function around `place` and assigned by a function further out."""
    around = [up for up in module.ancestors(place) if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef)]
    if len(around) < 2 or (_assigns(around[0], name) and not _declared(around[0], name)):
        return False
    return any(_assigns(function, name) for function in around[1:])


def _assigns(function: FunctionNode, name: str) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in own(function.body)
    ) or any(a.arg == name for a in (*function.args.args, *function.args.kwonlyargs))


def _declared(function: FunctionNode, name: str) -> bool:
    return any(isinstance(n, ast.Nonlocal) and name in n.names for n in own(function.body))


def changed(module: Module, node: ast.AST) -> str | None:
    """The state that this very node writes, if any: assignment, item assignment, deletion, or a changing method.

    Methods that test and change in one step (`setdefault`, `pop` with a default, `discard`) are left out.
    """
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.AnnAssign) and node.value is not None):
        targets = [node.target]
    elif isinstance(node, ast.Delete):
        targets = node.targets
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
        if node.func.attr == "pop" and len(node.args) > 1:
            return None
        return state(module, node.func.value)
    for target in targets:
        owner = target.value if isinstance(target, ast.Subscript) else target
        name = state(module, owner)
        if name is not None:
            return name
    return None
