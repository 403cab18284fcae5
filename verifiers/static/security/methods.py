"""Models of methods: strings, lists, dictionaries, paths, and a few library objects."""

import ast
import string
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from verifiers.static.security.state import DictObject, Instance, ListObject, Object, State, contents, reachable
from verifiers.static.security.values import (
    ANY,
    DIGITS,
    Const,
    Many,
    Method,
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
    each_char,
    one_of,
    options,
    parts,
    pieces_in,
    text_of,
)

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation

_CONSTANT = frozenset(
    {
        "lower", "upper", "strip", "lstrip", "rstrip", "replace", "find", "index", "count", "startswith", "endswith",
        "split", "isdigit", "isalpha", "isalnum", "title", "capitalize", "encode", "decode", "zfill", "removeprefix",
        "removesuffix", "partition", "rpartition", "casefold", "swapcase",
    }
)  # fmt: skip
_SAME = frozenset({"strip", "lstrip", "rstrip", "expandtabs", "removeprefix", "removesuffix", "decode", "encode", "get_data", "read", "tobytes", "getvalue", "text", "as_posix"})  # fmt: skip
_RECASED = {"lower": str.lower, "upper": str.upper, "casefold": str.casefold, "title": str.title, "capitalize": str.capitalize, "swapcase": str.swapcase}  # fmt: skip
_RESOLVING = frozenset({"resolve", "absolute"})


def result(
    ev: "Evaluation",
    callee: Method,
    arguments: Sequence[Value],
    keywords: dict[str, Value],
    node: ast.Call,
    state: State,
) -> Value | None:
    """What `receiver.name(...)` gives, None when there is no model of it."""
    receiver, name = callee.receiver, callee.name
    match receiver:
        case Const():
            return _of_constant(receiver, name, arguments, keywords, state, ev)
        case Piece() if "mapping" in receiver.marks:
            return _of_mapping(receiver, name, arguments, node)
        case Piece() | Text():
            return _of_text(receiver, name, arguments, node, state)
        case PathValue():
            if name in _RESOLVING:
                return PathValue(receiver.text, resolved=True)
            if name == "joinpath":
                from verifiers.static.security.calls import joined_path  # noqa: PLC0415  # the two need each other

                return joined_path(receiver, *arguments)
            if name in {"with_suffix", "with_name", "expanduser"}:
                return receiver
            return Opaque(f"Path.{name}")
        case Ref():
            item = state.heap.get(receiver.number)
            return _of_object(ev, receiver, item, name, arguments, keywords, state) if item is not None else None
    return None


def _of_constant(
    receiver: Const, name: str, arguments: Sequence[Value], keywords: dict[str, Value], state: State, ev: "Evaluation"
) -> Value | None:
    if not isinstance(receiver.value, str | bytes):
        return None
    if name == "format" and isinstance(receiver.value, str):
        return _format(receiver.value, arguments, keywords, state)
    if name == "join" and len(arguments) == 1:
        return _join(receiver, arguments[0], state)
    if name in _CONSTANT and all(isinstance(a, Const) for a in arguments) and not keywords:
        values = [a.value for a in arguments if isinstance(a, Const)]
        if name == "zfill":
            return clean(name)
        try:
            made = getattr(receiver.value, name)(*values)
        except (TypeError, ValueError, LookupError, AttributeError):
            return Opaque(name)
        if isinstance(made, list | tuple):
            return ev.allocate(state, ListObject(tuple(Const(m) for m in made)))
        return Const(made) if not isinstance(made, str | bytes) or len(made) < 10_000 else clean(name)
    return None


def _format(template: str, arguments: Sequence[Value], keywords: dict[str, Value], state: State) -> Value | None:
    from verifiers.static.security.calls import text  # noqa: PLC0415  # the two modules need each other

    found: list[Value] = []
    position = 0
    try:
        fields = list(string.Formatter().parse(template))
    except ValueError:
        return None
    for literal, field, _, _ in fields:
        found.append(Const(literal))
        if field is None:
            continue
        first = field.split("[")[0].split(".")[0]
        key = field[len(first) :]
        if first == "":
            first, position = str(position), position + 1
        value = arguments[int(first)] if first.isdigit() and int(first) < len(arguments) else keywords.get(first)
        if value is None:
            return Opaque("formatting", tuple(p for v in (*arguments, *keywords.values()) for p in reachable(v, state)))
        if key.startswith("[") and key.endswith("]"):
            item = state.heap.get(value.number) if isinstance(value, Ref) else None
            if isinstance(item, DictObject) and key[1:-1] in item.items:
                value = item.items[key[1:-1]]
            else:
                value = Opaque("field", reachable(value, state))
        elif key:
            value = Opaque("field", reachable(value, state))
        found.append(one_of(text(o, state) for o in options(value)))
    return concat(*found)


