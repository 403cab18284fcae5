"""What a function calls, as far as it can be followed: by names, methods of its class, and methods that only few classes have."""

import ast
from typing import NamedTuple

from harness.source.index import Function
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.claimed.size import is_large
from verifiers.static.surroundings import chain

DEEPEST = 4
MOST = 60
SAME_NAME = 8
Place = tuple[str, str]
"""Path and qualified name of a function."""


class Reached(NamedTuple):
    """A function that runs when the first one does."""

    module: Module
    function: FunctionNode
    line: int
    """Line of the first function that leads there; its own first line for itself."""


class Spread(NamedTuple):
    """Everything that is reached."""

    functions: dict[Place, Reached]
    unknown: ast.Call | None
    """A call of which nobody can say what it runs, None when there is none."""
    whole: bool
    """Nothing was left out for its number, depth or size."""
    large: bool = False
    """Something was left out for its size."""

    def calls(self) -> list[tuple[Reached, ast.Call]]:
        """Every call inside."""
        return [(r, n) for r in self.functions.values() for n in ast.walk(r.function) if isinstance(n, ast.Call)]


def spread(project: Project, module: Module, function: FunctionNode) -> Spread:
    """The function itself and what it calls, four calls deep."""
    first = Reached(module, function, function.lineno)
    found: dict[Place, Reached] = {(module.path, module.qualname(function)): first}
    waiting = [(first, 0)]
    unknown: ast.Call | None = None
    whole, large = True, False
    while waiting:
        here, depth = waiting.pop(0)
        for node in ast.walk(here.function):
            if not isinstance(node, ast.Call):
                continue
            targets = _targets(project, here.module, node)
            if targets is None:
                unknown = unknown or node
                continue
            for target in targets:
                place = (target.path, target.qualname)
                home = _module(project, target.path)
                body = dict(home.functions).get(target.qualname) if home is not None else None
                if place in found or home is None or body is None:
                    continue
                too_large = is_large(home, body)
                if depth >= DEEPEST or len(found) >= MOST or too_large:
                    whole, large = False, large or too_large
                    continue
                line = node.lineno if here is first else here.line
                found[place] = Reached(home, body, line)
                waiting.append((found[place], depth + 1))
    return Spread(found, unknown, whole, large)


def name_of(module: Module, call: ast.Call) -> str:
    """Resolved name of what is called; `?.name` for a method of an unknown object, `?` for anything else."""
    if isinstance(call.func, ast.Attribute):
        known = module.resolve(call.func)
        root = chain(call.func).partition(".")[0]
        return known if known and (root in module.imports or root in module.definitions) else f"?.{call.func.attr}"
    return module.resolve(call.func) or "?"


def _targets(project: Project, module: Module, call: ast.Call) -> list[Function] | None:
    """Functions of the project that the call may run; None when it may run anything."""
    match call.func:
        case ast.Name(id=name):
            return _named(project, module, call, name)
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
            owner = module.enclosing_class(call)
            own = f"{module.name}.{module.qualname(owner)}" if owner is not None and module.name else ""
            method = project.index.function(f"{own}.{name}") if own else None
            return [method] if method is not None else _methods(project, name)
        case ast.Attribute(attr=name):
            known = module.resolve(call.func)
            root = chain(call.func).partition(".")[0]
            if known and (root in module.imports or root in module.definitions):
                found = project.index.function(known)
                made = project.index.functions.get(f"{project.index.canonical(known)}.__init__")
                return [f for f in (found, made) if f is not None]
            return _methods(project, name)
    return None  # what a call, a subscript or a lambda gives


def _named(project: Project, module: Module, call: ast.Call, name: str) -> list[Function] | None:
    around = module.enclosing_function(call)
    while around is not None:
        for statement in ast.walk(around):
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name:
                return []  # its body is part of the function around it
        arguments = around.args
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        stored = any(
            isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(around)
        )
        if stored or any(a.arg == name for a in given):
            return None
        around = module.enclosing_function(around)
    dotted = module.resolve(call.func) or name
    if "." not in dotted and module.name and name in module.definitions:
        dotted = f"{module.name}.{dotted}"
    found = project.index.function(dotted)
    made = project.index.functions.get(f"{project.index.canonical(dotted)}.__init__")
    return [f for f in (found, made) if f is not None]


def _methods(project: Project, name: str) -> list[Function] | None:
    """Methods so called; more than a few, and nobody can say which."""
    found = [f for f in project.index.by_simple_name.get(name, []) if f.class_name and not f.test]
    return found if len(found) <= SAME_NAME else None


def _module(project: Project, path: str) -> Module | None:
    try:
        return project.module(path)
    except (KeyError, NotParsed, OSError):
        return None
