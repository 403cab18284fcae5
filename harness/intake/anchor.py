"""What a verifier needs beyond place and words, read from the code at the place: the call, its function, the source."""

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from harness.intake.kinds import Kind
from harness.schema.location import Location
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed

_PARTS = frozenset(
    {"args", "values", "form", "json", "get_json", "cookies", "headers", "data", "get_data", "GET", "POST", "COOKIES",
     "query_params", "path_params", "body"}
)  # fmt: skip


_NO_ROUTES = frozenset(
    {"staticmethod", "classmethod", "property", "cached_property", "setter", "wraps", "contextmanager", "abstractmethod",
     "override", "lru_cache", "cache", "overload", "fixture"}
)  # fmt: skip
"""Decorators that make no function answer a URL."""
CLOSE = 3
FARTHEST = 12
"""Lines between a result and the call in the same function that it may be about: people and models point nearby."""


class Anchor(NamedTuple):
    """A place that one of our verifiers can work from."""

    kind: str
    location: Location
    facts: dict[str, str]
    source: Location | None
    """Where the data enters, when it shows."""


def anchored(kinds: Sequence[Kind], at: Location, start: Location | None, project: Project) -> Anchor | None:
    """The call that the result is about, for the first kind it fits; None when there is none or more than one.

    `start` is where the tool says that the data enters; without it the enclosing function is evaluated for every caller.
    """
    module = module_at(project, at.path)
    if module is None:
        return None
    for kind in kinds:
        call = _call(module, at, kind)
        if call is not None:
            return _anchor(kind, module, call, start, project)
        statement = _statement(module, at, kind) if kind.statement else None
        if statement is not None:
            return Anchor(kind.name, module.location(statement), {}, None)
    for kind in kinds:
        beside = _beside(module, at, kind) if kind.sink else None
        if beside is not None:
            found = _anchor(kind, module, beside, start, project)
            place = found.location
            sink_at = f"{place.line}:{place.column}:{place.end_line}:{place.end_column}"
            return found._replace(location=at, facts={**found.facts, "sink_at": sink_at})
        handed = _handed_on(module, at, kind, project) if kind.sink else None
        if handed is not None:
            return handed
    return None


def module_at(project: Project, path: str) -> Module | None:
    """The parsed module, None when it is none."""
    entry = project.entries.get(path)
    if entry is None or entry.language != "python":
        return None
    try:
        return project.module(path)
    except (NotParsed, OSError):
        return None


def symbol_at(module: Module, line: int) -> str | None:
    """The innermost function or class around a line."""
    spans = [(n.lineno, n.end_lineno or n.lineno, name) for name, n in [*module.functions, *module.classes]]
    around = [s for s in spans if s[0] <= line <= s[1]]
    return max(around)[2] if around else None


def _call(module: Module, at: Location, kind: Kind) -> ast.Call | None:
    wanted = re.compile(kind.callees)
    fitting = [
        call
        for call in module.nodes(ast.Call)
        if at.line <= call.lineno <= at.end_line
        and wanted.fullmatch(_name(module, call))
        and re.search(kind.says, module.segment(call))
    ]
    exact = [c for c in fitting if (module.location(c).line, module.location(c).column) == (at.line, at.column)]
    if len(exact) > 1:  # `f(x)(y)` begins twice at one place
        whole = [c for c in exact if module.location(c) == at]
        exact = whole or exact
    first = [c for c in fitting if c.lineno == at.line]
    chosen = exact or first or fitting
    return chosen[0] if len(chosen) == 1 else None


