"""Elements of sequences and of mappings that a client fills."""

import ast

from verifiers.static.security.state import DictObject, ListObject, State, contents, reachable
from verifiers.static.security.values import (
    Const,
    Many,
    Opaque,
    Piece,
    Ref,
    Text,
    Value,
    clean,
    derived,
    one_of,
    options,
    pieces_in,
    summary,
)

UNROLLED = 16
"""Elements of a known sequence that are looked at one by one."""


def known_elements(value: Value, state: State) -> list[Value] | None:
    """Elements of a short sequence that is known whole."""
    item = state.heap.get(value.number) if isinstance(value, Ref) else None
    if isinstance(item, ListObject) and item.rest is None and len(item.items) <= UNROLLED:
        return list(item.items)
    if isinstance(item, DictObject) and item.rest is None and len(item.items) <= UNROLLED:
        return [Const(k) for k in item.items]
    if isinstance(value, Const) and isinstance(value.value, str) and len(value.value) <= UNROLLED:
        return [Const(c) for c in value.value]
    return None


def element_of(value: Value, state: State, node: ast.AST) -> Value:
    """What one element of a sequence is like."""
    found: list[Value] = []
    for option in options(value):
        match option:
            case Many():
                found.append(option.element)
            case Piece():
                found.append(derived(option, ("element", getattr(node, "lineno", 0))))
            case Text():
                whole = summary([option])
                marked = ("element", getattr(node, "lineno", 0))
                found.append(
                    derived(whole, marked) if isinstance(whole, Piece) else Opaque("element", pieces_in(whole))
                )
            case Ref():
                item = state.heap.get(option.number)
                inside = contents(item) if isinstance(item, ListObject) else []
                if isinstance(item, DictObject):
                    inside = [Const(k) for k in item.items]
                found += inside or [Opaque("element", reachable(option, state))]
            case Const():
                found.append(clean("element"))
            case _:
                found.append(Opaque("element", pieces_in(option)))
    return one_of(found) if found else Opaque("element")


def lookup(mapping: Piece, key: Value, node: ast.AST) -> Piece:
    """The value under `key` of a mapping that a client fills: the same key, the same value."""
    label: object = key.value if isinstance(key, Const) else ("at", getattr(node, "lineno", 0))
    kept = mapping.marks & {"operator"}
    return Piece((*mapping.ident, label), mapping.source, getattr(node, "lineno", mapping.line), marks=kept)
