"""Methods of objects whose contents are followed: lists, dictionaries, text buffers, configurations, XML parsers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifiers.static.security import operator
from verifiers.static.security.state import DictObject, Instance, ListObject, Object, State, contents, reachable
from verifiers.static.security.values import DIGITS, Const, Opaque, Ref, Value, clean, concat, one_of, pieces_in

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation


def result(
    ev: "Evaluation",
    receiver: Ref,
    item: Object,
    name: str,
    arguments: Sequence[Value],
    keywords: dict[str, Value],
    state: State,
) -> Value | None:
    if isinstance(item, ListObject):
        return _of_list(ev, receiver, item, name, arguments, state)
    if isinstance(item, DictObject):
        return _of_dict(ev, receiver, item, name, arguments, state)
    if item.kind == "text":
        return _of_buffer(receiver, item, name, arguments, state)
    if item.kind == "config":
        return _of_config(receiver, item, name, arguments, keywords, state)
    if item.kind == "sax-parser" and name == "setFeature" and len(arguments) == 2:
        state.heap[receiver.number] = Instance(item.kind, {**item.attributes, _feature(arguments[0]): arguments[1]})
        return Const(None)
    if item.kind == "file":
        held = operator.content(item.attributes.get("name", Const("")), 0) if name in {"read", "readline"} else None
        return Opaque(f"file.{name}") if held is None else held
    if item.kind == "response":
        return Const(None)
    return None


def _feature(value: Value) -> object:
    return getattr(value, "name", None) or (value.value if isinstance(value, Const) else "?")


def _of_list(
    ev: "Evaluation", receiver: Ref, item: ListObject, name: str, arguments: Sequence[Value], state: State
) -> Value | None:
    items, first = list(item.items), arguments[0] if arguments else None
    at = first.value if isinstance(first, Const) and isinstance(first.value, int) else None
    if name in {"append", "add"} and first is not None:
        if item.rest is None:
            state.heap[receiver.number] = ListObject((*items, first))
        else:
            state.heap[receiver.number] = ListObject(item.items, one_of((item.rest, first)))
        return Const(None)
    if name == "pop" and item.rest is None:
        position = -1 if first is None else at
        if position is not None and -len(items) <= position < len(items):
            taken = items.pop(position)
            state.heap[receiver.number] = ListObject(tuple(items))
            return taken
    if name == "insert" and at is not None and len(arguments) == 2 and item.rest is None:
        items.insert(at, arguments[1])
        state.heap[receiver.number] = ListObject(tuple(items))
        return Const(None)
    if name == "reverse" and item.rest is None:
        state.heap[receiver.number] = ListObject(tuple(reversed(items)))
        return Const(None)
    if name == "clear":
        state.heap[receiver.number] = ListObject()
        return Const(None)
    if name == "copy":
        return ev.allocate(state, item)
    if name in {"extend", "update"} and first is not None:
        other = state.heap.get(first.number) if isinstance(first, Ref) else None
        if isinstance(other, ListObject) and item.rest is None:
            state.heap[receiver.number] = ListObject((*items, *other.items), other.rest)
        else:
            state.heap[receiver.number] = ListObject(
                (), one_of([*contents(item), Opaque("element", reachable(first, state))])
            )
        return Const(None)
    if name in {"index", "count"}:
        return clean("a position", DIGITS)
    if name in {"pop", "remove", "sort", "insert", "discard", "reverse"}:
        inside = contents(item)
        state.heap[receiver.number] = ListObject((), one_of([*inside, *arguments]) if inside or arguments else None)
        return one_of(inside) if name == "pop" and inside else Const(None)
    return None


def _of_dict(
    ev: "Evaluation", receiver: Ref, item: DictObject, name: str, arguments: Sequence[Value], state: State
) -> Value | None:
    first = arguments[0] if arguments else None
    default = arguments[1] if len(arguments) > 1 else Const(None)
    if name in {"get", "pop", "setdefault"} and first is not None:
        if isinstance(first, Const) and (first.value in item.items or item.rest is None):
            found = item.items.get(first.value, default)
            if name == "pop":
                state.heap[receiver.number] = DictObject(
                    {k: v for k, v in item.items.items() if k != first.value}, item.rest
                )
            elif name == "setdefault":
                state.heap[receiver.number] = DictObject({**item.items, first.value: found}, item.rest)
            return found
        return one_of([*contents(item), default])
    if name == "keys":
        return ev.allocate(state, ListObject(tuple(Const(k) for k in item.items), item.rest))
    if name == "values":
        return ev.allocate(state, ListObject(tuple(item.items.values()), item.rest))
    if name == "items" and item.rest is None:
        pairs = tuple(ev.allocate(state, ListObject((Const(k), v))) for k, v in item.items.items())
        return ev.allocate(state, ListObject(pairs))
    if name == "copy":
        return ev.allocate(state, item)
    if name == "update" and first is not None:
        other = state.heap.get(first.number) if isinstance(first, Ref) else None
        if isinstance(other, DictObject):
            state.heap[receiver.number] = DictObject({**item.items, **other.items}, other.rest or item.rest)
        else:
            given = Opaque("value", reachable(first, state))
            state.heap[receiver.number] = DictObject({k: one_of((v, given)) for k, v in item.items.items()}, given)
        return Const(None)
    return None


def _of_buffer(receiver: Ref, item: Instance, name: str, arguments: Sequence[Value], state: State) -> Value | None:
    text = item.attributes.get("text", Const(""))
    if name == "write" and arguments:
        state.heap[receiver.number] = Instance(item.kind, {"text": concat(text, arguments[0])})
        return clean("a number", DIGITS)
    if name in {"getvalue", "read", "readline"}:
        return text
    if name in {"seek", "close", "flush"}:
        return Const(None)
    if name == "truncate":
        state.heap[receiver.number] = Instance(item.kind, {"text": Const("")})
        return Const(None)
    return None


def _of_config(
    receiver: Ref, item: Instance, name: str, arguments: Sequence[Value], keywords: dict[str, Value], state: State
) -> Value | None:
    if name == "set" and len(arguments) == 3 and all(isinstance(a, Const) for a in arguments[:2]):
        state.heap[receiver.number] = Instance(item.kind, {**item.attributes, _option(arguments): arguments[2]})
        return Const(None)
    if name == "set":
        pieces = tuple(p for a in arguments for p in pieces_in(a))
        state.heap[receiver.number] = Instance(item.kind, {"?": Opaque("option", pieces)})
        return Const(None)
    if name == "get" and len(arguments) == 2 and all(isinstance(a, Const) for a in arguments):
        found = item.attributes.get(_option(arguments)) or item.attributes.get("?")
        return found or keywords.get("fallback") or Opaque("option")
    if name in {"add_section", "remove_section", "has_section"}:
        return Const(None)
    if name in {"read", "read_file", "read_string", "read_dict"}:
        inside = tuple(p for a in arguments for p in reachable(a, state)) if name != "read" else ()
        state.heap[receiver.number] = Instance(item.kind, {"?": Opaque("option", inside)})
        return Const(None)
    return None


def _option(arguments: Sequence[Value]) -> tuple[object, object]:
    section, option = (a.value if isinstance(a, Const) else "?" for a in arguments[:2])
    return (section, str(option).lower())
