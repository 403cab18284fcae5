"""exists-then-open: is the second step's failure handled, can anybody else touch the path, and is that ever likely?

Dismisses when the error is caught, a lock is held, or the path was just made by this function. Confirms only where
this very code runs concurrently by its own showing: it is a route, or this module hands it to threads, processes or
tasks. Everything else stays open: a command that runs alone does no harm.
"""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode
from harness.source.project import Project
from verifiers.static.concurrency.lockstate import held_by_callers, known_locks, steps
from verifiers.static.concurrency.parallel import shown_concurrent
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import catcher, chain, inside

_ERRORS = {"mkdir": "FileExistsError", "remove": "FileNotFoundError", "read": "FileNotFoundError"}
_PRIVATE = frozenset({"mkdtemp", "TemporaryDirectory", "mkstemp", "NamedTemporaryFile", "gettempdir"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    use, path = finding.facts.get("use", ""), finding.facts.get("path", "")
    error = _ERRORS.get(use)
    caught = catcher(module, call, error) if error else None
    if caught is not None:
        return falls(f"`{error}` is caught around it", kind="guard", at=(module.location(caught),))
    function = module.enclosing_function(call)
    if function is None:
        return cannot_tell("module level code runs once a process")
    locks = known_locks(module, module.enclosing_class(function))
    locked = next((s for s in steps(function, locks) if call in s.parts and s.regions), None)
    above = held_by_callers(module, project, function)
    if locked is not None or above is not None:
        return falls(
            "a lock is held here" if locked else f"callers hold a lock: {above}",
            kind="guard",
            at=(module.location(call),),
        )
    if _private(function, path):
        return falls(
            f"`{path}` lies in a temporary folder of this call's own", kind="definition", at=(module.location(call),)
        )
    if use == "read":
        return cannot_tell("whether anybody removes this file while the program runs is not to be seen")
    shown = shown_concurrent(module, function)
    if shown is None:
        return cannot_tell("that two of these run at once is not to be seen")
    return stands(
        f"{shown.reason}; nothing catches {error or 'the loss'} in line {call.lineno}",
        kind="interleaving",
        detail=f"A: looks for {path}\nB: looks for {path}\nA: {use}\nB: {use}",
        at=(module.location(call), module.location(shown.node)),
    )


def _private(function: FunctionNode, path: str) -> bool:
    root = path.partition(".")[0].partition("/")[0].strip()
    for node in inside(function.body):
        made = node.value if isinstance(node, ast.Assign) else getattr(node, "context_expr", None)
        if isinstance(made, ast.Call) and chain(made.func).rpartition(".")[2] in _PRIVATE:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "optional_vars", None)
            if chain(target) in {path, root} or (chain(target) and chain(target) in path):
                return True
    return False
