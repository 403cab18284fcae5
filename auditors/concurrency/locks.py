"""Which lock is held where, as the text of the `with` statements around a node says."""

import ast
import re
from collections.abc import Mapping

from auditors.bodies import dotted
from harness.source.module import FunctionNode, Module

_LOCKISH = re.compile(r"(?<![bc])lock(?!out)|mutex|semaphore", re.IGNORECASE)
_CONSTRUCTORS = frozenset({"Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore"})


def lock_names(module: Module) -> frozenset[str]:
    """Names and attributes (`self._cv`, `GUARD`) that the module binds to a new lock, whatever they are called."""
    found = set()
    bound = [(n.value, n.targets) for n in module.nodes(ast.Assign)]
    bound += [(n.value, [n.target]) for n in module.nodes(ast.AnnAssign) if n.value is not None]
    for call, targets in bound:
        if isinstance(call, ast.Call) and (module.resolve(call.func) or "").rpartition(".")[2] in _CONSTRUCTORS:
            found |= {name for name in map(dotted, targets) if name}
    return frozenset(found)


def takes_locks(module: Module) -> bool:
    """Whether anything in the text of the module sounds like a lock: a quick look before the long one."""
    return bool(_LOCKISH.search(module.text))


def is_lock(expression: ast.expr, known: frozenset[str]) -> bool:
    """Whether a `with` item looks like a lock: a known one, or one whose words say so."""
    if isinstance(expression, ast.Subscript):
        expression = expression.value
    name = dotted(expression)
    if name is not None:
        return name in known or bool(_LOCKISH.search(name.rpartition(".")[2]))
    return isinstance(expression, ast.Call) and bool(_LOCKISH.search(dotted(expression.func) or ""))


def held(module: Module, node: ast.AST, function: FunctionNode, known: frozenset[str]) -> Mapping[ast.AST, str]:
    """The `with` statements inside `function` whose body holds `node` and that take a lock -> the lock's text."""
    found: dict[ast.AST, str] = {}
    below = node
    for up in module.ancestors(node):
        if isinstance(up, ast.With | ast.AsyncWith) and below in up.body:
            for item in up.items:
                if is_lock(item.context_expr, known):
                    found[up] = ast.unparse(item.context_expr)
        if up is function:
            break
        below = up
    return found
