"""exists-then-open: is the second step's failure handled, can anybody else touch the path, and is that ever likely?

Dismisses when the error is caught, a lock is held, or the path was just made by this function. Confirms only where
this very code runs concurrently by its own showing: it is a coroutine or a route, or the function (or its class) takes
a lock or starts threads or processes. Everything else stays open: a command that runs alone does no harm.
"""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.concurrency.lockstate import held_by_callers, known_locks, steps
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import catcher, chain, inside

_ERRORS = {"mkdir": "FileExistsError", "remove": "FileNotFoundError", "read": "FileNotFoundError"}
_PARALLEL = frozenset({"Thread", "ThreadPoolExecutor", "ProcessPoolExecutor", "Process", "Pool", "create_task", "fork"})
_ROUTES = frozenset({"route", "get", "post", "put", "delete", "patch", "websocket"})
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
    shown = _concurrent(module, function)
    if shown is None:
        return cannot_tell("that two of these run at once is not to be seen")
    return stands(
        f"{shown[0]}; nothing catches {error or 'the loss'} in line {call.lineno}",
        kind="interleaving",
        detail=f"A: looks for {path}\nB: looks for {path}\nA: {use}\nB: {use}",
        at=(module.location(call), module.location(shown[1])),
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


def _concurrent(module: Module, function: FunctionNode) -> tuple[str, ast.AST] | None:
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Attribute) and called.attr in _ROUTES and isinstance(decorator, ast.Call):
            return f"`{function.name}` serves requests", function
    homes: list[ast.AST] = [function]
    cls = module.enclosing_class(function)
    if cls is not None:
        homes.append(cls)
    for home in homes:
        for node in ast.walk(home):
            if isinstance(node, ast.Call) and chain(node.func).rpartition(".")[2] in _PARALLEL:
                target = [chain(k.value) for k in node.keywords if k.arg == "target"] + [chain(a) for a in node.args]
                if any(t.rpartition(".")[2] == function.name for t in target if t):
                    return f"`{function.name}` runs in several threads or processes (line {node.lineno})", node
    for other in module.nodes(ast.Call):
        name = chain(other.func) or (other.func.attr if isinstance(other.func, ast.Attribute) else "")
        if name.rpartition(".")[2] in {"submit", "map", "Thread", "Process", "starmap", "apply_async", "imap"}:
            given = [*other.args, *(k.value for k in other.keywords if k.arg == "target")]
            if any(chain(a).rpartition(".")[2] == function.name for a in given):
                return f"line {other.lineno} runs `{function.name}` in several threads or processes", other
    return None
