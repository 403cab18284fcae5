"""What arrives at the operations of a function: it is evaluated from every place where outsiders' data may enter.

An operation is known by what the callee turns out to be, so one that is handed in, aliased or looked up counts as well.
"""

import ast
import builtins
from collections.abc import Sequence
from typing import NamedTuple

from harness.schema.location import Location
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.claimed.flow.documents import is_document
from verifiers.static.claimed.flow.families import XPATH, Family
from verifiers.static.claimed.flow.spread import Place, Spread, name_of
from verifiers.static.security import arguments, reached
from verifiers.static.security.danger import Answer, Outcome, judge
from verifiers.static.security.evaluation import Evaluation, Frame, TooMuch
from verifiers.static.security.state import State
from verifiers.static.security.values import Global, Method, Opaque, Piece, Value, one_of, options, show

MOST_STEPS = 60_000
"""Steps of all evaluations of a claim together: about a second."""


class Arrival(NamedTuple):
    """An operation was reached once."""

    family: Family
    outcome: Outcome
    name: str
    """What is called."""
    at: Location
    shown: str
    entry: Place
    call: ast.Call


def arrivals(
    project: Project, module: Module, function: FunctionNode, inside: Spread, families: Sequence[Family]
) -> tuple[list[Arrival], list[Arrival]]:
    """What arrives when nothing is known of the function's parameters, and what its callers bring as well."""
    place = (module.path, module.qualname(function))
    if not any(_may_do(r.module, call, families) for r, call in inside.calls()):
        return [], []
    own, spent = _from(project, place, place, inside, families)
    if any(harms(a) for a in own):
        return own, []
    others: list[Arrival] = []
    for entry in reached.entries(project, *place):
        if spent > MOST_STEPS or any(harms(a) for a in others):
            break
        found, steps = _from(project, entry, place, inside, families)
        others, spent = [*others, *found], spent + steps
    return own, others


def harms(arrival: Arrival) -> bool:
    """Whether an outsider's data does harm there; what the user who runs the program says does not count."""
    piece = arrival.outcome.piece
    return arrival.outcome.answer is Answer.HARM and piece is not None and "operator" not in piece.marks


def _from(
    project: Project, entry: Place, through: Place, inside: Spread, families: Sequence[Family]
) -> tuple[list[Arrival], int]:
    """Arrivals in the functions `inside`, while `through` runs, and the steps it took; none from what is too large."""
    try:
        start = project.module(entry[0])
    except (KeyError, NotParsed):
        return [], 0
    found: list[Arrival] = []

    def watch(
        node: ast.AST,
        frame: Frame,
        given: Sequence[Value],
        keywords: dict[str, Value],
        callee: Value | None,
        state: State,
    ) -> None:
        if through not in evaluation.stack or not isinstance(node, ast.Call):
            return
        for option in options(callee) if callee is not None else ():
            name = _name(option, node, frame)
            for family in families:
                if not family.is_done_by(name) and not _is_lookup(family, frame.module, node):
                    continue
                outcome, value = _judged(family, node, frame, given, keywords, option, state)
                at = frame.module.location(node)
                shown = name.removeprefix("?.")
                found.append(Arrival(family, outcome, shown, at, show(value), entry, node))

    places = {
        (r.module.path, call.lineno, call.col_offset, call.end_col_offset or 0)
        for r, call in inside.calls()
        if _may_do(r.module, call, families)
    }
    evaluation = Evaluation(project, frozenset(places), watch)
    try:
        evaluation.run(start, entry[1])
    except (TooMuch, RecursionError, KeyError):
        return [a for a in found if harms(a)], evaluation.steps
    return found, evaluation.steps


def _may_do(module: Module, call: ast.Call, families: Sequence[Family]) -> bool:
    """Whether the call does it by its name, or is one of something that a variable holds."""
    if any(f.is_done_by(name_of(module, call)) or _is_lookup(f, module, call) for f in families):
        return True
    if isinstance(call.func, ast.Attribute):
        return False
    held = not isinstance(call.func, ast.Name) or call.func.id not in module.imports.keys() | module.definitions.keys()
    return held and not (isinstance(call.func, ast.Name) and hasattr(builtins, call.func.id))


def _name(callee: Value, node: ast.Call, frame: Frame) -> str:
    if isinstance(callee, Global):
        return callee.name
    if isinstance(callee, Method):
        return f"?.{callee.name}"
    if isinstance(callee, Opaque):
        return frame.module.resolve(node.func) or "?"
    return "?"


def _is_lookup(family: Family, module: Module, node: ast.Call) -> bool:
    """`tree.find(...)` and its kin, where the tree is one."""
    looks = isinstance(node.func, ast.Attribute) and node.func.attr in {"find", "findall", "findtext", "iterfind"}
    return family is XPATH and looks and isinstance(node.func, ast.Attribute) and is_document(module, node.func.value)


def _judged(
    family: Family,
    node: ast.Call,
    frame: Frame,
    given: Sequence[Value],
    keywords: dict[str, Value],
    callee: Value,
    state: State,
) -> tuple[Outcome, Value]:
    if family is XPATH and isinstance(callee, Method | Opaque) and given:
        value = state.settled(state.refined(given[0]))
        return judge("xpath", value), value
    if family.sink == "path" and keywords and not given:
        value = one_of(keywords.values())  # which of them names the file differs from call to call
        return judge("path", value), value
    outcome, value = arguments.judged(family.sink, node, frame, given, keywords, callee, state)
    receiver = callee.receiver if isinstance(callee, Method) else None
    if family.sink == "template" and isinstance(receiver, Opaque) and "andbox" in receiver.why:
        return Outcome(Answer.UNKNOWN, "the template runs in a sandbox", outcome.piece), value
    if family.sink == "template" and isinstance(receiver, Piece):
        return Outcome(Answer.UNKNOWN, "what this object is does not show", outcome.piece), value
    return outcome, value
