"""dropped-task: is the task made by asyncio itself, and does really nothing hold it?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, inside, local_names

_LOOPS = frozenset({"get_event_loop", "get_running_loop", "new_event_loop"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses what is used or is a function of another kind; confirms what asyncio makes, or a loop of asyncio's."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    here = (module.location(call),)
    if not isinstance(module.parents.get(call), ast.Expr):
        return falls("the task is used by what stands around the call", kind="syntax", at=here)
    function = module.enclosing_function(call)
    if function is not None and function.name == "__del__":
        return cannot_tell("nobody is left who could hold it when the object goes")
    root = chain(call.func).partition(".")[0]
    origin = module.resolve(call.func) or ""
    if function is not None and root and root in local_names(function):
        maker = _made(module, function, root)
        if maker is None:
            return cannot_tell(f"what `{root}` is, the function does not show")
        if maker.rpartition(".")[2] == "TaskGroup":
            return falls("a task group holds its tasks", kind="definition", at=here)
        if maker.rpartition(".")[2] not in _LOOPS:
            return cannot_tell(f"`{root}` comes from `{maker}`")
    elif isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        maker = module.resolve(call.func.value.func) or ""
        if not (maker.startswith("asyncio.") and maker.rpartition(".")[2] in _LOOPS):
            return cannot_tell(f"`{maker}` may hold its tasks")
    elif origin not in {"asyncio.create_task", "asyncio.ensure_future"}:
        return cannot_tell(f"`{origin}` may hold its tasks")
    if origin.endswith("ensure_future") and call.args and not isinstance(call.args[0], ast.Call):
        return cannot_tell("the argument may be a future that somebody else holds")
    return stands("the statement drops the only strong reference to the task", kind="syntax", at=here)


def _made(module: Module, function: FunctionNode, name: str) -> str | None:
    for node in inside(function.body):
        if isinstance(node, ast.Assign) and any(chain(t) == name for t in node.targets):
            return module.resolve(node.value.func) if isinstance(node.value, ast.Call) else None
        if isinstance(node, ast.withitem) and chain(node.optional_vars) == name:
            return module.resolve(node.context_expr.func) if isinstance(node.context_expr, ast.Call) else None
    return None
