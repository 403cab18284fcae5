"""From where a function is reached: its callers, theirs, and whoever looks it up by name."""

import ast
from collections import deque
from collections.abc import Iterator

from harness.source.module import Module
from harness.source.project import Project
from harness.source.syntax import NotParsed

MOST = 24
"""Functions that are named."""
Place = tuple[str, str]
"""Path and qualified name of a function."""


def entries(project: Project, path: str, qualname: str) -> list[Place]:
    """Functions from which the one named is reached, nearest first; tests and the function itself left out."""
    found: list[Place] = []
    waiting = deque([(path, qualname)])
    seen = {(path, qualname)}
    while waiting and len(found) < MOST:
        for caller in _callers(project, *waiting.popleft()):
            if caller not in seen:
                seen.add(caller)
                found.append(caller)
                waiting.append(caller)
    return found[:MOST]


def _callers(project: Project, path: str, qualname: str) -> Iterator[Place]:
    outer = qualname.rpartition(".")[0]
    module = _module(project, path)
    if module is None:
        return
    if outer in dict(module.functions):
        yield path, outer
    dotted = f"{module.name}.{qualname}" if module.name else qualname
    function = project.index.functions.get(dotted)
    if function is None:
        return
    for call in project.index.callers(function):
        if call.caller and not call.test:
            yield call.path, call.caller
    yield from _by_name(project, qualname.rpartition(".")[2])


def _by_name(project: Project, name: str) -> Iterator[Place]:
    for call in project.index.calls.get("getattr", []):
        module = _module(project, call.path) if call.caller and not call.test else None
        for node in module.nodes(ast.Call) if module is not None else ():
            if (node.lineno, node.col_offset) == (call.line, call.column) and len(node.args) > 1:
                beginning = _beginning(module, node) if module is not None else ""
                if len(beginning) > 1 and name.startswith(beginning):
                    yield call.path, call.caller


def _beginning(module: Module, node: ast.Call) -> str:
    """Known beginning of the second argument, also through one assignment in the same function."""
    made: ast.expr = node.args[1]
    around = module.enclosing_function(node)
    if isinstance(made, ast.Name) and around is not None:
        values = [
            s.value for s in ast.walk(around)
            if isinstance(s, ast.Assign) and [ast.unparse(t) for t in s.targets] == [made.id]
        ]  # fmt: skip
        made = values[0] if len(values) == 1 else made
    first = next((n for n in ast.walk(made) if isinstance(n, ast.Constant) and isinstance(n.value, str)), None)
    if first is None or isinstance(made, ast.Constant):
        return ""
    return str(first.value).partition("{")[0].partition("%")[0]


def _module(project: Project, path: str) -> Module | None:
    try:
        return project.module(path)
    except (KeyError, NotParsed, OSError):
        return None
