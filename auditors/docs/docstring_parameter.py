"""docstring-parameter: a docstring describes a parameter that the function does not have.

Why: callers pass it and get TypeError; usually it was renamed and the docstring was not.

Example:

    def resize(image, size):
        \"\"\"Resize an image.

        Args:
            image: The image.
            width: The new width.      # the parameter is called size
        \"\"\"

Google, NumPy and Sphinx styles are read.

What it cannot see: functions that take `**kwargs`, which may take anything, and parameters that no docstring describes.
"""

import ast
import re
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="docstring-parameter",
    group="docs",
    title="Docstring names a parameter that is not there",
    severity=Severity.LOW,
    page=__doc__,
)
_DESCRIBES = re.compile(rb":(?:param|parameter|arg|argument|keyword|kwarg)\b|\b(?:Args|Arguments|Parameters)\b")
_SPHINX = re.compile(
    r"^\s*:(?:param|parameter|arg|argument|keyword|kwarg)\s+(?:[^:]*\s)?\\?\*{0,2}(\w+)\s*:", re.MULTILINE
)
_GOOGLE_HEAD = re.compile(r"^(\s*)(?:Args|Arguments|Parameters|Keyword Args|Keyword Arguments):\s*$")
_GOOGLE_ENTRY = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:(?:\s|$)")
_NUMPY_ENTRY = re.compile(r"^\*{0,2}(\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")


def in_project(project: Project) -> Iterator[Claim]:
    """Modules by path; test code is left out."""
    for module in project.modules_matching(_DESCRIBES):
        yield from check(module)


def check(module: Module) -> Iterator[Claim]:
    """Functions in source order, then the names in the order of the docstring."""
    for _, function in module.functions:
        docstring = ast.get_docstring(function, clean=False)
        if not docstring or function.args.kwarg is not None:
            continue
        names = described(docstring)
        if not names:
            continue
        have = _parameters(function)
        for name in names:
            if name in have or name in {"self", "cls"}:
                continue
            yield module.claim(
                RULE,
                function,
                scenario=f"A caller who passes `{name}`, as the docstring of `{function.name}` says, gets TypeError.",
                fix=f"Describe the parameters that `{function.name}` has: {', '.join(sorted(have)) or 'none'}.",
                facts={"name": name},
            )


def described(docstring: str) -> list[str]:
    """Names of described parameters, in order, each once."""
    names = _SPHINX.findall(docstring)
    lines = docstring.expandtabs().split("\n")
    for at, line in enumerate(lines):
        if head := _GOOGLE_HEAD.match(line):
            names += _google(lines[at + 1 :], len(head.group(1)))
        elif (
            re.match(r"^\s*(?:Other )?Parameters\s*$", line)
            and at + 1 < len(lines)
            and re.match(r"^\s*-{3,}\s*$", lines[at + 1])
        ):
            names += _numpy(lines[at + 2 :], len(line) - len(line.lstrip()))
    return list(dict.fromkeys(names))


def _google(lines: list[str], margin: int) -> list[str]:
    found: list[str] = []
    indent: int | None = None
    for line in lines:
        if not line.strip():
            continue
        here = len(line) - len(line.lstrip())
        if here <= margin:
            break
        indent = here if indent is None else indent
        entry = _GOOGLE_ENTRY.match(line.strip())
        if here == indent and entry:
            found.append(entry.group(1))
    return found


def _numpy(lines: list[str], margin: int) -> list[str]:
    found: list[str] = []
    for at, line in enumerate(lines):
        here = len(line) - len(line.lstrip())
        if not line.strip():
            continue
        if here < margin or (at + 1 < len(lines) and re.match(r"^\s*-{3,}\s*$", lines[at + 1])):
            break
        if here == margin and (entry := _NUMPY_ENTRY.match(line.strip())):
            found += [part.strip(" *") for part in entry.group(1).split(",")]
    return found


def _parameters(function: FunctionNode) -> set[str]:
    arguments = function.args
    names = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    return names | ({arguments.vararg.arg} if arguments.vararg else set())


CHECK = Check(rules=(RULE,), project=in_project)