def _join(glue: Const, sequence: Value, state: State) -> Value:
    item = state.heap.get(sequence.number) if isinstance(sequence, Ref) else None
    if isinstance(item, ListObject) and item.rest is None:
        found: list[Value] = []
        for position, value in enumerate(item.items):
            found += [glue] if position else []
            found.append(value)
        return concat(*found)
    if isinstance(sequence, Many):
        element = sequence.element
        dirty = pieces_in(element)
        if isinstance(element, Piece | Const | Text):
            return concat(element, glue, element)
        return Opaque("joined", dirty)
    return Opaque("joined", reachable(sequence, state))


def _of_mapping(receiver: Piece, name: str, arguments: Sequence[Value], node: ast.Call) -> Value | None:
    from verifiers.static.security.expressions import lookup  # noqa: PLC0415  # the two modules need each other

    if name in {"get", "pop", "setdefault", "getone"} and arguments:
        return lookup(receiver, arguments[0], node)
    if name in {"getlist", "get_all", "getall"} and arguments:
        return Many(lookup(receiver, arguments[0], node))
    if name in {"keys", "values"}:
        return Many(Piece((*receiver.ident, name, node.lineno), receiver.source, node.lineno))
    if name in {"items", "lists"}:
        return Many(Many(Piece((*receiver.ident, name, node.lineno), receiver.source, node.lineno)))
    if name in {"to_dict", "copy", "dict"}:
        return receiver
    return Piece((*receiver.ident, name, node.lineno), receiver.source, node.lineno)


def _of_text(
    receiver: Piece | Text, name: str, arguments: Sequence[Value], node: ast.Call, state: State
) -> Value | None:
    if name in _SAME:
        return receiver
    if name in _RECASED:
        change = _RECASED[name]
        return text_of(
            change(p) if isinstance(p, str) else each_char(p, change, name) if isinstance(p, Piece) else p
            for p in parts(receiver)
        )
    if name == "replace" and len(arguments) >= 2:
        return _replaced(receiver, arguments[0], arguments[1])
    if name in {"split", "rsplit", "splitlines"}:
        return Many(_part(receiver, name, arguments, node))
    if name in {"partition", "rpartition"}:
        return Many(_part(receiver, name, arguments, node))
    if name in {"find", "rfind", "index", "count", "rindex"}:
        return clean("a position", DIGITS)
    if name == "translate":
        return Opaque(name, pieces_in(receiver))
    if name in {"format", "join", "ljust", "rjust", "center", "zfill"}:
        return Opaque(name, tuple(p for v in (receiver, *arguments) for p in reachable(v, state)))
    if isinstance(receiver, Piece) and name in {"get", "getlist", "pop"}:
        return Piece((*receiver.ident, name, node.lineno), receiver.source, node.lineno)
    return None


def _replaced(receiver: Piece | Text, old: Value, new: Value) -> Value:
    if not (
        isinstance(old, Const) and isinstance(new, Const) and isinstance(old.value, str) and isinstance(new.value, str)
    ):
        return Opaque("replace", pieces_in(receiver))
    before, after = old.value, new.value
    found: list[str | Piece | Opaque] = []
    for part in parts(receiver):
        if isinstance(part, str):
            found.append(part.replace(before, after))
        elif not isinstance(part, Piece):
            found.append(part)
        elif len(before) == 1:
            found.append(each_char(part, lambda c: c.replace(before, after), f"replace {before}"))
        else:
            # removing `../` once can leave one behind (`....//`); only a replacement that cannot rebuild it counts
            gone = frozenset({before}) if after and not set(after) & set(before) else frozenset()
            kept = replace(derived(part, f"replace {before}"), chars=part.chars | alphabet(after), lacks=gone)
            found.append(replace(kept, marks=kept.marks | ({"checked"} if not gone else frozenset())))
    return text_of(found)


def _part(receiver: Piece | Text, name: str, arguments: Sequence[Value], node: ast.Call) -> Value:
    dirty = pieces_in(receiver)
    if not dirty:
        return clean("part of a text")
    separator = arguments[0] if arguments else None
    chars = dirty[0].chars
    if name == "split" and isinstance(separator, Const) and isinstance(separator.value, str) and len(separator.value) == 1 and len(arguments) == 1:  # fmt: skip
        chars -= {separator.value}
    return derived(dirty[0], (name, node.lineno), chars=chars)


def _of_object(
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
        return Opaque(f"file.{name}")
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
            state.heap[receiver.number] = DictObject(item.items, Opaque("value", reachable(first, state)))
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
        return found or keywords.get("fallback") and Opaque("option") or Opaque("option")
    if name in {"add_section", "remove_section", "has_section"}:
        return Const(None)
    if name in {"read", "read_file", "read_string", "read_dict"}:
        state.heap[receiver.number] = Instance(item.kind, {"?": Opaque("option", tuple(p for a in arguments for p in reachable(a, state)) if name != "read" else ())})  # fmt: skip
        return Const(None)
    return None


def _option(arguments: Sequence[Value]) -> tuple[object, object]:
    section, option = (a.value if isinstance(a, Const) else "?" for a in arguments[:2])
    return (section, str(option).lower())


__all__ = ["ANY", "result"]
