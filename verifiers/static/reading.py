"""What falsifiers ask again of the text: scopes, bindings, comments, words."""

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator

from harness.source.module import FunctionNode, Module
from harness.source.project import Project

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_WORD = re.compile(r"[A-Za-z0-9]+")
_DIRECTIVE = re.compile(r"(noqa|type|pragma|pylint|mypy|ruff|isort|fmt|nosec|flake8|pyright|harness)\b")


def chain(node: ast.AST | None) -> str:
    """`a.b.c` for names and attributes, '' otherwise."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = chain(node.value)
        return f"{head}.{node.attr}" if head else ""
    return ""


def tail(node: ast.AST | None) -> str:
    """The last name of an expression that ends in one."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def inside(root: ast.AST) -> Iterator[ast.AST]:
    """`root` and what is below it in the same scope, in source order."""
    yield root
    for child in ast.iter_child_nodes(root):
        if isinstance(child, _SCOPES):
            yield child
        else:
            yield from inside(child)


def inside_all(roots: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """`inside` for each root in turn."""
    for root in roots:
        if isinstance(root, _SCOPES):
            yield root
        else:
            yield from inside(root)


def head(statement: ast.AST) -> list[ast.AST]:
    """The parts of a statement that run at its own node of the flow, without the blocks below it."""
    match statement:
        case ast.If(test=test) | ast.While(test=test):
            return [test]
        case ast.For(target=target, iter=source) | ast.AsyncFor(target=target, iter=source):
            return [target, source]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return list(items)
        case ast.Try() | ast.TryStar():
            return []
        case ast.Match(subject=subject):
            return [subject]
        case ast.ExceptHandler(type=kind):
            return [kind] if kind is not None else []
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return list(statement.decorator_list)
    return [statement]


def binds(statement: ast.AST, name: str) -> bool:
    """Whether the statement's own node binds or deletes `name` (`a.b` for an attribute)."""
    if isinstance(statement, ast.ExceptHandler) and statement.name == name:
        return True
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return statement.name == name
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return any((a.asname or a.name).split(".")[0] == name for a in statement.names)
    if isinstance(statement, ast.Match):
        return any(
            isinstance(n, ast.MatchAs | ast.MatchStar) and n.name == name
            for c in statement.cases
            for n in ast.walk(c.pattern)
        )
    for part in head(statement):
        for node in inside(part):
            stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
            if stored and isinstance(node, ast.Name | ast.Attribute) and chain(node) == name:
                return True
    return False


def arguments_of(function: FunctionNode) -> list[str]:
    """Names of all parameters."""
    a = function.args
    stars = [s for s in (a.vararg, a.kwarg) if s]
    return [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, *stars)]


def comments(module: Module) -> dict[int, str]:
    """Comments by line."""
    found: dict[int, str] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string.lstrip("#! ").strip()
    except (tokenize.TokenError, SyntaxError):
        pass  # what was read up to there is still true
    return found


def remark(module: Module, first: int, last: int | None = None) -> str:
    """The comment on these lines or directly above them that may explain them, '' when there is none.

    An explanation has four words or more; directives to tools explain nothing.
    """
    table = {n: c for n, c in comments(module).items() if len(c.split()) > 3 and not _DIRECTIVE.match(c)}
    for line in range(first, (last or first) + 1):
        if table.get(line):
            return table[line]
    above = first - 1
    if table.get(above) and module.line_text(above).startswith("#"):
        return table[above]
    return ""


def words(name: str) -> list[str]:
    """Lower-case words of an identifier: `maxRetries`, `MAX_RETRIES` -> max, retries."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return [w.lower() for w in _WORD.findall(spaced.replace("_", " "))]


def occurrences(project: Project, text: str, *, limit: int = 50) -> list[tuple[str, int]]:
    """(path, line) of every line in any text file of the project that holds `text` as a whole word."""
    pattern = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(text)}(?![A-Za-z0-9_])")
    raw = text.encode("utf-8", "surrogatepass")
    found: list[tuple[str, int]] = []
    for path, entry in project.entries.items():
        if entry.language == "binary" or raw not in project.read_bytes(path):
            continue
        for number, line in enumerate(project.lines(path), 1):
            if pattern.search(line):
                found.append((path, number))
                if len(found) >= limit:
                    return found
    return found
