"""lock-not-released: can anything between taking and giving back raise, and would nothing give the lock back then?"""

import ast
from collections.abc import Iterator

from harness.schema.finding import Finding
from harness.source.module import FunctionNode
from harness.source.project import Project
from verifiers.static.concurrency.lockstate import constructor
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, inside

_QUIET = frozenset(
    {
        "len",
        "isinstance",
        "id",
        "bool",
        "time.time",
        "time.monotonic",
        "append",
        "acquire",
        "release",
        "wait",
        "notify",
        "notify_all",
    }
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses when nothing between can raise or a handler for everything releases; confirms a call that can raise."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    function = module.enclosing_function(call) if module and call else None
    if module is None or call is None or function is None:
        return cannot_tell("there is no call at this place")
    lock = finding.facts.get("lock", "")
    here = (module.location(call),)
    made = constructor(module, project, module.enclosing_class(function), lock)
    if made is None or made.rpartition(".")[2] in {"Semaphore", "BoundedSemaphore"}:
        return cannot_tell(f"that `{lock}` is a lock is not to be seen")
    if module.parents.get(call) and not isinstance(module.parents[call], ast.Expr):
        return cannot_tell("whether the lock was taken depends on the answer of acquire()")
    if _given_back(function, lock):
        return falls("a handler or `finally` gives the lock back whatever is raised", kind="guard", at=here)
    last = int(finding.facts.get("release_line", "0"))
    risky = next(_raising(function, call.lineno, last), None)
    if risky is None:
        return falls("nothing between taking and giving back can raise", kind="syntax", at=here)
    return stands(
        f"`{ast.unparse(risky)[:60]}` in line {risky.lineno} can raise while `{lock}` ({made}) is held, "
        "and nothing gives it back",
        kind="flow",
        at=(module.location(call), module.location(risky)),
    )


def _given_back(function: FunctionNode, lock: str) -> bool:
    for node in inside(function.body):
        if not isinstance(node, ast.Try):
            continue
        bodies = [node.finalbody]
        bodies += [h.body for h in node.handlers if h.type is None or chain(h.type) in {"Exception", "BaseException"}]
        for body in bodies:
            if any(isinstance(n, ast.Call) and chain(n.func) == f"{lock}.release" for n in inside(body)):
                return True
    return False


def _raising(function: FunctionNode, first: int, last: int) -> Iterator[ast.expr | ast.stmt]:
    for node in inside(function.body):
        if isinstance(node, ast.Call | ast.Raise) and first < node.lineno < last:
            name = chain(node.func) if isinstance(node, ast.Call) else "raise"
            if name not in _QUIET and name.rpartition(".")[2] not in _QUIET:
                yield node
