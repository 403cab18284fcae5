"""Which files a module opens, and which of these are the same file by the way their path is written."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from auditors.bodies import constant, dotted, keyword, own
from harness.source.module import FunctionNode, Module

_OPENS = frozenset({"open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open"})
_METHODS = {"write_text": "w", "write_bytes": "wb", "read_text": "r", "read_bytes": "rb"}
_FREE = frozenset({"os", "Path", "str", "pathlib", "self", "cls"})


class Access(NamedTuple):
    """One call that reads or writes a whole file, or opens it."""

    call: ast.Call
    path: ast.expr
    mode: str
    """As for `open`; `?` when it cannot be told."""
    method: str
    """`open`, or the method of a path: `write_text`, ..."""


def access(module: Module, call: ast.Call) -> Access | None:
    """What `call` does to a file, None when it opens none."""
    name = module.resolve(call.func) or ""
    if name in _OPENS and call.args:
        given = keyword(call, "mode") or (call.args[1] if len(call.args) > 1 else None)
        return Access(call, call.args[0], "r" if given is None else constant(given) or "?", "open")
    if not isinstance(call.func, ast.Attribute):
        return None
    method = call.func.attr
    if method in _METHODS:
        return Access(call, call.func.value, _METHODS[method], method)
    if method == "open" and name not in {"os.open", "webbrowser.open", "tarfile.open", "zipfile.open", "Image.open"}:
        given = keyword(call, "mode") or (call.args[0] if call.args else None)
        mode = "r" if given is None else constant(given) or "?"
        if re.fullmatch(r"[rwaxbt+]{1,4}", mode):
            return Access(call, call.func.value, mode, "open")
    return None


def accesses(module: Module) -> Iterator[Access]:
    """Every access of the module, in source order."""
    for call in module.nodes(ast.Call):
        found = access(module, call)
        if found is not None:
            yield found


def key(module: Module, path: ast.expr, function: FunctionNode | None) -> str | None:
    """A text that is the same for the same file: made of constants, globals and attributes of `self` only.

    A local that is assigned once stands for its value. None when the path depends on anything else.
    """
    expression = _expanded(path, function)
    names = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
    if not all(n in _FREE or n in module.definitions or n in module.imports for n in names):
        return None
    if constant(expression) is not None:
        return f"text:{constant(expression)}"
    whole = module.resolve(expression)
    if whole is not None and not whole.startswith(("self.", "cls.")):
        return f"name:{whole}"
    text = re.sub(r"\b(?:Path|pathlib\.Path|str|os\.fspath)\(([^()]*)\)", r"\1", ast.unparse(expression))
    if names & {"self", "cls"}:
        cls = module.enclosing_class(path)
        return f"{module.name}.{module.qualname(cls) if cls else ''}:{text}"
    return f"{module.name}:{text}" if names - _FREE else None


def _expanded(path: ast.expr, function: FunctionNode | None) -> ast.expr:
    for _ in range(3):
        if not isinstance(path, ast.Name) or function is None:
            break
        bound = [
            n.value
            for n in own(function.body)
            if isinstance(n, ast.Assign) and any(dotted(t) == path.id for t in n.targets)
        ]
        if len(bound) != 1:
            break
        path = bound[0]
    return path
