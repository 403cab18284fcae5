"""unlocked-file-update: does what is written come from what was read, is no lock held, and can two run at once?

Dismisses when a lock (also of a file-locking library or the system) is held here or by every caller, or when what is
written does not depend on what was read. Confirms when the function serves requests or runs in several threads or
processes by its own showing; a command for one user stays open.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.concurrency.lockstate import held_by_callers, known_locks, steps
from verifiers.static.concurrency.parallel import shown_concurrent
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import inside

_FILE_LOCK = re.compile(r"\b(fcntl|msvcrt|portalocker|filelock|FileLock|flock|lockf|lockfile|SoftFileLock)\b")


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    function = module.enclosing_function(call) if module and call else None
    if module is None or call is None or function is None:
        return cannot_tell("there is no call at this place")
    here = (module.location(call),)
    line = int(finding.facts.get("read_line", "0"))
    if _FILE_LOCK.search(ast.unparse(function)):
        return falls("the function takes a lock on a file", kind="guard", at=here)
    locks = known_locks(module, module.enclosing_class(function))
    step = next((s for s in steps(function, locks) if call in s.parts), None)
    above = held_by_callers(module, project, function)
    if (step is not None and step.regions) or above is not None:
        return falls("a lock is held here" if above is None else f"callers hold a lock: {above}", kind="guard", at=here)
    if not _depends(module, function, line, call):
        return falls("what is written does not come from what was read", kind="flow", at=here)
    shown = shown_concurrent(module, function)
    if shown is None:
        return cannot_tell("that two of these run at once is not to be seen")
    return stands(
        f"{shown.reason}; it reads the file in line {line} and writes the changed content in line {call.lineno}",
        kind="interleaving",
        detail=f"A: reads in line {line}\nB: reads in line {line}\nA: writes in line {call.lineno}\nB: writes over it",
        at=(module.location(call), module.location(shown.node)),
    )


def _depends(module: Module, function: FunctionNode, line: int, write: ast.Call) -> bool:
    """Whether a local that holds what was read in `line` reaches the statements of the write."""
    tainted: set[str] = set()
    for _ in range(3):
        for node in inside(function.body):
            if isinstance(node, ast.Assign | ast.AugAssign):
                uses = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
                reads = any(getattr(n, "lineno", 0) == line for n in ast.walk(node.value))
                if reads or uses & tainted:
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    tainted |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
            elif isinstance(node, ast.withitem) and node.context_expr.lineno == line and node.optional_vars is not None:
                tainted |= {n.id for n in ast.walk(node.optional_vars) if isinstance(n, ast.Name)}
    scope: ast.AST = module.statement(write)
    return any(isinstance(n, ast.Name) and n.id in tainted for n in ast.walk(scope))
