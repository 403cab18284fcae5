"""What calls give: functions of the project are evaluated, the library's are modelled, the rest is unknown."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from verifiers.static.security import library, methods, names, untrusted
from verifiers.static.security.state import Instance, ListObject, State, reachable
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
    Value,
    concat,
    one_of,
    options,
    parts,
    text_of,
)

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation, Frame

MOST_CANDIDATES = 3


def call(ev: "Evaluation", node: ast.Call, frame: "Frame", state: State) -> Value:
    """The result of a call; the watcher is told before it happens."""
    callee = ev.value(node.func, frame, state)
    arguments: list[Value] = []
    for argument in node.args:
        given = ev.value(argument, frame, state)
        arguments.append(Opaque("starred", reachable(given, state)) if isinstance(argument, ast.Starred) else given)
    keywords = {k.arg or "**": ev.value(k.value, frame, state) for k in node.keywords}
    if ev.is_watched(node, frame):
        ev.watcher(node, frame, arguments, keywords, callee, state)
    return one_of(_call(ev, option, arguments, keywords, node, frame, state) for option in options(callee))


def _call(
    ev: "Evaluation",
    callee: Value,
    arguments: Sequence[Value],
    keywords: dict[str, Value],
    node: ast.Call,
    frame: "Frame",
    state: State,
) -> Value:
    everything = (*arguments, *keywords.values())
    match callee:
        case Function():
            return ev.invoke(callee, arguments, keywords, frame, state)
        case Global():
            if ev.project.index.canonical(callee.name) in ev.project.index.classes:
                return _construct(ev, callee.name, arguments, keywords, frame, state)
            if callee.name == "getattr" and len(arguments) >= 2 and isinstance(arguments[1], Const):
                from verifiers.static.security.expressions import attribute  # noqa: PLC0415  # the two need each other

                return attribute(ev, arguments[0], str(arguments[1].value), frame, state, node)
            known = library.result(ev, callee.name, arguments, keywords, node, state)
            if known is not None:
                return known
            return Opaque(f"result of {callee.name}", _inside(everything, state))
        case Method():
            if isinstance(callee.receiver, Request):
                piece = untrusted.field(callee.receiver, callee.name, node.lineno)
                return piece if piece is not None else Opaque(f"request.{callee.name}")
            known = methods.result(ev, callee, arguments, keywords, node, state)
            if known is not None:
                return known
            if isinstance(callee.receiver, Opaque):
                found = _candidates(ev, callee, arguments, keywords, frame, state)
                if found is not None:
                    return found
            return Opaque(f"result of {callee.name}", _inside((callee.receiver, *everything), state))
        case Piece():
            return callee
        case _:
            return Opaque("result of an unknown call", _inside((callee, *everything), state))


def _inside(values: Sequence[Value], state: State) -> tuple[Piece, ...]:
    return tuple(dict.fromkeys(p for v in values for p in reachable(v, state)))


def _construct(
    ev: "Evaluation",
    name: str,
    arguments: Sequence[Value],
    keywords: dict[str, Value],
    frame: "Frame",
    state: State,
) -> Value:
    made = ev.allocate(state, Instance(name, {}))
    starter = names.method_of(ev, name, "__init__")
    if starter is not None:
        ev.invoke(replace(starter, receiver=made), arguments, keywords, frame, state)
    elif arguments or keywords:
        state.heap[made.number] = Instance(
            name, {"?": Opaque("fields", _inside((*arguments, *keywords.values()), state))}
        )
    return made


def _candidates(
    ev: "Evaluation",
    callee: Method,
    arguments: Sequence[Value],
    keywords: dict[str, Value],
    frame: "Frame",
    state: State,
) -> Value | None:
    """The receiver's class is unknown: every method of that name in the project, when there are few."""
    named = [f for f in ev.project.index.by_simple_name.get(callee.name, []) if f.class_name and not f.test]
    if not 0 < len(named) <= MOST_CANDIDATES:
        return None
    return one_of(
        ev.invoke(Function(f.path, f.qualname, callee.receiver), arguments, keywords, frame, state) for f in named
    )


def text(value: Value, state: State) -> Value:
    """`str(value)`."""
    match value:
        case PathValue():
            return value.text if not value.resolved else text_of(_contained_as_resolved(value))
        case Const(value=bytes()):
            return Opaque("bytes as text")
        case Const():
            return Const(str(value.value))
        case Piece():
            return value
    if len(parts(value)) == 1 and isinstance(parts(value)[0], Opaque):
        return Opaque("text", reachable(value, state))
    return value


def _contained_as_resolved(value: PathValue) -> list[str | Piece | Opaque]:
    return [replace(p, marks=p.marks | {"resolved"}) if isinstance(p, Piece) else p for p in parts(value.text)]


def joined_path(left: Value, *rest: Value) -> Value:
    """`left / right` and `os.path.join`: an absolute right side replaces the left one."""
    items: list[str | Piece | Opaque] = list(parts(left))
    for right in rest:
        added = [replace(p, marks=p.marks | {"resets"}) if isinstance(p, Piece) else p for p in parts(right)[:1]]
        if added and isinstance(added[0], str) and added[0].startswith("/"):
            items = []
        elif items:
            items.append("/")
        items += [*added, *parts(right)[1:]]
    return PathValue(text_of(items), resolved=False)


def percent(template: str, right: Value, state: State) -> Value:
    """`template % right` for plain `%s`, `%d` and the like."""
    item = state.heap.get(right.number) if isinstance(right, Ref) else None
    values = list(item.items) if isinstance(item, ListObject) and item.rest is None else [right]
    found: list[Value] = []
    rest = template
    while True:
        before, mark, after = rest.partition("%")
        found.append(Const(before))
        if not mark:
            break
        if after.startswith("%"):
            found.append(Const("%"))
            rest = after[1:]
            continue
        if after[:1] not in {"s", "d", "i", "f", "x"} or not values:
            return Opaque("formatting", reachable(right, state))
        value = values.pop(0)
        if after[0] != "s":
            found.append(Piece(("clean", "number"), "", 0, frozenset("0123456789abcdef.-+")))
        else:
            found.append(one_of(text(o, state) for o in options(value)))
        rest = after[1:]
    return concat(*found)


__all__ = ["Many", "call", "joined_path", "percent", "text"]
