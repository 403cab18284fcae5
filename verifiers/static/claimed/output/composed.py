"""Texts put together: what stands before each value that is put in."""

import ast
import string
from collections.abc import Iterator
from typing import NamedTuple

from harness.source.module import FunctionNode, Module
from verifiers.static.claimed.output import bindings


class Put(NamedTuple):
    """One value in a text."""

    before: str
    """Constant text in front of it, `?` for other values."""
    value: ast.expr


def texts(module: Module, function: FunctionNode) -> Iterator[ast.expr]:
    """Outermost expressions of a function that put a text together."""
    for node in ast.walk(function):
        if isinstance(node, ast.JoinedStr | ast.BinOp | ast.Call) and puts(module, node):
            parent = module.parents.get(node)
            if not isinstance(parent, ast.BinOp | ast.JoinedStr):
                yield node


def puts(module: Module, node: ast.expr) -> list[Put]:
    """Values that an expression puts into a text, in order; [] when it makes no text."""
    pieces = parts(module, node)
    if not any(isinstance(p, str) for p in pieces):
        return []
    found, before = [], ""
    for piece in pieces:
        if isinstance(piece, str):
            before += piece
        else:
            found.append(Put(before, piece))
            before += "?"
    return found


def parts(module: Module, node: ast.expr, depth: int = 6) -> list[str | ast.expr]:
    """Constant texts and values that an expression is made of, in order."""
    match node:
        case ast.Constant(value=str() as text):
            return [text]
        case ast.JoinedStr():
            return [p for v in node.values for p in parts(module, v, depth)]
        case ast.FormattedValue():
            return [node.value]
        case ast.BinOp(op=ast.Add()) if depth:
            return [*parts(module, node.left, depth - 1), *parts(module, node.right, depth - 1)]
        case ast.BinOp(op=ast.Mod()):
            template = _constant(module, node.left)
            given = list(node.right.elts) if isinstance(node.right, ast.Tuple) else [node.right]
            return _percent(template, given) if template is not None else [node]
        case ast.Call(func=ast.Attribute(attr="format")):
            assert isinstance(node.func, ast.Attribute)  # as the pattern says
            template = _constant(module, node.func.value)
            return _formatted(template, node) if template is not None else [node]
        case ast.Name() if depth:
            constant = _constant(module, node)
            return [constant] if constant is not None else [node]
        case _:
            return [node]


def _constant(module: Module, node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        found = bindings.bindings(module, node)
        if len(found) == 1 and found[0].how == "value" and isinstance(found[0].node, ast.Constant):
            value = found[0].node.value
            return value if isinstance(value, str) else None
    return None


def _percent(template: str, given: list[ast.expr]) -> list[str | ast.expr]:
    found: list[str | ast.expr] = []
    rest, at = template.replace("%%", "\0"), 0
    while "%" in rest:
        before, _, rest = rest.partition("%")
        found.append(before.replace("\0", "%"))
        if rest.startswith("("):
            rest = rest.partition(")")[2]
        rest = rest.lstrip("0123456789.-+# ")[1:]
        if given:
            found.append(given[min(at, len(given) - 1)])
        at += 1
    return [*found, rest.replace("\0", "%")]


def _formatted(template: str, call: ast.Call) -> list[str | ast.expr]:
    named = {k.arg: k.value for k in call.keywords}
    found: list[str | ast.expr] = []
    at = 0
    try:
        fields = list(string.Formatter().parse(template))
    except ValueError:
        return [call]
    for text, name, _, _ in fields:
        found.append(text)
        if name is None:
            continue
        key = name.partition(".")[0].partition("[")[0]
        if key and not key.isdecimal():
            found.append(named.get(key, call))
            continue
        position = int(key) if key else at
        at += 1
        found.append(call.args[position] if position < len(call.args) else call)
    return found
