"""Patterns that untrusted text keeps busy: the pattern that arrives is measured, the text must be free in length."""

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifiers.static.security import backtracking
from verifiers.static.security.danger import Answer, Outcome
from verifiers.static.security.state import Instance, State
from verifiers.static.security.values import Const, Method, Piece, Ref, Value, options

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Frame

_SECOND = frozenset({"re.sub", "re.subn"})


def judged(
    name: str, callee: Value | None, given: Sequence[Value], frame: "Frame", state: State
) -> tuple[Outcome, Value]:
    """What the text that arrives does to the pattern that arrives."""
    pattern, rest, whole = _pattern(name, callee, given, state)
    at = 1 if name in _SECOND or (isinstance(callee, Method) and callee.name in {"sub", "subn"}) else 0
    text = state.refined(rest[at]) if at < len(rest) else Const("")
    if pattern is None:
        return Outcome(Answer.UNKNOWN, "the pattern is not known"), text
    seed = backtracking.bomb(pattern, whole=whole)
    if seed is None:
        return Outcome(Answer.SAFE, "no text was found that the pattern divides in more and more ways"), text
    found = [o for o in options(text) if isinstance(o, Piece) and o.untrusted]
    free = [p for p in found if frozenset(seed) <= p.chars and not p.marks & {"member", "checked"}]
    if not free:
        return Outcome(Answer.UNKNOWN, "whether any text gets to the pattern is not known"), text
    if frame.function is not None and _measures(frame.function):
        return Outcome(Answer.UNKNOWN, "the function looks at the length of a text", free[0]), text
    return Outcome(Answer.HARM, f"{seed!r} repeated a few dozen times keeps it busy", free[0]), text


def _pattern(
    name: str, callee: Value | None, given: Sequence[Value], state: State
) -> tuple[str | None, Sequence[Value], bool]:
    if name.startswith("re.") and given:
        first = given[0]
        known = first.value if isinstance(first, Const) and isinstance(first.value, str) else None
        return known, given[1:], name == "re.fullmatch"
    if isinstance(callee, Method) and isinstance(callee.receiver, Ref):
        item = state.heap.get(callee.receiver.number)
        held = item.attributes.get("pattern") if isinstance(item, Instance) and item.kind == "pattern" else None
        if isinstance(held, Const) and isinstance(held.value, str):
            return held.value, given, callee.name == "fullmatch"
    return None, given, False


def _measures(function: ast.AST) -> bool:
    return any(isinstance(n, ast.Name) and n.id == "len" for n in ast.walk(function))
