"""What several groups of checks ask of a function's body and of an expression's name."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from harness.source.module import FunctionNode, Module

_MARGINAL = frozenset(
    {"example", "examples", "samples", "benchmark", "benchmarks", "docs", "doc", "demo", "demos", "extras"}
)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def marginal(module: Module) -> bool:
    """Test code, examples, benchmarks and documentation: a defect there harms nobody's data."""
    return module.test or any(part.lower() in _MARGINAL for part in PurePosixPath(module.path).parts[:-1])


def own(scope: ast.AST | Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node below `scope` in source order, without what nested functions, lambdas and classes hold."""
    stack = list(reversed(list(ast.iter_child_nodes(scope) if isinstance(scope, ast.AST) else scope)))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack.extend(reversed(list(ast.iter_child_nodes(node))))


def dotted(node: ast.AST | None) -> str | None:
    """`a.b.c` as written, None for anything but a chain of names."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """Value of a keyword argument."""
    return next((k.value for k in call.keywords if k.arg == name), None)


def constant(node: ast.AST | None) -> str | None:
    """The text of a string literal."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def ends(body: list[ast.stmt]) -> bool:
    """Whether control never falls off the end of `body`."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def scopes(module: Module) -> Iterator[tuple[FunctionNode | None, list[ast.AST]]]:
    """Each function with its own nodes, and (None, nodes of the module level)."""
    yield None, list(own(module.tree))
    for _, function in module.functions:
        yield function, list(own(function.body))
