"""What a condition teaches about the pieces it looks at, once its outcome is known."""

import ast
import re
import string
from collections.abc import Iterable
from typing import TYPE_CHECKING

from verifiers.static.security import patterns
from verifiers.static.security.state import ListObject, State, reachable
from verifiers.static.security.values import (
    OTHER,
    Const,
    Opaque,
    PathValue,
    Piece,
    Ref,
    Text,
    Value,
    alphabet,
    options,
    pieces_in,
)

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation, Frame

_LETTERS = alphabet(string.ascii_letters) | {OTHER}
_KINDS_OF_TEXT = {
    "isdigit": alphabet(string.digits) | {OTHER},
    "isdecimal": alphabet(string.digits) | {OTHER},
    "isnumeric": alphabet(string.digits) | {OTHER},
    "isalpha": _LETTERS,
    "isalnum": _LETTERS | alphabet(string.digits),
    "isidentifier": _LETTERS | alphabet(string.digits + "_"),
}
_VALIDATING = re.compile(
    r"valid|check|verif|ensure|assert|require|sanit|clean|allow|permit|uuid|ip_address", re.IGNORECASE
)
HOST_CHECKS = frozenset({"url_has_allowed_host_and_scheme", "is_safe_url", "is_safe_redirect_url"})


def learn_comparison(op: ast.cmpop, left: Value, right: Value, outcome: bool, state: State) -> None:
    for operand in (left, right):
        if isinstance(operand, Opaque):
            checked(operand.pieces, state)
    positive = outcome is not isinstance(op, ast.NotEq | ast.NotIn | ast.IsNot)
    if isinstance(op, ast.In | ast.NotIn):
        if isinstance(left, Const) and isinstance(right, Piece | Text | PathValue):
            if not positive and isinstance(left.value, str) and left.value:
                for piece in pieces_in(right):
                    single = {left.value} if len(left.value) == 1 else set()
                    narrowed = piece.chars - single if single else None
                    state.learn(piece, chars=narrowed, lacks=frozenset({left.value}))
            return
        _learn_membership(left, right, positive, state)
        return
    if isinstance(op, ast.Eq | ast.NotEq):
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Piece) and isinstance(other, Const):
                if positive:
                    state.learn(one, chars=alphabet(str(other.value)), marks=frozenset({"member"}))
                return
            if isinstance(one, Piece) and positive:
                checked([one], state)
        if not isinstance(left, Piece) and not isinstance(right, Piece):
            checked([*reachable(left, state), *reachable(right, state)] if not _numbers(left, right) else [], state)


def _numbers(*values: Value) -> bool:
    return any(isinstance(v, Const) and isinstance(v.value, int | float) for v in values)


def _learn_membership(left: Value, right: Value, positive: bool, state: State) -> None:
    if not isinstance(left, Piece):
        if not isinstance(left, Const):
            checked(reachable(left, state), state)
        return
    if reachable(right, state):
        return
    item = state.heap.get(right.number) if isinstance(right, Ref) else None
    values = list(item.items) if isinstance(item, ListObject) else []
    texts = [v.value for v in values if isinstance(v, Const) and isinstance(v.value, str)]
    if not positive:
        if left.ident[-1:] and isinstance(left.ident[-1], tuple) and left.ident[-1][0] == "element":
            gone = frozenset(t for t in texts if len(t) == 1)
            state.learn(left, chars=left.chars - gone)
        return
    known: frozenset[str] | None = None
    if texts and len(texts) == len(values):
        known = frozenset().union(*(alphabet(t) for t in texts))
    state.learn(left, chars=known, marks=frozenset({"member"}))


def checked(pieces: Iterable[Piece], state: State) -> None:
    """Something that this method cannot read looked at these pieces."""
    for piece in pieces:
        state.learn(piece, marks=frozenset({"checked"}))


def learn_method(
    ev: "Evaluation", receiver: Value, name: str, node: ast.Call, outcome: bool, frame: "Frame", state: State
) -> None:
    argument = ev.value(node.args[0], frame, state) if node.args else None
    if isinstance(receiver, Piece) and "mapping" in receiver.marks:
        return
    if isinstance(receiver, Piece) and name in _KINDS_OF_TEXT:
        chars = _KINDS_OF_TEXT[name]
        if outcome:
            state.learn(receiver, chars=receiver.chars & chars)
        elif receiver.ident[-1:] and isinstance(receiver.ident[-1], tuple) and receiver.ident[-1][0] == "element":
            state.learn(receiver, chars=(receiver.chars - chars) | (receiver.chars & {OTHER}))
        return
    if name in {"startswith", "is_relative_to"} and argument is not None:
        resolved = isinstance(receiver, PathValue) and receiver.resolved
        for piece in pieces_in(receiver):
            if resolved or "resolved" in piece.marks:
                if outcome:
                    state.learn(piece, marks=frozenset({"contained"}))
            elif isinstance(receiver, Piece) and isinstance(argument, Const) and outcome:
                state.learn(piece, marks=frozenset({f"prefix:{argument.value}"}))
            elif isinstance(receiver, Piece) and not isinstance(argument, Const):
                checked([piece], state)
        return
    if name == "endswith" and isinstance(receiver, Piece) and isinstance(argument, Const):
        if outcome:
            state.learn(receiver, marks=frozenset({f"suffix:{argument.value}"}))
        return
    if name in {"match", "fullmatch", "search"} and argument is not None:
        pattern = _compiled(node, frame)
        for text in options(argument):
            learn_pattern(pattern or Opaque("pattern"), text, f"re.{name}", outcome, state)
        return
    if isinstance(receiver, PathValue) and name in {"exists", "is_file", "is_dir", "is_absolute"}:
        return
    value = ev.value(node, frame, state)
    if isinstance(value, Opaque):
        checked(value.pieces, state)


def _compiled(node: ast.Call, frame: "Frame") -> Value | None:
    """The pattern of a module-level `NAME = re.compile("...")`."""
    if not isinstance(node.func, ast.Attribute) or not isinstance(node.func.value, ast.Name):
        return None
    statement = frame.module.definitions.get(node.func.value.id)
    made = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(made, ast.Call) and frame.module.resolve(made.func) == "re.compile" and len(made.args) == 1:
        first = made.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            return Const(first.value)
    return None


def learn_pattern(pattern: Value, text: Value, name: str, outcome: bool, state: State) -> None:
    chars = None
    if isinstance(pattern, Const) and isinstance(pattern.value, str) and name != "re.search":
        chars = patterns.whole_match(pattern.value, anchored=name == "re.fullmatch")
    for piece in pieces_in(text):
        if chars is not None and isinstance(text, Piece):
            if outcome:
                state.learn(piece, chars=piece.chars & chars)
        else:
            checked([piece], state)


def validated(node: ast.expr, value: Value, state: State) -> None:
    """A call for its effect alone, by a name that says it raises when the value is bad."""
    if isinstance(node, ast.Call) and isinstance(value, Opaque):
        name = ast.unparse(node.func).rpartition(".")[2]
        if _VALIDATING.search(name):
            checked(value.pieces, state)
