"""Small questions about syntax that several checks ask of a tree."""

import ast
from collections.abc import Iterable, Iterator

from harness.source.module import FunctionNode

NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def dotted(node: ast.AST | None) -> str:
    """`a.b.c` for a chain of names and attributes, '' for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


def last_name(node: ast.AST | None) -> str:
    """The name a call or chain ends in: `c` for `f().b.c`, '' when it ends in no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def own(nodes: ast.AST | Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Descendants in source order; nested functions, lambdas and classes are yielded but not entered."""
    stack = list(ast.iter_child_nodes(nodes)) if isinstance(nodes, ast.AST) else list(nodes)
    stack.reverse()
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, NESTED):
            stack.extend(reversed(list(ast.iter_child_nodes(node))))


def stored(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Names that are bound below `nodes`, not in nested scopes."""
    found: set[str] = set()
    for node in own(nodes):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.ExceptHandler(name=str(name)):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias():
                found.add((node.asname or node.name).split(".")[0])
    return found


def parameters(function: FunctionNode) -> list[ast.arg]:
    """Every parameter, the starred ones last."""
    a = function.args
    extra = [star for star in (a.vararg, a.kwarg) if star is not None]
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *extra]


def defaults(function: FunctionNode) -> Iterator[tuple[ast.arg, ast.expr]]:
    """Parameters that have a default, with it."""
    a = function.args
    positional = [*a.posonlyargs, *a.args]
    yield from zip(positional[len(positional) - len(a.defaults) :], a.defaults, strict=True)
    for argument, default in zip(a.kwonlyargs, a.kw_defaults, strict=True):
        if default is not None:
            yield argument, default


def near(first: str, second: str) -> bool:
    """One letter changed, added or lost, or two neighbours swapped; never for words under five letters."""
    if first == second or min(len(first), len(second)) < 5 or abs(len(first) - len(second)) > 1:
        return False
    if first[:1] != second[:1]:
        return False
    if len(first) == len(second):
        off = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
        if len(off) == 1:
            return True
        return (
            len(off) == 2
            and off[1] == off[0] + 1
            and first[off[0]] == second[off[1]]
            and first[off[1]] == second[off[0]]
        )
    short, long = sorted((first, second), key=len)
    return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))
