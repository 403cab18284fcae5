"""What conditions decide, and what they teach about the values they look at."""

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from verifiers.static.security import learning
from verifiers.static.security.invocation import invoke
from verifiers.static.security.state import DictObject, ListObject, State, join, reachable
from verifiers.static.security.values import (
    Const,
    Function,
    Global,
    Many,
    Method,
    Opaque,
    PathValue,
    Piece,
    Ref,
    Request,
    Text,
    Url,
    Value,
    alphabet,
    options,
    parts,
    pieces_in,
)

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation, Frame

_NEUTRAL = frozenset({"isinstance", "callable", "hasattr", "len", "bool", "issubclass"})
_THERE = frozenset({"os.path.exists", "os.path.isfile", "os.path.isdir", "os.path.lexists", "os.path.islink"})
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
    ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip  # operands of any type; a TypeError is caught where these are called


def truth(value: Value, state: State) -> bool | None:
    """Whether a value is true, None when it may be either."""
    match value:
        case Const():
            return bool(value.value)
        case Text():
            return True if any(isinstance(p, str) for p in value.parts) else None
        case Ref():
            item = state.heap.get(value.number)
            if isinstance(item, ListObject | DictObject):
                return True if item.items else (False if item.rest is None else None)
            return None
        case PathValue() | Url() | Function() | Request():
            return True
    found = {truth(o, state) for o in options(value)} if options(value) != (value,) else {None}
    return found.pop() if len(found) == 1 else None


def decide(ev: "Evaluation", node: ast.expr, frame: "Frame", state: State) -> bool | None:
    """The outcome of a condition, None when it may be either. `state` stays as it is."""
    return _decide(ev, node, frame, state.copy())


def _decide(ev: "Evaluation", node: ast.expr, frame: "Frame", state: State) -> bool | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        known = _decide(ev, node.operand, frame, state)
        return None if known is None else not known
    if isinstance(node, ast.BoolOp):
        stops = isinstance(node.op, ast.Or)
        found = [_decide(ev, part, frame, state) for part in node.values]
        if stops in found:
            return stops
        return None if None in found else not stops
    if isinstance(node, ast.Compare):
        results = []
        left = ev.value(node.left, frame, state)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = ev.value(comparator, frame, state)
            results.append(_compared(op, left, right, state))
            left = right
        if False in results:
            return False
        return None if None in results else True
    if isinstance(node, ast.Call):
        known = _known_predicate(ev, node, frame, state)
        if known is not None:
            return known
    return truth(ev.value(node, frame, state), state)


def _compared(op: ast.cmpop, left: Value, right: Value, state: State) -> bool | None:
    found = {_compare(op, a, b, state) for a in options(left) for b in options(right)}
    return found.pop() if len(found) == 1 else None


def _compare(op: ast.cmpop, left: Value, right: Value, state: State) -> bool | None:
    if isinstance(left, Const) and isinstance(right, Const):
        if isinstance(op, ast.Is | ast.IsNot) and left.value is not None and right.value is not None:
            return None
        try:
            return bool(_COMPARISONS[type(op)](left.value, right.value))
        except TypeError:
            return None
    if isinstance(op, ast.Is | ast.IsNot) and Const(None) in (left, right):
        other = left if right == Const(None) else right
        if isinstance(other, Text | Ref | PathValue | Url | Function | Many):
            return isinstance(op, ast.IsNot)
        return None
    if isinstance(op, ast.In | ast.NotIn):
        inside = _contains(left, right, state)
        return None if inside is None else inside is isinstance(op, ast.In)
    return None


