"""Where a program starts TeX: the call and the words of its command, as far as they are written down."""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from auditors.bodies import constant, dotted, marginal, own
from harness.source.module import Module

ENGINES = frozenset({"tex", "latex", "pdflatex", "xelatex", "lualatex", "pdftex", "xetex", "luatex", "latexmk"})
_STARTS = frozenset(f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen"))


class Start(NamedTuple):
    """One start of TeX."""

    call: ast.Call
    function: str
    """`subprocess.run` ..."""
    engine: str
    """Name of the program."""
    words: tuple[str | None, ...]
    """Words of the command, None for those that are no literals."""
    whole: bool
    """Whether these are all of them."""


def starts(module: Module) -> Iterator[Start]:
    """Every start of TeX in code that is not marginal."""
    if marginal(module):
        return
    for call in module.nodes(ast.Call):
        function = module.resolve(call.func)
        if function not in _STARTS or not call.args:
            continue
        listed = _listed(call.args[0], module, call)
        if listed is None:
            continue
        words, whole = listed
        engine = next((n for w in words[:1] if w and (n := PurePosixPath(w).name.removesuffix(".exe")) in ENGINES), "")
        if engine:
            yield Start(call, function, engine, words, whole)


def _listed(given: ast.expr, module: Module, call: ast.Call) -> tuple[tuple[str | None, ...], bool] | None:
    """Words of a list, of a local that is bound once to one, or of a command line; None for anything else."""
    text = constant(given)
    if text is not None:
        return tuple(text.split()), True
    if isinstance(given, ast.JoinedStr) and given.values and (head := constant(given.values[0])):
        return tuple(head.split()), False
    whole = True
    if isinstance(given, ast.Name) and (function := module.enclosing_function(call)) is not None:
        mentions = [n for n in own(function.body) if isinstance(n, ast.Name) and n.id == given.id]
        bound = [n.value for n in own(function.body) if isinstance(n, ast.Assign) and dotted(n.targets[0]) == given.id]
        if len(bound) != 1:
            return None
        given, whole = bound[0], len(mentions) == 2
    if not isinstance(given, ast.List | ast.Tuple) or not given.elts:
        return None
    whole = whole and not any(isinstance(element, ast.Starred) for element in given.elts)
    return tuple(constant(element) for element in given.elts), whole
