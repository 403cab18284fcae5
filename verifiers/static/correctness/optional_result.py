"""unchecked-optional-result: does the callee return None for what this caller may pass, and does nothing here rule it out?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode
from harness.source.project import Project
from verifiers.static.control import ENTRY, FELL_OFF, RETURNED, Edge, Flow
from verifiers.static.correctness.none_dereference import says
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import binds, chain, inside, remark, tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms when the caller passes on what it was given itself, unconditionally, and dereferences the answer at once."""
    module = module_of(finding, project)
    use: ast.Attribute | ast.Subscript | None = None
    if module is not None:
        use = node_at(module, finding, ast.Attribute) or node_at(module, finding, ast.Subscript)
    function = module.enclosing_function(use) if module and use else None
    known = project.index.functions.get(finding.facts.get("callee", ""))
    if module is None or use is None or function is None or known is None:
        return cannot_tell("the use is not in a function at this place")
    callee_module = project.module(known.path)
    callee = next((f for q, f in callee_module.functions if q == known.qualname), None)
    if callee is None or not (none := _returns_none(callee)):
        return falls("the function does not return None", kind="flow", at=(module.location(use),))
    place = (callee_module.location(none), module.location(use))
    if any(isinstance(up, ast.Try) for up in module.ancestors(use)):
        return cannot_tell("a try statement around it may expect the failure")
    statement = module.statement(use)
    flow = Flow(function)
    call = _call(function, use, known.qualname.rpartition(".")[2])
    if call is None:
        return cannot_tell("the call that the value comes from is not visible")
    if isinstance(use.value, ast.Name):
        name = use.value.id

        def not_none(edge: Edge) -> bool:
            return isinstance(edge.choice, ast.expr) and says(edge.choice, edge.outcome, name) == "value"

        made = flow.at(module.statement(call))
        origin = module.statement(call)
        tested = flow.path(
            made, flow.at(statement), stops=lambda n: n is not origin and binds(n, name), closed=not_none
        )
        if tested is None:
            return falls(f"every path to here has tested `{name}`", kind="guard", at=place)
    if remark(module, use.lineno) or remark(module, call.lineno):
        return cannot_tell("a comment speaks of it")
    given = {chain(a) for a in (*call.args, *(k.value for k in call.keywords))}
    parameters = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
    if not given or not given <= parameters:
        return cannot_tell("what it is asked for is made here, and may always be there")
    tests = [e.choice for edges in flow.edges for e in edges if isinstance(e.choice, ast.expr)]
    if any(chain(n) in given for t in tests for n in inside(t)):
        return cannot_tell("a condition in this function speaks of what it is asked for")
    straight = flow.path([ENTRY], flow.at(statement), closed=lambda e: e.raised or e.choice is not None)
    if straight is None:
        return cannot_tell("conditions on the way may rule None out")
    return stands(
        f"`{known.qualname}` answers None in line {none.lineno}; this caller passes its argument on and dereferences the answer",
        kind="flow", at=place,
    )  # fmt: skip


def _returns_none(function: FunctionNode) -> ast.stmt | None:
    """A reachable statement with which the function answers None."""
    flow = Flow(function)
    for node, numbers in flow.where.items():
        bare = isinstance(node, ast.Return) and (node.value is None or getattr(node.value, "value", 0) is None)
        if bare and isinstance(node, ast.Return) and flow.path([ENTRY], numbers) is not None:
            return node
    return function.body[-1] if flow.path([ENTRY], [FELL_OFF]) and flow.path([ENTRY], [RETURNED]) else None


def _call(function: FunctionNode, use: ast.Attribute | ast.Subscript, name: str) -> ast.Call | None:
    if isinstance(use.value, ast.Call):
        return use.value if tail(use.value.func) == name else None
    target = chain(use.value)
    calls = [n for n in ast.walk(function) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call)]
    made = [n.value for n in calls if any(chain(t) == target for t in n.targets)]
    return next((c for c in made if isinstance(c, ast.Call) and tail(c.func) == name), None)
