"""Secrets in logs: what is written there? (532)"""

import ast
import re
from collections.abc import Iterator

from verifiers.static.claimed.setting.place import Scene, Sight
from verifiers.static.claimed.setting.words import ABOUT, SECRET, last_name

THING = "something that is logged"
_LEVELS = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception", "log"})
_STREAMS = re.compile(r"(?:print|pprint\.pprint|sys\.(?:stdout|stderr)\.write|(?:builtins\.)?print)")
_LOGGER = re.compile(r"log", re.IGNORECASE)
_CARD = re.compile(r"ssn|social_security|credit_?card|card_?number|\bcvv\b|\biban\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"request|req|response|requestline|headers|environ|body|data|payload|form|params|path|url|uri|self|kwargs|args|e|ex|exc|err|error"
)


def look(scene: Scene) -> Iterator[Sight]:
    """Every call that logs or prints."""
    module = scene.module
    made = {
        t.id for a in module.nodes(ast.Assign) if _makes_a_log(a.value) for t in a.targets if isinstance(t, ast.Name)
    }
    for call in module.nodes(ast.Call):
        name = module.resolve(call.func) or ""
        if _STREAMS.fullmatch(name) or _is_log(call, name, made):
            yield _weighed(scene, call)
        elif re.search(
            r"(?:^|[._])(?:log\w*|print_\w+|write|warn|format_exc|capture_\w+|trace)$",
            name or last_name(call.func),
            re.IGNORECASE,
        ):
            yield Sight(
                module.location(call), None, "something is written; whether that is a log does not show", faint=True
            )


def _makes_a_log(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and _LOGGER.search(ast.unparse(value.func).rpartition(".")[2]) is not None


def _is_log(call: ast.Call, name: str, made: set[str]) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _LEVELS:
        return False
    receiver = call.func.value
    last = (
        receiver.attr if isinstance(receiver, ast.Attribute) else receiver.id if isinstance(receiver, ast.Name) else ""
    )
    return name.startswith("logging.") or last in made or _LOGGER.search(last) is not None


def _weighed(scene: Scene, call: ast.Call) -> Sight:
    at = scene.module.location(call)
    names = [n for a in (*call.args, *(k.value for k in call.keywords)) for n in _values(a)]
    for name, node in names:
        if (SECRET.search(name) or _CARD.search(name)) and not ABOUT.search(name):
            says = f"`{name}` is written into the log as it is"
            return Sight(at, True, says, (scene.module.location(node),))
    whole = next((name for name, _ in names if _WHOLE.fullmatch(name)), None)
    if whole is not None:
        return Sight(at, None, f"`{whole}` is logged as a whole; what is in it does not show")
    if any(name == "?" for name, _ in names):
        return Sight(at, None, "what is logged comes from a call, which may give anything")
    return Sight(at, False, "nothing that is logged here is named like a secret")


def _values(node: ast.expr) -> Iterator[tuple[str, ast.AST]]:
    """Names whose values become part of the text; not those that a call makes something else of, or that are only tested."""
    match node:
        case ast.Name():
            yield node.id, node
        case ast.Attribute():
            yield node.attr, node
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            yield key, node
        case ast.Subscript():
            return
        case ast.Call(func=ast.Attribute(attr="format" | "join"), args=given):
            for part in (*given, *(k.value for k in node.keywords)):
                yield from _values(part)
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[part]):
            yield from _values(part)
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str() as key), *_]):
            yield key, node
        case ast.Call():
            yield "?", node
        case ast.JoinedStr(values=parts):
            for part in parts:
                if isinstance(part, ast.FormattedValue):
                    yield from _values(part.value)
        case ast.BinOp(left=left, right=right):
            yield from _values(left)
            yield from _values(right)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                yield from _values(element)
