"""Assignment to names, tuples, attributes and subscripts."""

import ast
from typing import TYPE_CHECKING

from verifiers.static.security.sequences import element_of, known_elements
from verifiers.static.security.state import DictObject, Instance, ListObject, State, contents
from verifiers.static.security.values import Const, Ref, Value, one_of

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation, Frame


def bind(ev: "Evaluation", target: ast.expr, value: Value, frame: "Frame", state: State) -> None:
    """Assign."""
    match target:
        case ast.Name():
            state.names[target.id] = value
        case ast.Tuple() | ast.List():
            elements = known_elements(value, state)
            exact = elements is not None and len(elements) == len(target.elts)
            exact = exact and not any(isinstance(e, ast.Starred) for e in target.elts)
            for position, element in enumerate(target.elts):
                inner = element.value if isinstance(element, ast.Starred) else element
                part = elements[position] if exact and elements else element_of(value, state, target)
                bind(ev, inner, part, frame, state)
        case ast.Attribute():
            owner = ev.value(target.value, frame, state)
            item = state.heap.get(owner.number) if isinstance(owner, Ref) else None
            if isinstance(owner, Ref) and isinstance(item, Instance):
                state.heap[owner.number] = Instance(item.kind, {**item.attributes, target.attr: value})
        case ast.Subscript():
            store(ev, target, value, frame, state)


def store(ev: "Evaluation", target: ast.Subscript, value: Value, frame: "Frame", state: State) -> None:
    owner = ev.value(target.value, frame, state)
    key = ev.value(target.slice, frame, state)
    if ev.is_watched(target, frame):
        ev.watcher(target, frame, (key, value), {}, owner, state)
    if not isinstance(owner, Ref):
        return
    item = state.heap.get(owner.number)
    if isinstance(item, DictObject):
        if isinstance(key, Const):
            state.heap[owner.number] = DictObject({**item.items, key.value: value}, item.rest)
        else:
            rest = one_of([value, *([item.rest] if item.rest is not None else [])])
            state.heap[owner.number] = DictObject({k: one_of((v, value)) for k, v in item.items.items()}, rest)
    elif isinstance(item, ListObject):
        if isinstance(key, Const) and isinstance(key.value, int) and -len(item.items) <= key.value < len(item.items):
            items = list(item.items)
            items[key.value] = value
            state.heap[owner.number] = ListObject(tuple(items), item.rest)
        else:
            state.heap[owner.number] = ListObject((), one_of([*contents(item), value]))