def _contains(left: Value, right: Value, state: State) -> bool | None:
    item = state.heap.get(right.number) if isinstance(right, Ref) else None
    if isinstance(left, Const) and isinstance(item, ListObject | DictObject):
        known = list(item.items) if isinstance(item, DictObject) else item.items
        if isinstance(item, DictObject):
            return True if left.value in item.items else (False if item.rest is None else None)
        if left in known:
            return True
        return False if item.rest is None and all(isinstance(v, Const) for v in item.items) else None
    if isinstance(left, Const) and isinstance(left.value, str) and isinstance(right, Piece | Text):
        if any(isinstance(p, str) and left.value in p for p in parts(right)):
            return True
        plain = isinstance(right, Piece) and "mapping" not in right.marks and left.value
        if isinstance(right, Piece) and plain and not alphabet(left.value) <= right.chars:
            return False
        if isinstance(right, Piece) and plain and any(x in left.value for x in right.lacks):
            return False
    return None


def _known_predicate(ev: "Evaluation", node: ast.Call, frame: "Frame", state: State) -> bool | None:
    """`isinstance` of texts and `startswith` of known beginnings."""
    if isinstance(node.func, ast.Name) and node.func.id == "isinstance" and len(node.args) == 2:
        value = ev.value(node.args[0], frame, state)
        name = frame.module.resolve(node.args[1])
        if isinstance(value, Text) or (isinstance(value, Const) and isinstance(value.value, str)):
            return name == "str" if name is not None else None
        return None
    if isinstance(node.func, ast.Attribute) and node.func.attr == "startswith" and len(node.args) == 1:
        value = ev.value(node.func.value, frame, state)
        prefix = ev.value(node.args[0], frame, state)
        first = parts(value)[0] if isinstance(value, Text) else None
        if isinstance(first, str) and isinstance(prefix, Const) and isinstance(prefix.value, str):
            resolved = any(isinstance(p, Piece) and "resolved" in p.marks for p in parts(value))
            if not resolved and len(prefix.value) <= len(first):
                return first.startswith(prefix.value)
    return None


