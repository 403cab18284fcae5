"""Which functions a claim speaks of that names a line: the one around it, the one it heads, those that use a constant."""

import ast

from harness.source.module import FunctionNode, Module
from verifiers.static.locate import statement_at

CLOSE = 3
FARTHEST = 12
"""Lines between a claim and the operation it is about: people and models point nearby."""


def head(function: FunctionNode) -> int:
    """The first line of a function, decorators included."""
    return min([function.lineno, *(d.lineno for d in function.decorator_list)])


def around(module: Module, line: int) -> FunctionNode | None:
    """The innermost function that holds the line, in its decorators too."""
    holding = [f for _, f in module.functions if head(f) <= line <= (f.end_lineno or f.lineno)]
    return max(holding, key=lambda f: f.lineno, default=None)


def meant(module: Module, line: int) -> list[FunctionNode]:
    """Functions that the line speaks of, the likeliest first; [] for code of the module that belongs to none."""
    inside = around(module, line)
    if inside is not None:
        return [inside]
    name = _bound_at(module, line)
    if name is not None:
        using = {
            f.lineno: f
            for n in module.nodes(ast.Name)
            if n.id == name and isinstance(n.ctx, ast.Load) and (f := module.enclosing_function(n)) is not None
        }
        return [using[number] for number in sorted(using)]
    if not _says_nothing(module, line):
        return []
    after = [f for _, f in module.functions if line < head(f) <= line + CLOSE]
    before = [f for _, f in module.functions if line - CLOSE <= (f.end_lineno or f.lineno) < line]
    return after[:1] or before[-1:]


def _bound_at(module: Module, line: int) -> str | None:
    """The name that the module binds in a statement on this line."""
    statement = statement_at(module, line)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = [t.id for t in targets if isinstance(t, ast.Name)]
    return names[0] if len(names) == 1 and module.definitions.get(names[0]) is statement else None


def _says_nothing(module: Module, line: int) -> bool:
    """A blank line, a comment, or the head of a class."""
    statement = statement_at(module, line)
    text = module.line_text(line)
    return not text or text.startswith("#") or (isinstance(statement, ast.ClassDef) and statement.lineno == line)
