"""iterator-consumed-twice: does control go from one complete run to another, with nothing new bound between?"""

import ast
from collections.abc import Callable

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.control import Edge, Flow
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import binds, chain, inside_all
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

EXHAUSTING = frozenset({"list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "min", "max"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """Both runs must be complete (no break, no any/all) and the second must always follow the first."""
    module = module_of(finding, project)
    name = finding.facts.get("name", "")
    second = node_at(module, finding, ast.Name) if module else None
    function = module.enclosing_function(second) if module and second else None
    if module is None or second is None or function is None:
        return cannot_tell("there is no name at this place")
    flow = Flow(function)
    runs = [n for n in inside_all(function.body) if isinstance(n, ast.Name) and n.id == name and _exhausts(module, n)]
    made = [s for s in inside_all(function.body) if isinstance(s, ast.stmt) and binds(s, name)]
    if len(made) != 1 or not isinstance(made[0], ast.Assign) or not _one_shot(made[0].value, project, module):
        return falls(
            f"`{name}` is not bound to one one-shot iterator", kind="definition", at=(module.location(second),)
        )
    goals = flow.at(module.statement(second))

    def stops(node: ast.AST) -> bool:
        return binds(node, name)

    for first in runs:
        starts = flow.at(module.statement(first))
        if first is second:
            loops = _repeats(module, second, function, made[0])
            if not loops:
                continue
            if any(isinstance(n, ast.Break | ast.Return) for n in inside_all(loops)):
                return cannot_tell("the loop may leave before it comes round")
        trail = flow.path(starts, goals, stops=stops, closed=_straight_on(module.parents[first]))
        if trail is not None:
            return stands(
                f"`{name}` from line {made[0].lineno} is used up in line {first.lineno} and run through again here", kind="flow",
                at=(module.location(made[0]), module.location(first), module.location(second)),
            )  # fmt: skip
    if flow.path(flow.at(made[0]), goals, stops=lambda n: n is not made[0] and stops(n)) is None:
        return falls("no path leads from the iterator to this use", kind="flow", at=(module.location(second),))
    return cannot_tell("whether both runs happen depends on conditions")


def _exhausts(module: Module, name: ast.Name) -> bool:
    parent = module.parents[name]
    if isinstance(parent, ast.For) and parent.iter is name:
        return not any(isinstance(n, ast.Break | ast.Return | ast.Raise) for n in inside_all(parent.body))
    if isinstance(parent, ast.comprehension) and parent.iter is name:
        holder = module.parents[parent]
        return isinstance(holder, ast.ListComp | ast.SetComp | ast.DictComp) and holder.generators[0] is parent
    return isinstance(parent, ast.Call) and chain(parent.func) in EXHAUSTING and parent.args[:1] == [name]


def _one_shot(value: ast.expr, project: Project, module: Module) -> bool:
    if isinstance(value, ast.GeneratorExp):
        return True
    if not isinstance(value, ast.Call):
        return False
    if chain(value.func) in {"map", "filter", "zip", "iter", "reversed", "enumerate"}:
        return chain(value.func) not in module.definitions and chain(value.func) not in module.imports
    known = project.index.function(module.resolve(value.func) or "")
    return known is not None and known.is_generator and not known.decorators


def _repeats(module: Module, use: ast.AST, function: ast.AST, made: ast.AST) -> list[ast.stmt]:
    """Body of the innermost loop that repeats the use and not the making."""
    child = use
    around = set(module.ancestors(made))
    for up in module.ancestors(use):
        if up is function:
            break
        if isinstance(up, ast.For | ast.While) and child is not getattr(up, "iter", None) and up not in around:
            return up.body
        child = up
    return []


def _straight_on(first_run: ast.AST) -> Callable[[Edge], bool]:
    """Closes edges that depend on a choice, and those that go round inside the first run itself."""

    def closed(edge: Edge) -> bool:
        round_again = isinstance(first_run, ast.For) and edge.choice is first_run and edge.outcome
        return edge.raised or round_again or isinstance(edge.choice, ast.expr | ast.match_case | ast.ExceptHandler)

    return closed
