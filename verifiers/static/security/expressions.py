"""Values of expressions."""

import ast
import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from verifiers.static.security import attributes, calls, comprehensions, conditions, names
from verifiers.static.security.sequences import lookup
from verifiers.static.security.state import DictObject, Instance, ListObject, State, reachable
from verifiers.static.security.textual import joined_path, percent
from verifiers.static.security.textual import text as text_form
from verifiers.static.security.values import (
    DIGITS,
    Const,
    Many,
    Opaque,
    PathValue,
    Piece,
    Ref,
    Text,
    Value,
    alphabet,
    clean,
    concat,
    derived,
    one_of,
    options,
    pieces_in,
    text_of,
)

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation, Frame

LONGEST = 10_000
"""Characters, or bits, of a constant that is computed."""

_OPERATORS: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip


def value(ev: "Evaluation", node: ast.expr, frame: "Frame", state: State) -> Value:
    """Value of `node`; `state` is changed by calls and assignments inside it."""
    match node:
        case ast.Constant():
            return Const(node.value)
        case ast.Name():
            return names.load(ev, node, frame, state)
        case ast.Attribute():
            return attributes.attribute(ev, ev.value(node.value, frame, state), node.attr, frame, state, node)
        case ast.Subscript():
            return subscript(ev, node, frame, state)
        case ast.Call():
            return calls.call(ev, node, frame, state)
        case ast.JoinedStr():
            return concat(*(ev.value(v, frame, state) for v in node.values))
        case ast.FormattedValue():
            return _formatted(ev, node, frame, state)
        case ast.BinOp():
            return binary(ev, node, frame, state)
        case ast.UnaryOp():
            return _unary(ev, node, frame, state)
        case ast.Compare():
            known = conditions.decide(ev, node, frame, state)
            return _compared(ev, node, frame, state) if known is None else Const(known)
        case ast.BoolOp():
            return _either(ev, node, frame, state)
        case ast.IfExp():
            return _chosen(ev, node, frame, state)
        case ast.List() | ast.Tuple() | ast.Set():
            return _sequence(ev, node, frame, state)
        case ast.Dict():
            return _mapping(ev, node, frame, state)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            return comprehensions.sequence(ev, node, frame, state)
        case ast.DictComp():
            return comprehensions.mapping(ev, node, frame, state)
        case ast.NamedExpr():
            bound = ev.value(node.value, frame, state)
            state.names[node.target.id] = bound
            return bound
        case ast.Await() | ast.Starred():
            return ev.value(node.value, frame, state)
        case ast.Lambda():
            return comprehensions.deferred(ev, node, frame, state)
    inside = [ev.value(c, frame, state) for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
    return Opaque(type(node).__name__, _pieces(inside, state))


def _compared(ev: "Evaluation", node: ast.Compare, frame: "Frame", state: State) -> Value:
    operands = [ev.value(o, frame, state) for o in (node.left, *node.comparators)]
    return Opaque("comparison", _pieces(operands, state))


def _pieces(values: Iterable[Value], state: State) -> tuple[Piece, ...]:
    return tuple(dict.fromkeys(p for v in values for p in reachable(v, state)))


def subscript(ev: "Evaluation", node: ast.Subscript, frame: "Frame", state: State) -> Value:
    owner = ev.value(node.value, frame, state)
    if isinstance(node.slice, ast.Slice):
        bounds = [
            ev.value(b, frame, state) if b is not None else Const(None)
            for b in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        return one_of(_sliced(ev, option, bounds, ast.unparse(node.slice), state) for option in options(owner))
    key = ev.value(node.slice, frame, state)
    if isinstance(owner, Many) and isinstance(owner.element, Piece) and _extension(node):
        return derived(owner.element, "extension")
    return one_of(item(ev, o, k, state, node) for o in options(owner) for k in options(key))


def _extension(node: ast.Subscript) -> bool:
    """`name.rsplit(".", 1)[1]`: what is asked of it says nothing of the rest of the name."""
    call = node.value
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in {"split", "rsplit"}
        and bool(call.args)
        and isinstance(call.args[0], ast.Constant)
        and call.args[0].value == "."
        and ast.unparse(node.slice) in {"1", "-1"}
    )


def item(ev: "Evaluation", owner: Value, key: Value, state: State, node: ast.AST) -> Value:
    """`owner[key]`."""
    del ev
    match owner:
        case Const():
            if isinstance(key, Const):
                try:
                    return Const(owner.value[key.value])  # type: ignore[index]  # any failure is caught below
                except (TypeError, IndexError, KeyError):
                    return Opaque("subscript")
            return clean("part of a constant")
        case Piece():
            if "mapping" in owner.marks:
                return lookup(owner, key, node)
            return derived(owner, ("item", _key(key)))
        case Text():
            return _spread(owner, f"[{_key(key)}]")
        case Many():
            return owner.element
        case Ref():
            return _element(state, owner, key)
        case _:
            return Opaque("subscript", tuple(dict.fromkeys((*reachable(owner, state), *pieces_in(key)))))


def _key(key: Value) -> object:
    return key.value if isinstance(key, Const) else "?"


def _element(state: State, owner: Ref, key: Value) -> Value:
    item = state.heap.get(owner.number)
    if isinstance(item, ListObject):
        at = key.value if isinstance(key, Const) and isinstance(key.value, int) else None
        if at is not None and -len(item.items) <= at < len(item.items) and (item.rest is None or at >= 0):
            return item.items[at]
        inside = [*item.items, *([item.rest] if item.rest is not None else [])]
        return one_of(inside) if inside else Opaque("element")
    if isinstance(item, DictObject):
        if isinstance(key, Const):
            if key.value in item.items:
                return item.items[key.value]
            return item.rest if item.rest is not None else Opaque("no such key")
        inside = [*item.items.values(), *([item.rest] if item.rest is not None else [])]
        return one_of(inside) if inside else Opaque("element")
    if isinstance(item, Instance) and item.kind == "config" and isinstance(key, Const):
        section = {k[1]: v for k, v in item.attributes.items() if isinstance(k, tuple) and k[0] == key.value}
        inside = list(section.values())
        return one_of(inside) if inside else Opaque("section")
    return Opaque("element", reachable(owner, state))


def _sliced(ev: "Evaluation", owner: Value, bounds: list[Value], text: str, state: State) -> Value:
    if isinstance(owner, Const) and all(isinstance(b, Const) for b in bounds):
        try:
            return Const(owner.value[_slice(bounds)])  # type: ignore[index]  # failures caught
        except (TypeError, ValueError):
            return Opaque("slice")
    if isinstance(owner, Const) and isinstance(owner.value, str):
        return clean("part of a constant", alphabet(owner.value))
    if isinstance(owner, Piece) and "mapping" not in owner.marks:
        return derived(owner, ("slice", text))
    if isinstance(owner, Text):
        return _cut(owner, bounds, text)
    if isinstance(owner, Ref):
        item = state.heap.get(owner.number)
        if isinstance(item, ListObject) and item.rest is None and all(isinstance(b, Const) for b in bounds):
            try:
                cut = item.items[_slice(bounds)]
            except (TypeError, ValueError):
                return Opaque("slice")
            return ev.allocate(state, ListObject(cut))
    if isinstance(owner, Many):
        return owner
    return Opaque("slice", reachable(owner, state))


def _slice(bounds: list[Value]) -> slice:
    """Raises TypeError when a bound is no number."""
    values = [b.value for b in bounds if isinstance(b, Const)]
    if not all(v is None or isinstance(v, int) for v in values):
        raise TypeError("a bound is no number")
    return slice(*values)


def _cut(owner: Text, bounds: list[Value], text: str) -> Value:
    """A slice of text with pieces: exact where both bounds fall into its known ends."""
    lower, upper, step = (b.value if isinstance(b, Const) else ... for b in bounds)
    head = owner.parts[0] if isinstance(owner.parts[0], str) else ""
    tail = owner.parts[-1] if isinstance(owner.parts[-1], str) else ""
    middle = list(owner.parts[bool(head) : len(owner.parts) - bool(tail)])
    if step is not None or lower is ... or upper is ...:
        return _spread(owner, text)
    start = lower or 0
    if not isinstance(start, int) or not start >= 0:
        return _spread(owner, text)
    if isinstance(upper, int) and 0 <= upper <= len(head):
        return Const(head[start:upper])
    if start > len(head):
        return _spread(owner, text)
    if upper is None:
        return text_of([head[start:], *middle, tail])
    if isinstance(upper, int) and upper < 0 and -upper <= len(tail):
        return text_of([head[start:], *middle, tail[: len(tail) + upper]])
    return _spread(owner, text)


def _spread(owner: Text, name: str) -> Value:
    """Some part of a text: it may be any of its pieces."""
    return text_of(
        derived(p, (name,)) if isinstance(p, Piece) else p if isinstance(p, Opaque) else "" for p in owner.parts
    )


def binary(ev: "Evaluation", node: ast.BinOp | ast.AugAssign, frame: "Frame", state: State) -> Value:
    """`left op right`."""
    if isinstance(node, ast.AugAssign):
        left, right = ev.value(node.target, frame, state), ev.value(node.value, frame, state)
    else:
        left, right = ev.value(node.left, frame, state), ev.value(node.right, frame, state)
    return one_of(_binary(ev, node.op, a, b, state) for a in options(left) for b in options(right))


def _binary(ev: "Evaluation", op: ast.operator, left: Value, right: Value, state: State) -> Value:
    if isinstance(left, Const) and isinstance(right, Const):
        return _computed(op, left.value, right.value)
    if isinstance(op, ast.Div) and (isinstance(left, PathValue) or isinstance(right, PathValue)):
        return joined_path(left, right)
    if isinstance(op, ast.Mod) and isinstance(left, Const) and isinstance(left.value, str):
        return percent(left.value, right, state)
    if isinstance(op, ast.Add):
        a, b = (state.heap.get(v.number) if isinstance(v, Ref) else None for v in (left, right))
        if isinstance(a, ListObject) and isinstance(b, ListObject) and a.rest is None:
            return ev.allocate(state, ListObject(a.items + b.items, b.rest))
        if _textual(left) or _textual(right):
            return concat(left, right)
    if all(isinstance(v, Const | Piece) for v in (left, right)):
        numeric = [v for v in (left, right) if isinstance(v, Piece)]
        if all(v.chars <= DIGITS for v in numeric):
            return derived(numeric[0], "arithmetic", chars=DIGITS)
    return Opaque("operation", _pieces((left, right), state))


def _textual(v: Value) -> bool:
    return isinstance(v, Piece | Text) or (isinstance(v, Const) and isinstance(v.value, str | bytes))


def _computed(op: ast.operator, left: object, right: object) -> Value:
    """A constant operation, unless the result would be large."""
    function = _OPERATORS.get(type(op))
    if function is None or not all(isinstance(v, int | float | str | bytes) for v in (left, right)):
        return Opaque("operation")
    if isinstance(op, ast.Pow | ast.LShift) and not _modest(left, right):
        return Opaque("operation")
    if isinstance(op, ast.Mult):
        for one, other in ((left, right), (right, left)):
            if isinstance(one, str | bytes) and isinstance(other, int) and len(one) * other > LONGEST:
                return Opaque("operation")
    if isinstance(op, ast.Mod) and isinstance(left, str | bytes):
        return Opaque("formatting")
    try:
        result = function(left, right)
    except (ArithmeticError, TypeError, ValueError):
        return Opaque("operation")
    return Const(result) if _small(result) else Opaque("operation")


def _modest(left: object, right: object) -> bool:
    return isinstance(left, int) and isinstance(right, int) and 0 <= right <= 512 and abs(left) <= 1 << 64


def _small(result: object) -> bool:
    if isinstance(result, str | bytes):
        return len(result) <= LONGEST
    return not isinstance(result, int) or result.bit_length() <= LONGEST


def _unary(ev: "Evaluation", node: ast.UnaryOp, frame: "Frame", state: State) -> Value:
    if isinstance(node.op, ast.Not):
        known = conditions.decide(ev, node, frame, state)
        return Opaque("negation") if known is None else Const(known)
    operand = ev.value(node.operand, frame, state)
    if isinstance(operand, Const) and isinstance(operand.value, int | float):
        if isinstance(node.op, ast.USub):
            return Const(-operand.value)
        if isinstance(node.op, ast.UAdd):
            return operand
    return Opaque("operation", _pieces([operand], state))


def _formatted(ev: "Evaluation", node: ast.FormattedValue, frame: "Frame", state: State) -> Value:
    inner = ev.value(node.value, frame, state)
    if node.conversion == ord("r") and not isinstance(inner, Const):
        return Opaque("repr", _pieces([inner], state))
    if node.format_spec is not None:
        ev.value(node.format_spec, frame, state)
    return one_of(text_form(o, state) for o in options(inner))


def _either(ev: "Evaluation", node: ast.BoolOp, frame: "Frame", state: State) -> Value:
    found: list[Value] = []
    stops = isinstance(node.op, ast.Or)
    inner: State | None = state
    for position, part in enumerate(node.values):
        if inner is None:
            break
        current = inner.settled(ev.value(part, frame, inner))
        last = position == len(node.values) - 1
        known = conditions.truth(current, inner)
        if known is stops or last:
            found.append(current)
            break
        if known is None:
            found.append(current)
        inner = conditions.assume(ev, part, not stops, frame, inner.copy())
        if inner is not None:
            state.heap.update({k: v for k, v in inner.heap.items() if k not in state.heap})
    return one_of(found) if found else Opaque("no operand")


def _chosen(ev: "Evaluation", node: ast.IfExp, frame: "Frame", state: State) -> Value:
    known = conditions.decide(ev, node.test, frame, state)
    if known is not None:
        return ev.value(node.body if known else node.orelse, frame, state)
    found = []
    for outcome, part in ((True, node.body), (False, node.orelse)):
        branch = conditions.assume(ev, node.test, outcome, frame, state.copy())
        if branch is not None:
            found.append(branch.settled(ev.value(part, frame, branch)))
            state.heap.update({k: v for k, v in branch.heap.items() if k not in state.heap})
    return one_of(found) if found else Opaque("no branch")


def _sequence(ev: "Evaluation", node: ast.List | ast.Tuple | ast.Set, frame: "Frame", state: State) -> Value:
    items: list[Value] = []
    rest: list[Value] = []
    for element in node.elts:
        current = ev.value(element, frame, state)
        if isinstance(element, ast.Starred):
            rest.append(Opaque("element", reachable(current, state)))
        else:
            items.append(current)
    return ev.allocate(state, ListObject(tuple(items), one_of(rest) if rest else None))


def _mapping(ev: "Evaluation", node: ast.Dict, frame: "Frame", state: State) -> Value:
    items: dict[object, Value] = {}
    rest: list[Value] = []
    for key, part in zip(node.keys, node.values, strict=True):
        current = ev.value(part, frame, state)
        at = ev.value(key, frame, state) if key is not None else None
        if isinstance(at, Const):
            items[at.value] = current
        else:
            rest.append(current)
    return ev.allocate(state, DictObject(items, one_of(rest) if rest else None))
