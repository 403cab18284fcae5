r"""tex-unescaped: a value is put into LaTeX as it is.

Why: `#`, `$`, `%`, `&`, `_`, `{`, `}`, `~`, `^` and `\` mean something to TeX. A file called `run_2.csv` in a `\section` breaks
the compilation, `50 %` makes the rest of the line a comment without any error, and text from outside can hold commands.

Example:

    out.write(f"\\section{{{path.name}}}")       # f"\\section{{{escape(path.name)}}}"

What it cannot see: LaTeX from template engines, and values that were escaped where they were made, in another project.
"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from auditors.bodies import constant, marginal
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="tex-unescaped",
    group="latex",
    title="Text put into LaTeX unescaped",
    severity=Severity.MEDIUM,
    cwe=116,
    page=__doc__,
)
_OPEN = re.compile(
    r"\\(?:part|chapter|(?:sub)*section|paragraph|title|author|caption|footnote|text(?:bf|it|tt|sf|sc)|emph|item)\*?"
    r"(?:\[[^\]]*\])?\{[^{}]*\Z"
)
_NUMERIC = re.compile(r"[,_+\- \d.]*[bcdeEfFgGnoxX%]\Z")
_ESCAPES = re.compile(r"esc|tex|quote|sanit|clean|safe", re.IGNORECASE)
_COUNTS = frozenset({"len", "int", "float", "round", "sum", "abs", "id", "hash"})


class _Put(NamedTuple):
    value: ast.expr
    before: str
    """Constant text in front of it."""


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Values in f-strings and `%` formats that stand as the argument of a command that prints it."""
    del project
    if marginal(module):
        return
    for node in module.nodes(ast.JoinedStr, ast.BinOp):
        puts = _of_percent(node) if isinstance(node, ast.BinOp) else _of_f_string(node)
        for put in puts:
            opened = _OPEN.search(put.before)
            if opened is None or not _may_hold_text(put.value):
                continue
            command = opened[0].split("{")[0]
            shown = ast.unparse(put.value)
            yield module.claim(
                RULE,
                put.value if isinstance(node, ast.BinOp) else node,
                scenario=f"`{shown}` is `run_2 50%`: {command}{{run_2 50%}} has an underscore outside of mathematics, and the "
                "percent sign turns the closing brace into a comment; the document does not compile.",
                fix=f"Escape it where it is put in: escape({shown}).",
                facts={"value": shown, "command": command},
            )
            break


def _of_f_string(node: ast.expr) -> Iterator[_Put]:
    before = ""
    for part in node.values if isinstance(node, ast.JoinedStr) else ():
        if isinstance(part, ast.FormattedValue):
            spec = (
                constant(part.format_spec.values[0])
                if isinstance(part.format_spec, ast.JoinedStr) and part.format_spec.values
                else ""
            )
            if not (spec and _NUMERIC.match(spec)):
                yield _Put(part.value, before)
            before += "x"
        else:
            before += constant(part) or ""


def _of_percent(node: ast.BinOp) -> Iterator[_Put]:
    template = constant(node.left) if isinstance(node.op, ast.Mod) else None
    if template is None:
        return
    values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    places = list(re.finditer(r"%(?:\(\w+\))?[-#0 +]*\d*(?:\.\d+)?([a-zA-Z%])", template))
    for place, value in zip([p for p in places if p[1] != "%"], values, strict=False):
        if place[1] == "s" and not isinstance(value, ast.Dict):
            yield _Put(value, re.sub(r"%[a-z]", "x", template[: place.start()]))


def _may_hold_text(value: ast.expr) -> bool:
    """Not for numbers, literals and what passes a function whose name says that it escapes."""
    if isinstance(value, ast.Constant):
        return False
    if isinstance(value, ast.Call):
        name = (
            value.func.attr
            if isinstance(value.func, ast.Attribute)
            else value.func.id
            if isinstance(value.func, ast.Name)
            else ""
        )
        return name not in _COUNTS and not _ESCAPES.search(name)
    return not isinstance(value, ast.BinOp) or isinstance(value.op, ast.Add)


CHECK = Check(rules=(RULE,), module=check)
