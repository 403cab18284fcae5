"""Text made from values: `str`, paths joined, `%` formatting."""

from dataclasses import replace

from verifiers.static.security.state import DictObject, ListObject, State, reachable
from verifiers.static.security.values import (
    Const,
    Opaque,
    PathValue,
    Piece,
    Ref,
    Value,
    concat,
    one_of,
    options,
    parts,
    text_of,
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
    only = parts(value)[0]
    if len(parts(value)) == 1 and isinstance(only, Opaque):
        why = only.why
        return Opaque(why if why.startswith("parameter ") else "text", reachable(value, state))
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
    """`template % right` for plain `%s`, `%d`, `%(name)s` and the like."""
    item = state.heap.get(right.number) if isinstance(right, Ref) else None
    table = item.items if isinstance(item, DictObject) else {}
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
        name, closed, behind = after[1:].partition(")") if after.startswith("(") else ("", "", after)
        after = behind
        if after[:1] not in {"s", "d", "i", "f", "x"} or (name not in table if closed else not values):
            return Opaque("formatting", reachable(right, state))
        value = table[name] if closed else values.pop(0)
        if after[0] != "s":
            found.append(Piece(("clean", "number"), "", 0, frozenset("0123456789abcdef.-+")))
        else:
            found.append(one_of(text(o, state) for o in options(value)))
        rest = after[1:]
    return concat(*found)
