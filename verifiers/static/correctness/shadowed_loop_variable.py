"""shadowed-loop-variable: does the inner loop's element reach a read in the same round of the outer loop?"""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.control import Edge, Flow
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import binds, head, inside, inside_all, remark
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Follows control from the end of the inner loop to a read, without passing the outer loop's head or a new binding."""
    module = module_of(finding, project)
    inner = node_at(module, finding, ast.For) if module else None
    name = finding.facts.get("name", "")
    function = module.enclosing_function(inner) if module and inner else None
    if module is None or inner is None or function is None or not binds(inner, name):
        return cannot_tell("there is no such loop in a function at this place")
    outer = next((u for u in module.ancestors(inner) if isinstance(u, ast.For) and binds(u, name)), None)
    if outer is None:
        return falls("no loop around it has the same variable", kind="syntax", at=(module.location(inner.target),))
    body = {id(n) for s in inner.body for n in ast.walk(s)}
    if any(isinstance(n, ast.Break) for n in inside_all(inner.body)):
        return cannot_tell("the inner loop may stop at an element it is looking for")
    flow = Flow(function)
    for statement in inside_all(outer.body):
        if not isinstance(statement, ast.stmt) or id(statement) in body or statement is inner:
            continue
        reads = [
            n for part in head(statement) for n in inside(part)
            if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        ]  # fmt: skip
        if not reads:
            continue

        def into(edge: Edge) -> bool:
            return edge.choice is inner and edge.outcome

        trail = flow.path(flow.at(inner), flow.at(statement), stops=lambda n: n is outer or binds(n, name), closed=into)
        if trail is not None:
            if note := remark(module, inner.lineno, reads[0].lineno):
                return cannot_tell(f"a comment stands between them: {note[:100]}")
            return stands(
                f"the last inner `{name}` reaches line {reads[0].lineno} in the same round of the outer loop", kind="flow",
                at=(module.location(outer.target), module.location(inner.target), module.location(reads[0])),
            )  # fmt: skip
    return falls(f"nothing reads `{name}` behind the inner loop before it is bound anew", kind="flow",
                 at=(module.location(inner.target),))  # fmt: skip
