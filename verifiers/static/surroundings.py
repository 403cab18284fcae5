"""What stands around a node and may speak against a claim: handlers, comments, local names, callers, what runs it."""

import ast
import re
from collections.abc import Iterable, Iterator

from harness.source.index import Call
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed

_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_PARENTS = {
    "FileNotFoundError": {"OSError", "EnvironmentError", "IOError"},
    "FileExistsError": {"OSError", "EnvironmentError", "IOError"},
    "OSError": {"EnvironmentError", "IOError"},
    "KeyError": {"LookupError"},
}


def inside(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node of `body` that the same call of the function evaluates, in source order."""
    for node in body:
        yield node
        if not isinstance(node, _NESTED):
            yield from inside(ast.iter_child_nodes(node))


def chain(node: ast.AST | None) -> str:
    """`a.b.c` as written, '' for anything but a chain of names."""
    if isinstance(node, ast.Attribute):
        head = chain(node.value)
        return f"{head}.{node.attr}" if head else ""
    return node.id if isinstance(node, ast.Name) else ""


def bindings(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.Assign | ast.AnnAssign, ast.expr, list[ast.expr]]]:
    """Every assignment with a value among `nodes`: the statement, its value, its targets."""
    for node in nodes:
        if isinstance(node, ast.Assign):
            yield node, node.value, node.targets
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield node, node.value, [node.target]


def local_names(function: FunctionNode) -> set[str]:
    """Parameters of `function` and the names that its own body binds without `global`."""
    a = function.args
    names = {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
    names |= {p.arg for p in (a.vararg, a.kwarg) if p}
    shared: set[str] = set()
    for node in inside(function.body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            shared |= set(node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
    return names - shared


def catcher(module: Module, node: ast.AST, error: str) -> ast.ExceptHandler | ast.With | None:
    """The handler (or `with suppress(...)`) in the same function that receives `error` raised at `node`."""
    accepted = {error, *_PARENTS.get(error, ()), "Exception", "BaseException"}
    below = node
    for up in module.ancestors(node):
        if isinstance(up, ast.Try) and below in up.body:
            for handler in up.handlers:
                if handler.type is None or _names(handler.type) & accepted:
                    return handler
        if isinstance(up, ast.With) and below in up.body:
            for item in up.items:
                call = item.context_expr
                if isinstance(call, ast.Call) and chain(call.func).endswith("suppress"):
                    caught: set[str] = set()
                    for argument in call.args:
                        caught |= _names(argument)
                    if caught & accepted:
                        return up
        if isinstance(up, _NESTED):
            return None
        below = up
    return None


def _names(node: ast.AST) -> set[str]:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return {chain(part).rpartition(".")[2] for part in parts}


def comment_in(module: Module, first: int, last: int) -> tuple[int, str] | None:
    """The first comment on the lines `first` to `last`."""
    for number in range(max(first, 1), min(last, len(module.lines)) + 1):
        match = re.search(r"(?:^|\s)#+\s*(.+)$", module.lines[number - 1])
        if match and not re.match(r"(noqa|type:|pragma|pylint|expect:|nosec)", match.group(1)):
            return number, match.group(1)
    return None


def call_node(project: Project, call: Call) -> tuple[Module, ast.Call] | None:
    """The call expression that an entry of the index speaks of."""
    try:
        module = project.module(call.path)
    except (KeyError, NotParsed):
        return None
    for node in module.nodes(ast.Call):
        if node.lineno == call.line and node.col_offset == call.column:
            return module, node
    return None


def class_of(module: Module, node: ast.AST) -> ast.ClassDef | None:
    """The class whose method holds `node`."""
    return module.enclosing_class(node)


def method(cls: ast.ClassDef, name: str) -> FunctionNode | None:
    """The last definition of a method in the body of `cls`."""
    found = None
    for statement in cls.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name:
            found = statement
    return found


def enclosing_test(module: Module, node: ast.AST) -> Iterator[tuple[ast.If, bool]]:
    """Every `if` that decides whether `node` runs, innermost first, with True when it stands in the body."""
    below = node
    for up in module.ancestors(node):
        if isinstance(up, ast.If):
            if below in up.body:
                yield up, True
            elif below in up.orelse:
                yield up, False
        below = up
