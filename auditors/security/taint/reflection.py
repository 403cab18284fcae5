"""Functions that are looked up by a name that is put together: `getattr(module, f"do_{action}")`."""

import ast

from harness.source.module import Module

SHORTEST = 2
"""Characters of a beginning that says something."""


def prefix_of(module: Module, node: ast.expr, texts: dict[str, str]) -> str:
    """Beginning of the names that a `getattr` may look up, '' for every other expression. `texts`: locals' beginnings."""
    if not isinstance(node, ast.Call) or module.resolve(node.func) != "getattr" or len(node.args) < 2:
        return ""
    found = beginning(node.args[1], texts)
    return found if len(found) >= SHORTEST and found.isidentifier() else ""


def beginning(node: ast.expr, texts: dict[str, str]) -> str:
    """The known beginning of a text that is put together, '' when nothing is known or all of it is."""
    match node:
        case ast.Name():
            return texts.get(node.id, "")
        case ast.JoinedStr(values=[ast.Constant(value=str() as first), *_]):
            return first
        case ast.BinOp(op=ast.Add(), left=ast.Constant(value=str() as first)):
            return first
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str() as first)):
            return first.partition("%")[0]
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as first), attr="format")):
            return first.partition("{")[0]
    return ""
