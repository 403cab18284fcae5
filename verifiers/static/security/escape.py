"""What code that is not followed may have changed: the objects it was handed, and what a function inside captured."""

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from verifiers.static.security.state import DictObject, Instance, ListObject, Object, State, contents, reachable
from verifiers.static.security.values import Function, Many, Method, OneOf, Opaque, Piece, Ref, Value, one_of, options

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation, Frame

_ONLY_READ = frozenset(
    {
        "print", "len", "repr", "ascii", "isinstance", "issubclass", "id", "type", "hash", "any", "all", "sum", "enumerate",
        "zip", "callable", "hasattr", "vars", "range", "json.dumps", "pprint.pprint", "pprint.pformat", "copy.copy",
        "copy.deepcopy", "subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_call",
        "subprocess.check_output",
    }
)  # fmt: skip
_LOGGING = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "log"})


def reads_only(name: str) -> bool:
    """Whether a library function or method of this dotted or simple name leaves its arguments as they are."""
    return name in _ONLY_READ or name.rpartition(".")[2] in _LOGGING


def handed_out(values: Iterable[Value], state: State) -> None:
    """The values went to code that is not followed: what they hold may be more, and other, from here on."""
    todo = list(values)
    pieces = tuple(dict.fromkeys(p for v in todo for p in reachable(v, state)))
    seen: set[int] = set()
    while todo:
        match todo.pop():
            case Ref(number) if number not in seen and number in state.heap:
                seen.add(number)
                todo += contents(state.heap[number])
                state.heap[number] = _loosened(state.heap[number], pieces)
            case Method(receiver):
                todo.append(receiver)
            case Function(receiver=bound) if bound is not None:
                todo.append(bound)
            case OneOf(alternatives):
                todo += alternatives
            case Many(element):
                todo.append(element)


def captured(ev: "Evaluation", value: Value, frame: "Frame", state: State) -> None:
    """A function defined inside this one was called or handed on: it may change what it captured."""
    if frame.function is None:
        return
    prefix = f"{frame.module.qualname(frame.function)}."
    for option in options(value):
        if isinstance(option, Function) and option.path == frame.module.path and option.qualname.startswith(prefix):
            node = dict(frame.module.functions).get(option.qualname)
            if node is not None:
                enclosed(node, state)
        elif isinstance(option, Method):
            captured(ev, option.receiver, frame, state)


def enclosed(node: ast.AST, state: State) -> None:
    """Code inside this function that runs later may change the objects it names and the names it declares nonlocal."""
    inside = list(ast.walk(node))
    names = {n.id for n in inside if isinstance(n, ast.Name)}
    handed_out([v for k, v in state.names.items() if k in names], state)
    for name in {k for n in inside if isinstance(n, ast.Nonlocal) for k in n.names} & set(state.names):
        old = state.names[name]
        state.names[name] = one_of((old, Opaque(f"{name}, set by a function inside", reachable(old, state))))


def _loosened(item: Object, pieces: tuple[Piece, ...]) -> Object:
    unknown = Opaque("what other code may have put there", pieces)
    match item:
        case ListObject():
            return ListObject(item.items, unknown if item.rest is None else one_of((item.rest, unknown)))
        case DictObject():
            changed = {k: one_of((v, unknown)) for k, v in item.items.items()}
            return DictObject(changed, unknown if item.rest is None else one_of((item.rest, unknown)))
        case Instance():
            return Instance(item.kind, {k: one_of((v, unknown)) for k, v in item.attributes.items()})
