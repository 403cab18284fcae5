"""Where the project says it runs, and what keeps a line of code from running on Windows."""

import ast
import re
from typing import NamedTuple

from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.surroundings import chain

_ASKS_WINDOWS = re.compile(
    r"sys\.platform|os\.name|platform\.(system|uname)|win32|windows|is_?win|on_?win|posix|cygwin|\bWIN\b|is_?nt\b",
    re.IGNORECASE,
)
_SAYS = ("pyproject.toml", "setup.cfg", "setup.py")


class Support(NamedTuple):
    """Whether the project means to run on Windows, with the words that say so."""

    windows: bool
    words: str
    path: str
    line: int


def support(project: Project) -> Support | None:
    """From the classifiers, else from code that has a branch for Windows; None when neither says anything."""
    for path in _SAYS:
        if path not in project.entries:
            continue
        lines = project.lines(path)
        found = [(n, line) for n, line in enumerate(lines, 1) if "Operating System ::" in line]
        for number, line in found:
            if "OS Independent" in line or "Windows" in line:
                return Support(True, line.strip().strip("\",'"), path, number)
        if found:
            return Support(False, found[0][1].strip().strip("\",'"), path, found[0][0])
    for path in project.paths("python", test=False):
        text = project.text(path)
        match = re.search(
            r"(sys\.platform\s*==\s*['\"]win32['\"]|os\.name\s*==\s*['\"]nt['\"]|sys\.platform\.startswith\(['\"]win)",
            text,
        )
        if match:
            return Support(True, match.group(0), path, text.count("\n", 0, match.start()) + 1)
    return None


def guard(module: Module, node: ast.AST) -> ast.AST | None:
    """What keeps `node` to some platforms: a test around it or before it, a handler for what is missing, a file name."""
    below = node
    for up in module.ancestors(node):
        if isinstance(up, ast.If | ast.IfExp) and _asks(up.test):
            return up
        if isinstance(up, ast.BoolOp) and any(_asks(v) for v in up.values if v is not below):
            return up
        if isinstance(up, ast.Try) and below in up.body and _catches_absence(up):
            return up
        if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if any(_asks(d) or "skip" in ast.unparse(d) for d in up.decorator_list):
                return up
            if re.search(r"posix|unix|linux|darwin|macos|_nix", up.name, re.IGNORECASE):
                return up
        for field in ("body", "orelse"):
            block = getattr(up, field, None)
            if isinstance(block, list) and below in block:
                earlier = _leaves_before(block[: block.index(below)])
                if earlier is not None:
                    return earlier
        below = up
    if re.search(r"(^|[/_])(posix|unix|linux|darwin|macos|nix|fork)", module.path, re.IGNORECASE):
        return module.tree
    return None


def _asks(test: ast.AST) -> bool:
    text = ast.unparse(test)
    return bool(_ASKS_WINDOWS.search(text)) or bool(
        re.search(r"hasattr\((os|signal|socket|sys|time)\b|getattr\(|HAS_|has_\w+", text)
    )


def _catches_absence(block: ast.Try) -> bool:
    absent = {
        "ImportError",
        "ModuleNotFoundError",
        "AttributeError",
        "Exception",
        "BaseException",
        "NotImplementedError",
        "OSError",
    }
    for handler in block.handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        if any(k is None or chain(k).rpartition(".")[2] in absent for k in kinds):
            return True
    return False


def _leaves_before(statements: list[ast.stmt]) -> ast.stmt | None:
    for statement in statements:
        if (
            isinstance(statement, ast.If)
            and _asks(statement.test)
            and isinstance(statement.body[-1], ast.Return | ast.Raise)
        ):
            return statement
        if isinstance(statement, ast.Assert) and _asks(statement.test):
            return statement
    return None
