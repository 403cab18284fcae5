"""Locks that are taken out of sight: by a context manager, a decorator or an exit stack of the project itself."""

import ast
from collections.abc import Iterator

from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.surroundings import chain, class_of, method


def covering(module: Module, project: Project, *nodes: ast.AST) -> str | None:
    """What stands around all of `nodes` in their function and takes some lock, as a phrase; None when nothing does."""
    shared = set(module.ancestors(nodes[0])).intersection(*(set(module.ancestors(n)) for n in nodes[1:]))
    function = module.enclosing_function(nodes[0])
    first = min(getattr(n, "lineno", 0) for n in nodes)
    for up in shared:
        if isinstance(up, ast.With | ast.AsyncWith) and not _in_head(up, nodes):
            for item in up.items:
                if _taken_by(module, project, up, item.context_expr):
                    return f"`with {ast.unparse(item.context_expr)[:60]}` in line {up.lineno}"
    if function is None:
        return None
    for decorator in function.decorator_list:
        name = chain(decorator.func if isinstance(decorator, ast.Call) else decorator).rpartition(".")[2]
        if any(_takes(n) for _, n in _named(project, name)):
            return f"`@{name}`"
    for call in (n for n in ast.walk(function) if isinstance(n, ast.Call)):
        entered = chain(call.func).rpartition(".")[2] in {"enter_context", "enter_async_context"}
        if entered and call.args and call.lineno <= first and _taken_by(module, project, call, call.args[0]):
            return f"`{ast.unparse(call)[:60]}` in line {call.lineno}"
    return None


def _in_head(statement: ast.With | ast.AsyncWith, nodes: tuple[ast.AST, ...]) -> bool:
    heads = {n for item in statement.items for n in ast.walk(item.context_expr)}
    return any(n in heads for n in nodes)


def _taken_by(module: Module, project: Project, at: ast.AST, manager: ast.expr) -> bool:
    """Whether entering `manager` may take a lock: by its name, or by what the project's own code of that name does."""
    if isinstance(manager, ast.Call):
        name = chain(manager.func).rpartition(".")[2]
        return any(_takes(n) for _, n in _named(project, name)) or _enters_locked(project, name)
    name = chain(manager)
    if name == "self":
        cls = class_of(module, at)
        enter = method(cls, "__enter__") or method(cls, "__aenter__") if cls is not None else None
        return enter is None or _takes(enter)
    return _sounds(name)


def _enters_locked(project: Project, name: str) -> bool:
    return any(_takes(n) for q, n in _named(project, "__enter__") if q.split(".")[-2:-1] == [name])


def _named(project: Project, name: str) -> Iterator[tuple[str, FunctionNode]]:
    """Qualified name and node of the project's functions of this name."""
    for known in project.index.by_simple_name.get(name, []) if name else []:
        try:
            module = project.module(known.path)
        except NotParsed:
            continue
        yield from ((q, n) for q, n in module.functions if q == known.qualname)


def _takes(function: FunctionNode) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.With | ast.AsyncWith) and any(_sounds(_head(i.context_expr)) for i in node.items):
            return True
        called = chain(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        if called in {"acquire", "flock", "lockf"}:
            return True
    return False


def _head(manager: ast.expr) -> str:
    return chain(manager.func if isinstance(manager, ast.Call) else manager)


def _sounds(name: str) -> bool:
    last = name.rpartition(".")[2].lower()
    return any(word in last for word in ("lock", "mutex", "semaphore", "condition", "cond", "guard"))
