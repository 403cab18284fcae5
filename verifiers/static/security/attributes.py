"""What attributes of values are."""

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from verifiers.static.security import names, untrusted
from verifiers.static.security.state import Instance, State
from verifiers.static.security.values import (
    Const,
    Global,
    Method,
    Opaque,
    PathValue,
    Piece,
    Ref,
    Request,
    Text,
    Url,
    Value,
    clean,
    concat,
    derived,
    ident_of,
    one_of,
    options,
    parts,
    pieces_in,
)

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation, Frame


_PARTS = frozenset({"filename", "raw_filename", "name", "value"})
"""Attributes of an uploaded file or field that the sender writes."""


def attribute(ev: "Evaluation", owner: Value, name: str, frame: "Frame", state: State, node: ast.expr) -> Value:
    """`owner.name`."""
    return one_of(_attribute(ev, option, name, frame, state, node) for option in options(owner))


def _attribute(ev: "Evaluation", owner: Value, name: str, frame: "Frame", state: State, node: ast.expr) -> Value:
    match owner:
        case Global():
            return names.known_global(ev, f"{owner.name}.{name}", state)
        case Request():
            if name == "path":
                return untrusted.request_path(frame.rules, node.lineno)
            piece = untrusted.field(owner, name, node.lineno)
            return piece if piece is not None else Method(owner, name)
        case Url():
            found = pieces_in(owner.of)
            if isinstance(owner.of, Const) or not found:
                return clean("part of a URL")
            whole = ident_of(owner.of) if isinstance(owner.of, Piece | Text) else (*found[0].ident, "inside")
            return replace(derived(found[0], name), ident=(*whole, name))
        case Ref():
            return _member(ev, owner, name, state)
        case PathValue():
            if name in {"name", "stem", "suffix"}:
                return concat(
                    *(
                        replace(p, chars=p.chars - {"/"}) if isinstance(p, Piece) else Const("")
                        for p in parts(owner.text)
                    )
                )
            return owner if name == "parent" else Method(owner, name)
        case Piece(ident=("request", "rel_url")) if name == "query":
            return owner
        case Piece() if name in _PARTS and "mapping" not in owner.marks:
            return derived(owner, name)
        case Opaque() if name in {"strerror", "errno", "returncode"}:
            return clean(name)
        case _:
            return Method(owner, name)


def _member(ev: "Evaluation", owner: Ref, name: str, state: State) -> Value:
    item = state.heap.get(owner.number)
    if not isinstance(item, Instance):
        return Method(owner, name)
    if name in item.attributes:
        return item.attributes[name]
    found = names.method_of(ev, item.kind, name)
    if found is not None:
        return replace(found, receiver=owner)
    known = names.member(ev, item.kind, name, state)
    return Method(owner, name) if known is None else known
