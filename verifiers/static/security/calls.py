"""What calls give: functions of the project are evaluated, the library's are modelled, the rest is unknown."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from verifiers.static.security import attributes, escape, library, methods, names, operator, reflection, untrusted
from verifiers.static.security.invocation import invoke
from verifiers.static.security.state import Instance, State, reachable
from verifiers.static.security.values import (
    Const,
    Function,
    Global,
    Method,
    Opaque,
    Piece,
    Ref,
    Reflected,
    Request,
    Value,
    one_of,
    options,
)

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation, Frame

MOST_CANDIDATES = 3
_ARGUMENTS = frozenset(
    {"get_argument", "get_body_argument", "get_query_argument", "get_arguments", "get_body_arguments", "get_cookie"}
)
_NEVER_RETURN = frozenset(
    {"flask.abort", "werkzeug.exceptions.abort", "bottle.abort", "sys.exit", "os._exit", "exit", "quit", "os.abort"}
)


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
    result = one_of([_call(ev, option, arguments, keywords, node, frame, state) for option in options(callee)])
    for given in (callee, *arguments, *keywords.values()):
        escape.captured(ev, given, frame, state)
    return result


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
            return invoke(ev, callee, arguments, keywords, frame, state)
        case Global() if callee.name in _NEVER_RETURN:
            state.dead = True
            return Opaque("nothing")
        case Global():
            if ev.project.index.canonical(callee.name) in ev.project.index.classes:
                return _construct(ev, callee.name, arguments, keywords, frame, state)
            if callee.name == "getattr" and len(arguments) >= 2 and isinstance(arguments[1], Const):
                return attributes.attribute(ev, arguments[0], str(arguments[1].value), frame, state, node)
            if callee.name == "getattr" and len(arguments) >= 2:
                chosen = reflection.looked_up(arguments[0], arguments[1], state)
                if chosen is not None:
                    return chosen
            if callee.name == "importlib.import_module" and arguments:
                return reflection.imported(arguments[0])
            known = library.result(ev, callee.name, arguments, keywords, node, state)
            if known is not None:
                return known
            if not escape.reads_only(callee.name):
                escape.handed_out(everything, state)
            return Opaque(f"result of {callee.name}", _inside(everything, state))
        case Method():
            given = operator.namespace(frame.module, node.lineno) if callee.name == "parse_args" else None
            if given is not None:
                return ev.allocate(state, Instance("namespace", given))
            if callee.name in _ARGUMENTS and _handler_of(ev, callee.receiver, state):
                label = arguments[0].value if arguments and isinstance(arguments[0], Const) else node.lineno
                return untrusted.argument_of(str(label), node.lineno)
            if isinstance(callee.receiver, Request):
                piece = untrusted.field(callee.receiver, callee.name, node.lineno)
                return piece if piece is not None else Opaque(f"request.{callee.name}")
            known = methods.result(ev, callee, arguments, keywords, node, state)
            if known is not None:
                return known
            if callee.name in {"recv", "recvfrom"} and isinstance(callee.receiver, Opaque) and len(arguments) == 1:
                return Piece(("network", node.lineno), "network peer", node.lineno)
            if isinstance(callee.receiver, Opaque):
                found = _candidates(ev, callee, arguments, keywords, frame, state)
                if found is not None:
                    return found
            if not escape.reads_only(callee.name):
                escape.handed_out((callee.receiver, *everything), state)
            return Opaque(f"result of {callee.name}", _inside((callee.receiver, *everything), state))
        case Piece():
            return callee
        case Reflected():
            for function in reflection.candidates(ev, callee):
                attempt = state.copy()
                invoke(ev, function, arguments, keywords, frame, attempt)
            escape.handed_out(everything, state)
            return Opaque("result of a function that is looked up", _inside(everything, state))
        case _:
            escape.handed_out((callee, *everything), state)
            return Opaque("result of an unknown call", _inside((callee, *everything), state))


def _handler_of(ev: "Evaluation", receiver: Value, state: State) -> bool:
    """Whether this is an object of a Tornado request handler."""
    item = state.heap.get(receiver.number) if isinstance(receiver, Ref) else None
    return isinstance(item, Instance) and any(b.startswith("tornado.") for b in names.library_bases(ev, item.kind))


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
        invoke(ev, replace(starter, receiver=made), arguments, keywords, frame, state)
    elif arguments or keywords:
        escape.handed_out((*arguments, *keywords.values()), state)
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
    if len(named) > MOST_CANDIDATES and reflection.one_family(ev, named):
        for function in reflection.asked_about(ev, named):
            target = Function(function.path, function.qualname, callee.receiver)
            invoke(ev, target, arguments, keywords, frame, state.copy())
        return None
    if not 0 < len(named) <= MOST_CANDIDATES:
        return None
    found = []
    for function in named:
        attempt = state.copy()
        target = Function(function.path, function.qualname, callee.receiver)
        value = invoke(ev, target, arguments, keywords, frame, attempt)
        if not attempt.dead:  # an abstract method says nothing of what overrides it
            state.heap, state.facts = attempt.heap, attempt.facts
            found.append(value)
    return one_of(found) if found else None
