"""Evaluates the function around a call and reports what the call is given each time it is reached."""

import ast
from collections.abc import Sequence
from typing import NamedTuple

from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.security.evaluation import Evaluation, Frame, TooMuch
from verifiers.static.security.state import State
from verifiers.static.security.values import Const, Value, options


class Seen(NamedTuple):
    """One arrival at the call."""

    arguments: tuple[Value, ...]
    keywords: dict[str, Value]


def observed(module: Module, call: ast.Call, project: Project) -> list[Seen] | None:
    """Every arrival; None when the function cannot be evaluated or there is none around the call."""
    function = module.enclosing_function(call)
    if function is None:
        return None
    found: list[Seen] = []

    def watch(
        node: ast.AST,
        frame: Frame,
        given: Sequence[Value],
        keywords: dict[str, Value],
        callee: Value | None,
        state: State,
    ) -> None:
        del node, frame, callee, state
        found.append(Seen(tuple(given), keywords))

    place = (module.path, call.lineno, call.col_offset, call.end_col_offset or 0)
    try:
        Evaluation(project, frozenset({place}), watch).run(module, module.qualname(function))
    except (TooMuch, RecursionError):
        return None
    return found


def constants(value: Value) -> set[object] | None:
    """All values it can have, None unless every one is known."""
    found = options(value)
    if not all(isinstance(o, Const) for o in found):
        return None
    return {o.value for o in found if isinstance(o, Const)}