def _beside(module: Module, at: Location, kind: Kind) -> ast.Call | ast.Return | None:
    """The one fitting call that is nearest in the same function; for HTML, the return of a function that answers a URL."""
    wanted = re.compile(kind.callees)
    name = symbol_at(module, at.line)
    function = dict(module.functions).get(name or "")
    if function is None:
        return None
    fitting: list[ast.Call | ast.Return] = [
        n for n in ast.walk(function) if isinstance(n, ast.Call) and wanted.fullmatch(_name(module, n))
    ]
    if not fitting and kind.sink == "html" and any(_last(d) not in _NO_ROUTES for d in function.decorator_list):
        fitting = [n for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
    if not fitting:
        return None
    ranked = sorted(fitting, key=lambda n: (abs(n.lineno - at.line), n.lineno))
    near = [n for n in ranked if abs(n.lineno - at.line) <= FARTHEST]
    if len(near) > 1 and abs(near[0].lineno - at.line) > CLOSE:
        return None  # which of them is meant does not show
    return near[0] if near else None


def _last(decorator: ast.expr) -> str:
    """The last name of a decorator."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _statement(module: Module, at: Location, kind: Kind) -> ast.Assign | ast.Compare | None:
    """The one assignment of a text, or comparison with one, in the lines of the result."""
    found: list[ast.Assign | ast.Compare] = []
    nodes: list[ast.Assign | ast.Compare] = [*module.nodes(ast.Assign), *module.nodes(ast.Compare)]
    for node in nodes:
        if at.line <= node.lineno <= at.end_line and re.search(kind.says, module.segment(node)):
            found.append(node)
    return found[0] if len(found) == 1 else None


def _handed_on(module: Module, at: Location, kind: Kind, project: Project) -> Anchor | None:
    """A call beside the result of a function of the project that holds the one fitting call: it runs what it is given."""
    wanted = re.compile(kind.callees)
    function = dict(module.functions).get(symbol_at(module, at.line) or "")
    calls = [c for c in ast.walk(function) if isinstance(c, ast.Call)] if function is not None else []
    for call in sorted(calls, key=lambda c: (abs(c.lineno - at.line), c.lineno, c.col_offset)):
        name = module.resolve(call.func)
        if name is not None and "." not in name and module.name:
            name = f"{module.name}.{name}"
        callee = project.index.function(name) if name and abs(call.lineno - at.line) <= FARTHEST else None
        home = module_at(project, callee.path) if callee is not None else None
        node = dict(home.functions).get(callee.qualname) if home is not None and callee is not None else None
        inside = [c for c in ast.walk(node) if isinstance(c, ast.Call)] if node is not None else []
        fitting = [c for c in inside if home is not None and wanted.fullmatch(_name(home, c))]
        if len(fitting) == 1 and home is not None and function is not None:
            place = home.location(fitting[0])
            facts = {
                "sink": _name(home, fitting[0]), "sink_kind": kind.sink, "entry": module.qualname(function),
                "entry_path": module.path, "sink_path": home.path,
                "sink_at": f"{place.line}:{place.column}:{place.end_line}:{place.end_column}",
            }  # fmt: skip
            return Anchor(kind.name, at, facts, None)
    return None


def _name(module: Module, call: ast.Call) -> str:
    known = module.resolve(call.func)
    if known:
        return known
    return f"?.{call.func.attr}" if isinstance(call.func, ast.Attribute) else "?"


def _anchor(
    kind: Kind, module: Module, call: ast.Call | ast.Return, start: Location | None, project: Project
) -> Anchor:
    at = module.location(call)
    if not kind.sink:
        return Anchor(kind.name, at, {}, None)
    entry_module, function = _entry(module, call, start, project)
    entry = entry_module.qualname(function) if function else ""
    sink = _name(module, call) if isinstance(call, ast.Call) else "response body"
    facts = {"sink": sink, "sink_kind": kind.sink, "entry": entry, "entry_path": entry_module.path}
    source = start
    if function:
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and node.attr in _PARTS and _is_request(node.value):
                facts["source"] = f"request.{node.attr}"
                source = source or entry_module.location(node)
                break
    return Anchor(kind.name, at, facts, source)


def _entry(
    module: Module, call: ast.Call | ast.Return, start: Location | None, project: Project
) -> tuple[Module, FunctionNode | None]:
    """The function where the data is said to enter, else the one around the call."""
    if start is not None:
        other = module_at(project, start.path)
        name = symbol_at(other, start.line) if other else None
        function = dict(other.functions).get(name) if other and name else None
        if other is not None and function is not None:
            return other, function
    return module, module.enclosing_function(call)


def _is_request(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id == "request") or (
        isinstance(node, ast.Attribute) and node.attr == "request"
    )
