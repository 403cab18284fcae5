"""The node that a tool's line and column mean, found again in our own tree."""

import ast
from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.locate import module_of

N = TypeVar("N", bound=ast.AST)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef)


class Site(NamedTuple, Generic[N]):
    """A node in its module."""

    module: Module
    node: N


def site(finding: Finding, project: Project, *types: type[N]) -> Site[N] | None:
    """The node of one of `types` that the finding's range means: the one with exactly this range, else one that starts
    there, else the smallest one around its start, else the outermost one on its line."""
    module = module_of(finding, project)
    if module is None:
        return None
    start = (finding.line, finding.column)
    starting: list[N] = []
    around: list[tuple[int, int, int, N]] = []
    on_line: list[N] = []
    for order, node in enumerate(module.nodes(*types)):
        line, end_line = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
        if not line <= finding.line <= end_line:
            continue
        place = module.location(node)
        if line == finding.line:
            on_line.append(node)
        if (place.line, place.column) == start:
            starting.append(node)
        elif (place.line, place.column) < start < (place.end_line, place.end_column or 0):
            around.append((-line, -place.column, -order, node))
    for node in starting:
        place = module.location(node)
        if (place.end_line, place.end_column) == (finding.end_line, finding.end_column):
            return Site(module, node)
    if starting:
        return Site(module, starting[0])
    if around:
        return Site(module, min(around, key=lambda entry: entry[:3])[3])
    on_line.sort(key=lambda node: getattr(node, "col_offset", 0))
    return Site(module, on_line[0]) if on_line else None


def inner(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes below `node` that belong to its own scope: nested functions, lambdas and classes are yielded, not entered."""
    stack = list(ast.iter_child_nodes(node))
    while stack:
        current = stack.pop()
        yield current
        if not isinstance(current, SCOPES):
            stack.extend(ast.iter_child_nodes(current))


def function_around(module: Module, node: ast.AST) -> FunctionNode | None:
    """`node` when it is a function, else the innermost one around it."""
    return node if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else module.enclosing_function(node)


def constant(node: ast.AST | None, module: Module | None = None) -> object:
    """Value of a literal, or of a module-level name bound once to one; Ellipsis when it is neither."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = constant(node.operand)
        return -value if isinstance(value, int | float) else ...
    if isinstance(node, ast.Name) and module is not None:
        bound = [n for n in module.nodes(ast.Name) if n.id == node.id and isinstance(n.ctx, ast.Store)]
        statement = module.definitions.get(node.id)
        if len(bound) == 1 and isinstance(statement, ast.Assign):
            return constant(statement.value)
    return ...


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """The value passed by this keyword."""
    return next((k.value for k in call.keywords if k.arg == name), None)


def splats(call: ast.Call) -> bool:
    """Whether the call takes arguments from a `*` or `**` that we cannot count."""
    return any(k.arg is None for k in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args)
