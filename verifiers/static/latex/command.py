"""A start of TeX as its text reads, and where the document that it compiles comes from."""

import ast
import re
from typing import NamedTuple

from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.surroundings import inside

_WRITES = ("write_text", "write", "writelines")


class Written(NamedTuple):
    """A place that writes a document from what comes in."""

    node: ast.Call
    parameter: str
    """The parameter it is made of."""


def command_text(module: Module, call: ast.Call) -> str:
    """The command as source text; of a local name, every statement that mentions it."""
    given = call.args[0] if call.args else None
    if isinstance(given, ast.Name) and (function := module.enclosing_function(call)) is not None:
        lines = [
            ast.unparse(statement)
            for statement in inside(function.body)
            if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr) and _mentions(statement, given.id)
        ]
        return "\n".join(lines)
    return ast.unparse(given) if given is not None else ""


def document(module: Module, call: ast.Call, project: Project) -> str | None:
    """The document of the project that is compiled, '' when it is none of the project's, None when that is not to be seen."""
    names = re.findall(r"['\"]([\w./-]+\.(?:tex|ltx))['\"]", command_text(module, call))
    if len(names) != 1:
        return None
    return next(iter(project.matching(f"**/{names[0]}", names[0])), "")


def written(module: Module, call: ast.Call) -> Written | None:
    """Where the function that starts TeX writes a file from one of its own parameters, before it starts it."""
    function = module.enclosing_function(call)
    if function is None:
        return None
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    parameters = {a.arg for a in arguments} - {"self", "cls"}
    for node in inside(function.body):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _WRITES):
            continue
        if not node.args or node.lineno > call.lineno:
            continue
        used = {n.id for n in ast.walk(node.args[0]) if isinstance(n, ast.Name)} & parameters
        if used:
            return Written(node, min(used))
    return None


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))
