"""Whether an expression is an XML document or an element of one, by what its name is bound to."""

import ast
import re

from harness.source.module import Module

_MAKES = re.compile(
    r"(?:lxml\.(?:etree|objectify|html)|xml\.etree\.\w+|defusedxml\.\w+)\."
    r"(?:parse|fromstring|XML|HTML|document_fromstring|ElementTree|Element|fromstringlist)"
)
_STEPS = frozenset({"getroot", "find", "getparent", "getroottree"})


def is_document(module: Module, node: ast.expr, depth: int = 5) -> bool:
    """Whether it is made by an XML parser: at once, or through names that are bound only so."""
    if depth == 0:
        return False
    if isinstance(node, ast.Call):
        if _MAKES.fullmatch(module.resolve(node.func) or ""):
            return True
        on = node.func
        return isinstance(on, ast.Attribute) and on.attr in _STEPS and is_document(module, on.value, depth - 1)
    if not isinstance(node, ast.Name):
        return False
    function = module.enclosing_function(node)
    bound = _bound(function, node.id) if function is not None else []
    if function is not None and (bound or _is_parameter(function, node.id)):
        return bool(bound) and all(is_document(module, value, depth - 1) for value in bound)
    statement = module.definitions.get(node.id)
    stores = [n for n in module.nodes(ast.Name) if n.id == node.id and isinstance(n.ctx, ast.Store)]
    at_top = isinstance(statement, ast.Assign) and len([s for s in stores if not module.enclosing_function(s)]) == 1
    return at_top and isinstance(statement, ast.Assign) and is_document(module, statement.value, depth - 1)


def _is_parameter(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    return any(isinstance(a, ast.arg) and a.arg == name for a in ast.walk(function.args))


def _bound(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> list[ast.expr]:
    """Everything the function binds the name to."""
    found: list[ast.expr] = []
    for part in ast.walk(function):
        if isinstance(part, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in part.targets):
            found.append(part.value)
        elif isinstance(part, ast.With | ast.AsyncWith | ast.For | ast.AsyncFor | ast.AugAssign | ast.NamedExpr):
            held = [n for n in ast.walk(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
            if any(n.id == name and _own(part, n) for n in held):
                found.append(ast.Constant(value=None))
    return found


def _own(part: ast.AST, name: ast.Name) -> bool:
    """Whether this statement itself binds the name, and not one inside it."""
    match part:
        case ast.For() | ast.AsyncFor() | ast.AugAssign() | ast.NamedExpr():
            return any(n is name for n in ast.walk(part.target))
        case ast.With() | ast.AsyncWith():
            return any(i.optional_vars is not None and name in list(ast.walk(i.optional_vars)) for i in part.items)
    return False
