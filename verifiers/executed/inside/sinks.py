"""Instruments one place of one file: what reaches it is noted when it is evaluated, and nothing else changes."""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import os
from typing import TYPE_CHECKING, Any

NOTE = "__reproducer_note__"
SELF = "__reproducer_self__"
Slot = str
"""Which part of the call: `self` for the receiver, `0`, `1`, ... for arguments, a keyword's name, `return`."""
seen: list[tuple[Slot, object]] = []
"""What reached the place, in order of evaluation."""

if TYPE_CHECKING:  # Python 3.8 cannot subscript these
    Span = tuple[int, int, int, int]
    """First line, first column, last line, column after the last: as `ast` counts them."""


def instrument(path: str, span: Span) -> None:
    """Rewrite the call or `return` at this place when `path` is imported."""
    original = importlib.machinery.SourceFileLoader.source_to_code

    def source_to_code(self: Any, data: Any, file: Any, *, _optimize: int = -1) -> Any:
        if os.path.realpath(os.fsdecode(file)) == os.path.realpath(path) and isinstance(data, (bytes, str)):
            tree = _Rewriter(span).visit(ast.parse(data, os.fsdecode(file)))
            ast.fix_missing_locations(tree)
            return compile(tree, os.fsdecode(file), "exec", dont_inherit=True, optimize=_optimize)
        return original(self, data, file, _optimize=_optimize)

    importlib.machinery.SourceFileLoader.source_to_code = source_to_code  # type: ignore[method-assign,assignment]  # the hook
    setattr(builtins, NOTE, _note)
    setattr(builtins, SELF, _note_one)


def _note(*values: object) -> tuple[object, ...]:
    seen.extend((str(position), value) for position, value in enumerate(values))
    if not values:
        seen.append(("call", None))
    return values


def _note_one(slot: Slot, value: Any) -> Any:
    seen.append((slot, value))
    return value


class _Rewriter(ast.NodeTransformer):
    """`a.f(x, k=y)` becomes `self(a).f(*note(x), k=self(y))`, so that the call stays in its own frame."""

    def __init__(self, span: Span) -> None:
        self.span = span

    def visit_Call(self, node: ast.Call) -> ast.AST:  # the name that ast looks for
        found = _span(node) == self.span
        self.generic_visit(node)
        if found:
            if isinstance(node.func, ast.Attribute) and not _is_super(node.func.value):
                node.func.value = _call(SELF, [ast.Constant("self"), node.func.value])
            node.args = [ast.Starred(_call(NOTE, node.args), ast.Load())]
            for keyword in node.keywords:
                keyword.value = _call(SELF, [ast.Constant(keyword.arg or "**"), keyword.value])
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:  # the same
        found = _span(node) == self.span
        self.generic_visit(node)
        if found and node.value is not None:
            node.value = _call(SELF, [ast.Constant("return"), node.value])
        return node


def _span(node: ast.expr | ast.stmt) -> Span:
    return (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])


def reached() -> bool:
    """Whether the call was about to be made: its receiver alone may be evaluated and the call not be reached."""
    return any(slot != "self" for slot, _ in seen)


def texts(slots: list[Slot]) -> list[str]:
    """What is textual in these slots: strings, bytes, paths, statements, names of files, items of lists."""
    found: list[str] = []
    waiting = [value for slot, value in seen if slot in slots]
    while waiting and len(found) < 50:
        value = waiting.pop(0)
        if isinstance(value, str):
            found.append(str.__str__(value))
        elif isinstance(value, (bytes, bytearray)):
            found.append(bytes(value).decode("utf-8", "replace"))
        elif isinstance(value, os.PathLike):
            found.append(os.fsdecode(value))
        elif isinstance(value, (list, tuple)):
            waiting[:0] = list(value)
        else:
            names = ("name", "full_url", "text")  # of an open file, a urllib request, an SQLAlchemy clause
            found += [t for t in (getattr(value, name, None) for name in names) if isinstance(t, str)][:1]
    return found
