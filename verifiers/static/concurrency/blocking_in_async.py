"""blocking-call-in-async: is it really that function, and does it really run on the event loop?"""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses calls of a shadowed name and calls that only a worker thread makes; confirms what is left."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    function = module.enclosing_function(call)
    if not isinstance(function, ast.AsyncFunctionDef):
        return falls("the call is not inside an async function", kind="syntax", at=(module.location(call),))
    for up in module.ancestors(call):
        if up is function:
            break
        if isinstance(up, ast.Lambda):
            return cannot_tell("the call is inside a lambda, which may run on another thread")
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and _bound_locally(function, root.id):
        return falls(
            f"`{root.id}` is a local name here, not the module", kind="definition", at=(module.location(call),)
        )
    return stands(
        f"`{finding.facts.get('call', '')}` runs on the event loop of `async def {function.name}`",
        kind="syntax",
        at=(module.location(call), module.location(function)),
    )


def _bound_locally(function: ast.AsyncFunctionDef, name: str) -> bool:
    arguments = function.args
    names = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    names |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return name in names
