"""What a value in a view or script is made of: the request, an escaping function, or neither."""

import ast
import re

from harness.source.module import Module

_REQUEST = re.compile(
    r"(?:flask\.)?request\.(?:args|form|values|json|data|cookies|headers|query_params|query_string|GET|POST|body|path|url|full_path)\b"
)
_ESCAPES = re.compile(
    r"(?:^|\.)(?:escape|conditional_escape|format_html|format_html_join|clean|sanitize|sanitise|tojson|dumps|int|float|len|bool|quote|"
    r"urlencode|slugify|escapejs|intcomma|url_for|reverse|isoformat|strftime|hexdigest)$"
)


def from_request(module: Module, node: ast.expr, depth: int = 4) -> bool:
    """Whether the value is part of the request as it came: read from it, by way of names bound once in the function."""
    if isinstance(node, ast.Call):
        name = module.resolve(node.func) or ""
        if _ESCAPES.search(name):
            return False
        if isinstance(node.func, ast.Attribute) and _REQUEST.match(name):
            return True
        if isinstance(node.func, ast.Attribute) and node.func.attr in {
            "strip",
            "lower",
            "upper",
            "replace",
            "format",
            "join",
        }:
            return from_request(module, node.func.value, depth) or any(
                from_request(module, a, depth) for a in node.args
            )
        return False
    if isinstance(node, ast.Attribute | ast.Subscript):
        base = node.value if isinstance(node, ast.Subscript) else node
        return bool(_REQUEST.match(module.resolve(base) or ""))
    if isinstance(node, ast.BinOp):
        return from_request(module, node.left, depth) or from_request(module, node.right, depth)
    if isinstance(node, ast.Tuple):
        return any(from_request(module, e, depth) for e in node.elts)
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(v, ast.FormattedValue) and from_request(module, v.value, depth) for v in node.values)
    if isinstance(node, ast.Name) and depth:
        value = _bound_once(module, node)
        return value is not None and from_request(module, value, depth - 1)
    return False


def escapes(module: Module, node: ast.expr, depth: int = 4) -> bool:
    """Whether the value can hold no markup: escaped, cleaned, a number, a constant, or made of such."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Call):
        name = module.resolve(node.func) or (node.func.attr if isinstance(node.func, ast.Attribute) else "")
        if _ESCAPES.search(name) or name in {"_", "gettext", "ngettext"} or "gettext" in name:
            return True
        joins = (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in {"join", "format"}
            and isinstance(node.func.value, ast.Constant)
        )
        return joins and all(escapes(module, a, depth) for a in node.args)
    if isinstance(node, ast.JoinedStr):
        return all(
            isinstance(v, ast.Constant) or (isinstance(v, ast.FormattedValue) and escapes(module, v.value, depth))
            for v in node.values
        )
    if isinstance(node, ast.BinOp):
        return escapes(module, node.left, depth) and escapes(module, node.right, depth)
    if isinstance(node, ast.IfExp):
        return escapes(module, node.body, depth) and escapes(module, node.orelse, depth)
    if isinstance(node, ast.Tuple | ast.List):
        return all(escapes(module, e, depth) for e in node.elts)
    if isinstance(node, ast.Name) and depth:
        value = _bound_once(module, node)
        return value is not None and escapes(module, value, depth - 1)
    return False


def _bound_once(module: Module, node: ast.Name) -> ast.expr | None:
    """The value of the only assignment to the name in its function, None when there are several or other bindings."""
    scope: ast.AST = module.enclosing_function(node) or module.tree
    if not isinstance(scope, ast.Module) and any(a.arg == node.id for a in ast.walk(scope) if isinstance(a, ast.arg)):
        return None
    stores = [
        n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == node.id and isinstance(n.ctx, ast.Store)
    ]
    if len(stores) != 1:
        return None
    statement = module.parents.get(stores[0])
    return statement.value if isinstance(statement, ast.Assign) and stores[0] in statement.targets else None