def assume(ev: "Evaluation", node: ast.expr, outcome: bool, frame: "Frame", state: State) -> State | None:
    """`state` on the path where `node` turned out like that, None when that cannot be."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return assume(ev, node.operand, not outcome, frame, state)
    if isinstance(node, ast.BoolOp):
        return _assume_several(ev, node, outcome, frame, state)
    if decide(ev, node, frame, state) is (not outcome):
        return None
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        lefts, rights = ev.value(node.left, frame, state), ev.value(node.comparators[0], frame, state)
        for left in options(lefts):
            for right in options(rights):
                learning.learn_comparison(node.ops[0], left, right, outcome, state)
        return state
    if isinstance(node, ast.Call):
        return _assume_call(ev, node, outcome, frame, state)
    value = ev.value(node, frame, state)
    if isinstance(value, Piece) and not outcome and value.untrusted:
        state.learn(value, chars=frozenset())
    elif isinstance(value, Opaque):
        learning.checked(value.pieces, state)
    elif {Const(True), Const(False)} <= set(options(value)):
        # a flag: what made it true or false is not remembered, so it may have been about any of them
        learning.checked([p for bound in state.names.values() for p in reachable(bound, state)], state)
    if isinstance(node, ast.Name) and not isinstance(value, Const | Piece | Text):
        kept = [o for o in options(value) if truth(o, state) is not (not outcome)]
        if len(kept) == 1:
            state.names[node.id] = kept[0]
    return state


def _assume_several(ev: "Evaluation", node: ast.BoolOp, outcome: bool, frame: "Frame", state: State) -> State | None:
    every = isinstance(node.op, ast.And) is outcome
    if every:
        current: State | None = state
        for part in node.values:
            if current is None:
                return None
            current = assume(ev, part, outcome, frame, current)
        return current
    ends: list[State] = []
    before: State | None = state
    for part in node.values:
        if before is None:
            break
        taken = assume(ev, part, outcome, frame, before.copy())
        if taken is not None:
            ends.append(taken)
        before = assume(ev, part, not outcome, frame, before)
    return join(ends)


def _assume_call(ev: "Evaluation", node: ast.Call, outcome: bool, frame: "Frame", state: State) -> State | None:
    callee = ev.value(node.func, frame, state)
    if isinstance(callee, Function):
        arguments = [ev.value(a, frame, state) for a in node.args]
        keywords = {k.arg or "**": ev.value(k.value, frame, state) for k in node.keywords}
        asked = [p for v in (*arguments, *keywords.values()) for p in reachable(v, state)]
        known = dict(state.facts)
        invoke(ev, callee, arguments, keywords, frame, state, wanted=outcome)
        if state.dead:
            return None
        # the function looked at the value; where that taught nothing, its reasons are not understood
        learned = [ident for ident, fact in state.facts.items() if known.get(ident) != fact]
        learning.checked([p for p in asked if not any(i[: len(p.ident)] == p.ident for i in learned)], state)
        return state
    methods = [o for o in options(callee) if isinstance(o, Method)]
    for method in methods:
        learning.learn_method(ev, method.receiver, method.name, node, outcome, frame, state)
    if methods:
        return state
    name = callee.name if isinstance(callee, Global) else ""
    value = ev.value(node, frame, state)
    if name in _NEUTRAL:
        return state
    arguments = [ev.value(a, frame, state) for a in node.args]
    if name in {"re.match", "re.fullmatch", "re.search"} and len(arguments) >= 2:
        for text in options(arguments[1]):
            learning.learn_pattern(arguments[0], text, name, outcome, state)
    elif name.rpartition(".")[2] in learning.HOST_CHECKS and arguments:
        if outcome:
            for piece in pieces_in(arguments[0]):
                state.learn(piece, marks=frozenset({"host-pinned"}))
    elif name in _THERE:
        if outcome:
            for piece in value.pieces if isinstance(value, Opaque) else ():
                state.learn(piece, marks=frozenset({"exists"}))
    elif isinstance(value, Opaque):
        learning.checked(value.pieces, state)
    return state


def matches(ev: "Evaluation", pattern: ast.pattern, subject: Value, frame: "Frame", state: State) -> bool | None:
    """Whether a `case` pattern matches, None when it may."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return matches(ev, inner, subject, frame, state)
        case ast.MatchValue():
            return _compared(ast.Eq(), subject, ev.value(pattern.value, frame, state), state)
        case ast.MatchSingleton():
            return _compared(ast.Eq(), subject, Const(pattern.value), state)
        case ast.MatchOr():
            found = [matches(ev, p, subject, frame, state) for p in pattern.patterns]
            return True if True in found else (None if None in found else False)
    return None


def learn_match(ev: "Evaluation", pattern: ast.pattern, subject: Value, frame: "Frame", state: State) -> None:
    """What is known of the subject inside a `case`: one of the constants when the pattern is nothing but constants."""
    found = _constants(ev, pattern, frame, state)
    for piece in _whole(subject):
        if found is None:
            learning.checked([piece], state)
        elif found:
            known = frozenset().union(*(alphabet(str(value)) for value in found))
            state.learn(piece, chars=known, marks=frozenset({"member"}))


def _whole(subject: Value) -> list[Piece]:
    """The pieces that a pattern compares as a whole."""
    return [option for option in options(subject) if isinstance(option, Piece)]


def _constants(ev: "Evaluation", pattern: ast.pattern, frame: "Frame", state: State) -> list[object] | None:
    """The constants a pattern allows; empty when it allows anything, None when that is not known."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return []
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _constants(ev, inner, frame, state)
        case ast.MatchSingleton():
            return [pattern.value]
        case ast.MatchValue():
            value = ev.value(pattern.value, frame, state)
            return [value.value] if isinstance(value, Const) else None
        case ast.MatchOr():
            found: list[object] = []
            for one in pattern.patterns:
                some = _constants(ev, one, frame, state)
                if not some:
                    return some
                found += some
            return found
        case ast.MatchClass(cls=ast.Name(id="str")):
            return []
    return None
