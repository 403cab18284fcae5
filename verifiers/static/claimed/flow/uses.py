"""What becomes of a function's result: code that does no harm itself may make what does harm where it is used."""

import ast
from collections.abc import Callable, Iterable

from harness.source.index import Call
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.flow.place import around
from verifiers.static.security import untrusted
from verifiers.static.surroundings import call_node, inside

DEEPEST = 3
MOST_SITES = 24
"""Calls of a function that are looked at."""
Does = Callable[[Module, ast.Call], bool]
"""Whether a call may be the operation."""


def elsewhere(project: Project, module: Module, function: FunctionNode, does: Does, depth: int = DEEPEST) -> str | None:
    """Why what the function gives back or stores may arrive at an operation elsewhere; None when it does not.

    The answer of a function that answers requests goes to the client and nowhere else.
    """
    owner = module.enclosing_class(function)
    if owner is not None and _stores(function):
        for call in (n for n in ast.walk(owner) if isinstance(n, ast.Call)):
            if does(module, call):
                return f"what the function stores may be used in line {call.lineno}"
    if not _gives(function) or _answers(project, module, function):
        return None
    dotted = f"{module.name}.{module.qualname(function)}" if module.name else module.qualname(function)
    known = project.index.functions.get(dotted)
    sites = [c for c in project.index.callers(known) if not c.test] if known is not None else []
    if not 0 < len(sites) <= MOST_SITES or depth == 0:
        return f"not everybody is seen who uses what `{module.qualname(function)}` gives back"
    for site in sites:
        found = _at(project, site, does, depth)
        if found is not None:
            return found
    return None


def _at(project: Project, site: Call, does: Does, depth: int) -> str | None:
    found = call_node(project, site)
    if found is None:
        return "a call of the function cannot be read"
    module, made = found
    caller = around(module, made.lineno)
    scope: ast.AST = caller or module.tree
    held = _held(scope, made)
    for call in ast.walk(scope):
        if isinstance(call, ast.Call) and call is not made and does(module, call):
            given = [n for a in (*call.args, *(k.value for k in call.keywords)) for n in ast.walk(a)]
            if made in given or _names(given) & held:
                return f"what the function gives back is used in line {call.lineno} of {module.path}"
    if caller is None or not any(_passes_on(r, made, held) for r in ast.walk(caller)):
        return None
    return elsewhere(project, module, caller, does, depth - 1)


def _passes_on(node: ast.AST, made: ast.Call, held: set[str]) -> bool:
    """Whether a statement hands the value on: returns it, yields it, or puts it into something that lasts."""
    match node:
        case ast.Return(value=ast.expr() as value) | ast.Yield(value=ast.expr() as value) | ast.YieldFrom(value=value):
            within = list(ast.walk(value))
        case ast.Assign(targets=targets, value=value) if any(isinstance(t, ast.Attribute) for t in targets):
            within = list(ast.walk(value))
        case _:
            return False
    return made in within or bool(_names(within) & held)


def _stores(function: FunctionNode) -> bool:
    return any(
        isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name)
        for n in ast.walk(function)
    )


def _gives(function: FunctionNode) -> bool:
    """Whether it gives back more than a truth value, a number or a text that stands there."""
    for node in inside(function.body):
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
            if isinstance(node.value, ast.Compare | ast.UnaryOp):
                continue
            return True
    return False


def _answers(project: Project, module: Module, function: FunctionNode) -> bool:
    """Whether it answers requests."""
    if untrusted.routes(module, function) or untrusted.parameters(module, function):
        return True
    owner = module.enclosing_class(function)
    dotted = f"{module.name}.{module.qualname(owner)}" if owner is not None and module.name else ""
    return any("Handler" in b for b in _bases(project, dotted)) and function.name.startswith(("do_", "get", "post"))


def _bases(project: Project, name: str, depth: int = 6) -> list[str]:
    """Names of the classes outside the project that a class is made from."""
    found = project.index.classes.get(project.index.canonical(name))
    if found is None or depth == 0:
        return [name] if name else []
    return [b for base in found.bases for b in _bases(project, base, depth - 1)]


def _held(scope: ast.AST, made: ast.Call) -> set[str]:
    """Names that hold what the call gives, or something made of it."""
    held: set[str] = set()
    bindings = [
        (n.targets if isinstance(n, ast.Assign) else [n.target], list(ast.walk(n.value)))
        for n in ast.walk(scope)
        if isinstance(n, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and n.value is not None
    ]
    bindings += [([n.target], list(ast.walk(n.iter))) for n in ast.walk(scope) if isinstance(n, ast.For | ast.AsyncFor)]
    grew = True
    while grew:
        before = len(held)
        for targets, within in bindings:
            if made in within or _names(within) & held:
                held |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        grew = len(held) > before
    return held


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    return {n.id for n in nodes if isinstance(n, ast.Name)}
