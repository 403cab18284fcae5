"""Calls of functions of the project."""

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.source.module import FunctionNode
from harness.source.syntax import NotParsed
from verifiers.static.security import escape
from verifiers.static.security.state import State, join, reachable
from verifiers.static.security.values import Const, Function, Opaque, Value, one_of, pieces_in

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation, Frame

DEEPEST = 7
"""Functions that are inside one another before the innermost is taken as unknown."""


def invoke(
    ev: "Evaluation",
    function: Function,
    arguments: Sequence[Value],
    keywords: dict[str, Value],
    frame: "Frame",
    state: State,
    *,
    wanted: bool | None = None,
) -> Value:
    """Call a function of the project; with `wanted`, only the ways through it that return something so."""
    place = (function.path, function.qualname)
    given = [*([function.receiver] if function.receiver is not None else []), *arguments]
    inside = tuple(dict.fromkeys(p for v in (*given, *keywords.values()) for p in reachable(v, state)))
    unknown = Opaque(f"result of {function.qualname}", inside)
    try:
        module = ev.project.module(function.path)
        node = dict(module.functions).get(function.qualname)
    except (KeyError, NotParsed):
        node = None
    if node is None or _yields(node) or len(ev.stack) >= DEEPEST or place in ev.stack:
        escape.handed_out((*given, *keywords.values()), state)
        return unknown
    outer = state.names
    names = bound(ev, node, given, keywords, frame, state)
    inner = State(names, state.heap, state.facts)
    called = ev.frame(module, node, frame.rules, wanted=wanted)
    ev.stack.append(place)
    try:
        end = ev.block(node.body, called, inner)
    finally:
        ev.stack.pop()
    leaving = list(called.returns)
    if end is not None and wanted is not True:
        leaving.append((Const(None), end))
    after = join([s for _, s in leaving])
    if after is None and _abstract(node):
        return unknown
    if after is None:
        state.dead = True
        return unknown
    state.heap, state.facts, state.names = after.heap, after.facts, outer
    if len(leaving) == 1:
        return after.refined(leaving[0][0])
    return one_of(s.settled(v) for v, s in leaving)


def bound(
    ev: "Evaluation",
    node: FunctionNode,
    given: list[Value],
    keywords: dict[str, Value],
    frame: "Frame",
    state: State,
) -> dict[str, Value]:
    """Names of the parameters in a call."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    names: dict[str, Value] = {}
    defaults = dict(
        zip(
            [a.arg for a in positional[len(positional) - len(arguments.defaults) :]],
            arguments.defaults,
            strict=True,
        )
    )
    defaults |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    for position, argument in enumerate([*positional, *arguments.kwonlyargs]):
        if position < len(positional) and position < len(given):
            names[argument.arg] = given[position]
        elif argument.arg in keywords:
            names[argument.arg] = keywords[argument.arg]
        elif argument.arg in defaults and isinstance(defaults[argument.arg], ast.Constant):
            names[argument.arg] = ev.value(defaults[argument.arg], frame, state)
        else:
            names[argument.arg] = Opaque(f"parameter {argument.arg}")
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            spare = (*given[len(positional) :], *keywords.values())
            names[extra.arg] = Opaque(f"parameter {extra.arg}", tuple(p for v in spare for p in pieces_in(v)))
    return names


def _abstract(node: FunctionNode) -> bool:
    """Only there to be overridden: `raise NotImplementedError`."""
    raised = [s.exc for s in node.body if isinstance(s, ast.Raise) and s.exc is not None]
    return any("NotImplemented" in ast.unparse(r) for r in raised)


def _yields(node: FunctionNode) -> bool:
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node))
