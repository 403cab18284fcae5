"""From where a function is reached: its callers, theirs, and whoever looks it up by name."""

import ast
from collections import deque
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from harness.source.module import Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.surroundings import call_node

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


_LOOKED_UP: WeakKeyDictionary[Project, tuple[tuple[str, Place], ...]] = WeakKeyDictionary()
"""Per project: known beginning of a name, and the function that looks it up. Texts only, so that no tree is held."""


def _by_name(project: Project, name: str) -> Iterator[Place]:
    known = _LOOKED_UP.get(project)
    if known is None:
        known = _LOOKED_UP[project] = tuple(_lookups(project))
    yield from (place for beginning, place in known if name.startswith(beginning))


def _lookups(project: Project) -> Iterator[tuple[str, Place]]:
    for call in project.index.calls.get("getattr", []):
        found = call_node(project, call) if call.caller and not call.test else None
        if found is not None and len(found[1].args) > 1:
            beginning = _beginning(*found)
            if len(beginning) > 1:
                yield beginning, (call.path, call.caller)


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
