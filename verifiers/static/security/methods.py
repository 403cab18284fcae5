"""Models of methods: strings, lists, dictionaries, paths, and a few library objects."""

import ast
import string
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from verifiers.static.security import objects
from verifiers.static.security.sequences import lookup
from verifiers.static.security.state import DictObject, ListObject, State, reachable
from verifiers.static.security.textual import joined_path, text
from verifiers.static.security.values import (
    DIGITS,
    LATER_WORDS,
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
_SAME = frozenset(
    {
        "strip", "lstrip", "rstrip", "expandtabs", "removeprefix", "removesuffix", "decode", "encode", "get_data", "read",
        "tobytes", "getvalue", "text", "as_posix",
    }
)  # fmt: skip
_RECASED = {
    "lower": str.lower, "upper": str.upper, "casefold": str.casefold, "title": str.title,
    "capitalize": str.capitalize, "swapcase": str.swapcase,
}  # fmt: skip
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
        case Text() if name == "split" and (words := _words(receiver, arguments, node)) is not None:
            return ev.allocate(state, words)
        case Piece() | Text():
            return _of_text(receiver, name, arguments, node, state)
        case PathValue():
            if name in _RESOLVING:
                return PathValue(receiver.text, resolved=True)
            if name == "joinpath":
                return joined_path(receiver, *arguments)
            if name in {"with_suffix", "with_name", "expanduser"}:
                return receiver
            return Opaque(f"Path.{name}")
        case Ref():
            item = state.heap.get(receiver.number)
            return objects.result(ev, receiver, item, name, arguments, keywords, state) if item is not None else None
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


def _words(receiver: Text, arguments: Sequence[Value], node: ast.Call) -> ListObject | None:
    """A text split at blanks whose first words are known; None for any other."""
    first = receiver.parts[0]
    if not isinstance(first, str) or [a for a in arguments if a != Const(" ")] or " " not in first.lstrip():
        return None
    known = first.split(" ") if arguments else first.lstrip().rpartition(" ")[0].split()
    known = known[:-1] if arguments else known
    if any(isinstance(part, Opaque) and part.why.startswith("parameter ") for part in receiver.parts):
        return None
    unknown = any(isinstance(part, Opaque) for part in receiver.parts)
    rest = Opaque(LATER_WORDS, pieces_in(receiver)) if unknown else _part(receiver, "split", arguments, node)
    return ListObject(tuple(Const(w) for w in known), rest) if known else None


def _format(template: str, arguments: Sequence[Value], keywords: dict[str, Value], state: State) -> Value | None:
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
    if isinstance(item, ListObject) and item.rest is not None and _texts(item.rest):
        return concat(*(v for known in item.items for v in (known, glue)), item.rest, glue, item.rest)
    if isinstance(sequence, Many):
        element = sequence.element
        dirty = pieces_in(element)
        if isinstance(element, Piece | Const | Text):
            return concat(element, glue, element)
        return Opaque("joined", dirty)
    return Opaque("joined", reachable(sequence, state))


def _texts(value: Value) -> bool:
    return all(isinstance(o, Piece | Const | Text) for o in options(value))


def _of_mapping(receiver: Piece, name: str, arguments: Sequence[Value], node: ast.Call) -> Value | None:
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
    plain = name == "split" and len(arguments) == 1 and isinstance(separator, Const)
    if plain and isinstance(separator, Const) and isinstance(separator.value, str) and len(separator.value) == 1:
        chars -= {separator.value}
    return derived(dirty[0], (name, node.lineno), chars=chars)
