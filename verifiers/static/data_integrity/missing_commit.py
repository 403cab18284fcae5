"""missing-commit: does anything else commit: a `with` on the connection, autocommit mode, a caller who gets it?

Confirms a connection that is made with the default mode, is used by no `with`, and leaves the function in no way.
"""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import bindings, chain, inside


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    function = module.enclosing_function(call) if module and call else None
    if module is None or call is None or function is None:
        return cannot_tell("there is no call at this place")
    owner = finding.facts.get("connection", "")
    made = [value for _, value, targets in bindings(inside(function.body)) if any(chain(t) == owner for t in targets)]
    if len(made) != 1 or not isinstance(made[0], ast.Call):
        return cannot_tell(f"`{owner}` is not made at one place")
    here = (module.location(call), module.location(made[0]))
    modes = [k for k in made[0].keywords if k.arg in {"isolation_level", "autocommit", None}]
    if modes:
        return falls("the connection is made in a mode of its own", kind="definition", at=here)
    entered = _entered(function, owner)
    if entered is not None:
        return falls(f"`with {owner}` in line {entered.lineno} commits", kind="guard", at=(module.location(entered),))
    if _escapes(module, function, owner):
        return cannot_tell(f"`{owner}` is handed on to somebody who may commit")
    through = chain(call.func).rpartition(".")[0]
    cursors = {
        chain(t) for _, value, targets in bindings(inside(function.body)) if _is_cursor(value, owner) for t in targets
    }
    if through != owner and through not in cursors:
        return cannot_tell(f"whether `{ast.unparse(call.func)}` writes through `{owner}` is not to be seen")
    words = [
        n.args[0].value
        for n in inside(function.body)
        if isinstance(n, ast.Call) and n.args and isinstance(n.args[0], ast.Constant)
    ]
    if any(isinstance(w, str) and w.strip().upper().startswith(("COMMIT", "END")) for w in words):
        return falls("a statement of its own commits", kind="guard", at=here)
    return stands(
        f"`{owner}` opens a transaction at the first write, and `{function.name}` neither commits it nor hands it on",
        kind="flow",
        at=here,
    )


def _entered(function: FunctionNode, owner: str) -> ast.With | None:
    for node in inside(function.body):
        if isinstance(node, ast.With) and any(chain(item.context_expr) == owner for item in node.items):
            return node
    return None


def _is_cursor(value: ast.expr, owner: str) -> bool:
    return isinstance(value, ast.Call) and chain(value.func) == f"{owner}.cursor"


def _escapes(module: Module, function: FunctionNode, owner: str) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == owner and isinstance(node.ctx, ast.Load):
            parent = module.parents.get(node)
            if not isinstance(parent, ast.Attribute) or not isinstance(module.parents.get(parent), ast.Call):
                return True
    return False
