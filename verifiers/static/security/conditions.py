"""What conditions decide, and what they teach about the values they look at."""

import ast
import operator
import string
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from verifiers.static.security import patterns
from verifiers.static.security.state import DictObject, ListObject, State, join, reachable
from verifiers.static.security.values import (
    OTHER,
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

_LETTERS = alphabet(string.ascii_letters) | {OTHER}
_KINDS_OF_TEXT = {
    "isdigit": alphabet(string.digits) | {OTHER},
    "isdecimal": alphabet(string.digits) | {OTHER},
    "isnumeric": alphabet(string.digits) | {OTHER},
    "isalpha": _LETTERS,
    "isalnum": _LETTERS | alphabet(string.digits),
    "isidentifier": _LETTERS | alphabet(string.digits + "_"),
}
_NEUTRAL = frozenset({"isinstance", "callable", "hasattr", "len", "bool", "issubclass"})
_COMPARISONS: dict[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,  # type: ignore[operator]
    ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip  # operands of any type; a TypeError is caught where these are called
_HOST_CHECKS = frozenset({"url_has_allowed_host_and_scheme", "is_safe_url", "is_safe_redirect_url"})


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
        case PathValue() | Url() | Function() | Method() | Request():
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
        if isinstance(right, Piece) and "mapping" not in right.marks and left.value:
            if not alphabet(left.value) <= right.chars or any(x in left.value for x in right.lacks):
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
                _learn_comparison(node.ops[0], left, right, outcome, state)
        return state
    if isinstance(node, ast.Call):
        return _assume_call(ev, node, outcome, frame, state)
    value = ev.value(node, frame, state)
    if isinstance(value, Piece) and not outcome and value.untrusted:
        state.learn(value, chars=frozenset())
    elif isinstance(value, Opaque):
        _checked(value.pieces, state)
    if isinstance(node, ast.Name) and isinstance(value, Const | Piece | Text) is False:
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


def _learn_comparison(op: ast.cmpop, left: Value, right: Value, outcome: bool, state: State) -> None:
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
                _checked([one], state)
        if not isinstance(left, Piece) and not isinstance(right, Piece):
            _checked([*reachable(left, state), *reachable(right, state)] if not _numbers(left, right) else [], state)


def _numbers(*values: Value) -> bool:
    return any(isinstance(v, Const) and isinstance(v.value, int | float) for v in values)


def _learn_membership(left: Value, right: Value, positive: bool, state: State) -> None:
    if not isinstance(left, Piece):
        if not isinstance(left, Const):
            _checked(reachable(left, state), state)
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


def _checked(pieces: Iterable[Piece], state: State) -> None:
    """Something that this method cannot read looked at these pieces."""
    for piece in pieces:
        state.learn(piece, marks=frozenset({"checked"}))


def _assume_call(ev: "Evaluation", node: ast.Call, outcome: bool, frame: "Frame", state: State) -> State | None:
    callee = ev.value(node.func, frame, state)
    if isinstance(callee, Function):
        arguments = [ev.value(a, frame, state) for a in node.args]
        keywords = {k.arg or "**": ev.value(k.value, frame, state) for k in node.keywords}
        result = ev.invoke(callee, arguments, keywords, frame, state, wanted=outcome)
        if state.dead:
            return None
        if isinstance(result, Opaque):
            _checked(result.pieces, state)
        return state
    methods = [o for o in options(callee) if isinstance(o, Method)]
    for method in methods:
        _learn_method(ev, method.receiver, method.name, node, outcome, frame, state)
    if methods:
        return state
    name = callee.name if isinstance(callee, Global) else ""
    value = ev.value(node, frame, state)
    if name in _NEUTRAL:
        return state
    arguments = [ev.value(a, frame, state) for a in node.args]
    if name in {"re.match", "re.fullmatch", "re.search"} and len(arguments) >= 2:
        for text in options(arguments[1]):
            _learn_pattern(arguments[0], text, name, outcome, state)
    elif name.rpartition(".")[2] in _HOST_CHECKS and arguments:
        if outcome:
            for piece in pieces_in(arguments[0]):
                state.learn(piece, marks=frozenset({"host-pinned"}))
    elif isinstance(value, Opaque):
        _checked(value.pieces, state)
    return state


def _learn_method(
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
                _checked([piece], state)
        return
    if name == "endswith" and isinstance(receiver, Piece) and isinstance(argument, Const):
        if outcome:
            state.learn(receiver, marks=frozenset({f"suffix:{argument.value}"}))
        return
    if name in {"match", "fullmatch", "search"} and argument is not None:
        pattern = _compiled(node, frame)
        for text in options(argument):
            _learn_pattern(pattern or Opaque("pattern"), text, f"re.{name}", outcome, state)
        return
    if isinstance(receiver, PathValue) and name in {"exists", "is_file", "is_dir", "is_absolute"}:
        return
    value = ev.value(node, frame, state)
    if isinstance(value, Opaque):
        _checked(value.pieces, state)


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


def _learn_pattern(pattern: Value, text: Value, name: str, outcome: bool, state: State) -> None:
    chars = None
    if isinstance(pattern, Const) and isinstance(pattern.value, str) and name != "re.search":
        chars = patterns.whole_match(pattern.value, anchored=name == "re.fullmatch")
    for piece in pieces_in(text):
        if chars is not None and isinstance(text, Piece):
            if outcome:
                state.learn(piece, chars=piece.chars & chars)
        else:
            _checked([piece], state)


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
