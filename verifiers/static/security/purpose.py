"""What a value is for: the names and texts that stand where it goes and where it comes from, in its own function."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.source.module import FunctionNode, Module

SECRET = re.compile(
    r"passw|passphrase|(?:^|_)pwd|secret|token|session|cookie|csrf|nonce|(?:^|_)salt|(?:^|_)otp(?:_|$)|api_?key"
    r"|credential|signature|sensitive|(?:^|_)auth(?!or)|reset_(?:code|key|link)|verification_code|private_?key",
    re.IGNORECASE,
)
HASHED_SECRET = re.compile(
    r"passw|passphrase|(?:^|_)pwd|secret|credential|sensitive|signature|api_?key|private_?key", re.IGNORECASE
)
"""For hashes: a broken one does no harm in a nonce, a session key or a random token."""
_INTENDED = re.compile(
    r"not recommended|insecure|legacy|deprecated|backwards?.compat|for testing|only for tests", re.IGNORECASE
)
_CACHE = re.compile(
    r"etag|cache|checksum|fingerprint|dedup|digest_?auth|color|colour|avatar|gravatar|version", re.IGNORECASE
)


class Use(NamedTuple):
    """A place that tells what the value is for."""

    word: str
    node: ast.AST


def intended(module: Module, node: ast.AST) -> bool:
    """Whether the documentation of the function or class around `node` says that it is weak and kept on purpose."""
    around = [n for n in module.ancestors(node) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    return any(_INTENDED.search(ast.get_docstring(n) or "") for n in around)


def secret_use(module: Module, start: ast.expr, secret: re.Pattern[str], *, backwards: bool) -> Use | None:
    """The first place on the value's way that names a secret, None when none does or the way speaks of a cache.

    Forwards: through assignments, to what it is stored in, compared with, passed to, or returned as. `backwards` also
    looks at what goes into the value.
    """
    function = module.enclosing_function(start)
    scope: ast.AST = function or module.statement(start)
    uses = list(_uses(module, scope, start, backwards=backwards))
    if function is not None and _returned(function, _names(module, scope, start), start):
        uses.append(Use(function.name, function))
    if any(_CACHE.search(use.word) for use in uses):
        return None
    return next((use for use in uses if secret.search(use.word)), None)


def _names(module: Module, scope: ast.AST, start: ast.expr) -> set[str]:
    """Names that hold the value or something made of it."""
    held: set[str] = set()
    statements = [n for n in ast.walk(scope) if isinstance(n, ast.Assign | ast.AnnAssign | ast.AugAssign)]
    inside = {module.statement(start)}
    grew = True
    while grew:
        grew = False
        for statement in statements:
            if statement.value is None:
                continue
            if statement in inside or any(
                isinstance(n, ast.Name) and n.id in held and isinstance(n.ctx, ast.Load)
                for n in ast.walk(statement.value)
            ):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                for target in targets:
                    if isinstance(target, ast.Name) and target.id not in held:
                        held.add(target.id)
                        grew = True
    return held


def _uses(module: Module, scope: ast.AST, start: ast.expr, *, backwards: bool) -> Iterator[Use]:
    held = _names(module, scope, start)
    for name in sorted(held):
        yield Use(name, start)
    opened = {
        t.id: n.value
        for n in ast.walk(scope)
        if isinstance(n, ast.Assign)
        for t in n.targets
        if isinstance(t, ast.Name) and isinstance(n.value, ast.Call)
    }
    for node in ast.walk(scope):
        if not isinstance(node, ast.Assign | ast.Call | ast.Compare | ast.keyword):
            continue
        holds = any(n is start or (isinstance(n, ast.Name) and n.id in held) for n in ast.walk(node))
        if not holds:
            continue
        match node:
            case ast.Assign():
                for target in node.targets:
                    if isinstance(target, ast.Subscript | ast.Attribute):
                        yield from _texts(target)
            case ast.keyword() if node.arg:
                yield Use(node.arg, node)
            case ast.Compare():
                yield from _texts(node)
            case ast.Call():
                yield from _texts(node.func)
                receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
                if isinstance(receiver, ast.Name) and receiver.id in opened and receiver.id not in held:
                    yield from _texts(opened[receiver.id])
                if backwards:
                    for argument in node.args:
                        yield from _texts(argument)


def _returned(function: FunctionNode, held: set[str], start: ast.expr) -> bool:
    """Whether the function returns the value itself, perhaps cut or encoded, and not something made with its help."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            inner = _joined(node.value, start)
            while inner is not start and isinstance(inner, ast.Subscript | ast.Attribute | ast.Call):
                inner = inner.func if isinstance(inner, ast.Call) else inner.value
            if inner is start or (isinstance(inner, ast.Name) and inner.id in held):
                return True
    return False


def _joined(value: ast.expr, start: ast.expr) -> ast.expr:
    """`start` where it makes the pieces of `"".join(...)`, else the value itself."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "join":
        pieces = [a.elt for a in value.args if isinstance(a, ast.GeneratorExp | ast.ListComp)]
        if any(n is start for piece in pieces for n in ast.walk(piece)):
            return start
    return value


def _texts(node: ast.AST) -> Iterator[Use]:
    for part in ast.walk(node):
        match part:
            case ast.Name():
                yield Use(part.id, part)
            case ast.Attribute():
                yield Use(part.attr, part)
            case ast.Constant(value=str() as text) if len(text) < 120:
                yield Use(text, part)
