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
    r"not recommended|insecure|legacy|deprecated|backwards?.compat|for testing|only for tests|\brfc ?-?\d{3,}",
    re.IGNORECASE,
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


_MAKES_UP = frozenset({"faker.Faker", "faker.Factory.create"})


def made_up(module: Module, call: ast.Call) -> bool:
    """Whether all that goes into the call comes from an object of Faker: it is nobody's password."""
    made = {
        target.id
        for assign in module.nodes(ast.Assign)
        if isinstance(assign.value, ast.Call) and module.resolve(assign.value.func) in _MAKES_UP
        for target in assign.targets
        if isinstance(target, ast.Name)
    }
    inside = [n.id for argument in call.args for n in ast.walk(argument) if isinstance(n, ast.Name)]
    return bool(inside) and set(inside) <= made


def secret_use(module: Module, start: ast.expr, secret: re.Pattern[str], *, backwards: bool) -> Use | None:
    """The first place on the value's way that names a secret, None when none does or the way speaks of a cache.

    Forwards: through assignments, to what it is stored in, compared with, passed to, or returned as. `backwards` also
    looks at what goes into the value.
    """
    function = module.enclosing_function(start)
    scope: ast.AST = function or module.statement(start)
    uses = list(_uses(module, scope, start, backwards=backwards))
    in_dictionary = _key_of(module, start) is not None
    if function is not None and not in_dictionary and _returned(function, _names(module, scope, start), start):
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
    key = _key_of(module, start)
    if key is not None:
        yield key
        return
    held = _names(module, scope, start)
    for name in sorted(held):
        yield Use(name, start)
    if backwards and isinstance(start, ast.Call):
        for argument in start.args:
            yield from _texts(argument)
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
            case ast.Call() if any(_direct(a, start, held) for a in (*node.args, *(k.value for k in node.keywords))):
                # What is called says what the value is for; the object it is called on may be any session or store.
                yield from _texts(
                    node.func if isinstance(node.func, ast.Name) else ast.Constant(value=_last(node.func))
                )
                receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
                if isinstance(receiver, ast.Name) and receiver.id in opened and receiver.id not in held:
                    yield from _texts(opened[receiver.id])
                if backwards:
                    for argument in node.args:
                        yield from _texts(argument)


def _last(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else ""


def _direct(node: ast.AST, start: ast.expr, held: set[str]) -> bool:
    """Whether an argument is the value, or text made of it, and not a larger thing that has it somewhere inside."""
    if node is start or (isinstance(node, ast.Name) and node.id in held):
        return True
    if isinstance(node, ast.JoinedStr | ast.FormattedValue | ast.BinOp | ast.Subscript | ast.Attribute | ast.Starred):
        return any(_direct(child, start, held) for child in ast.iter_child_nodes(node))
    if isinstance(node, ast.Call):
        inside = [node.func, *(node.args if len(node.args) == 1 and not node.keywords else [])]
        return any(_direct(child, start, held) for child in inside)
    return False


def _key_of(module: Module, start: ast.expr) -> Use | None:
    """The key under which the value stands in a dictionary that is written out: it says more than the dictionary's name."""
    inner: ast.AST = start
    for up in module.ancestors(start):
        if isinstance(up, ast.stmt):
            return None
        if isinstance(up, ast.Dict) and inner in up.values:
            key = up.keys[up.values.index(inner)]
            return Use(ast.unparse(key), up) if key is not None else None
        inner = up
    return None


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
        if start in value.args:
            return start
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
