"""State that several threads or tasks can see, and what a node does to it."""

import ast

from auditors.bodies import dotted
from harness.source.module import Module

_CHANGES = frozenset(
    {"add", "append", "appendleft", "extend", "insert", "update", "remove", "pop", "popitem", "popleft", "clear"}
)


def state(module: Module, expression: ast.AST) -> str | None:
    """`self.x`, `cls.x`, or the name of a module global; None for locals and everything else."""
    name = dotted(expression)
    if name is None:
        return None
    head, _, rest = name.partition(".")
    if head in {"self", "cls"}:
        return name if rest and "." not in rest else None
    if rest or head not in module.definitions:
        return None
    return name if isinstance(module.definitions[head], ast.Assign | ast.AnnAssign) else None


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
