"""A module with a wire across one line: whoever gets there prints a token that only we know, and ends at once.

So that a line was executed is seen from outside, by the token, and not by a trace that the observed code could write.
"""

import ast

from harness.source.module import FunctionNode, Module
from harness.source.syntax import NotParsed, parse


def across(module: Module, line: int, token: str) -> str | None:
    """The text with a wire before what runs at `line`; None when nothing can be watched there (`else:`, a comment)."""
    target = _target(module, line)
    return None if target is None else _before(module, target, token)


def at_entry(module: Module, line: int, token: str) -> str | None:
    """The text with a wire where the function around `line` begins, or the module when there is none."""
    functions: list[FunctionNode] = [f for _, f in module.functions if f.lineno <= line <= (f.end_lineno or f.lineno)]
    if functions:
        return _before(module, max(functions, key=lambda f: f.lineno).body[0], token)
    first = next((s for s in module.tree.body if not _must_come_first(s)), None) if module.tree.body else None
    return None if first is None else _before(module, first, token)


def _target(module: Module, line: int) -> ast.stmt | None:
    """The statement that begins to run when control comes to `line`."""
    for handler in module.nodes(ast.ExceptHandler):
        if handler.lineno == line:
            return handler.body[0]
    around = [
        n for n in module.parents if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or n.lineno)
    ]  # fmt: skip
    if not around:
        return None
    innermost = max(around, key=lambda n: (n.lineno, n.col_offset))
    body: list[ast.stmt] = getattr(innermost, "body", None) or getattr(innermost, "cases", None) or []
    if not body:
        return innermost
    first = body[0].pattern.lineno if isinstance(body[0], ast.match_case) else body[0].lineno
    if line != innermost.lineno and line >= first:
        return None
    if isinstance(innermost, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return innermost.body[0]
    return innermost


def _before(module: Module, target: ast.stmt, token: str) -> str | None:
    """The text with the wire in front of a statement: in its line, or in one of its own before a compound one."""
    wire = f"__import__('os').write(1, b'{token}\\n'), __import__('os')._exit(0)"
    lines = list(module.lines)
    decorators: list[ast.expr] = getattr(target, "decorator_list", [])
    number = min([target.lineno, *(d.lineno for d in decorators)])
    text = lines[number - 1]
    start = len(text.encode("utf-8", "surrogatepass")[: target.col_offset].decode("utf-8", "replace"))
    compound = hasattr(target, "body") or hasattr(target, "cases")
    if not compound:
        lines[number - 1] = f"{text[:start]}{wire}; {text[start:]}"
    elif text[:start].strip() or text[start:].startswith("elif"):
        return None
    else:
        lines.insert(number - 1, text[:start] + wire)
    changed = "\n".join(lines)
    try:
        parse(changed)
    except NotParsed:
        return None
    return changed


def _must_come_first(statement: ast.stmt) -> bool:
    doc = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return doc or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")
