"""unguarded-shared-state: replay every function of the class (or module) and ask what the missing lock can break.

Dismisses when callers hold the lock, when the lock is taken by `acquire()`, when the name is local, when the function
only runs before the object is shared, or when the author says so. Confirms only pairs that lose something: a guarded
read-modify-write against any unguarded write, an unguarded read-modify-write, and a walk over a collection against a
change of it. A lone assignment beside lone assignments stays open.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.concurrency.hidden_locks import covering
from verifiers.static.concurrency.lockstate import Step, constructor, held_by_callers, known_locks, steps
from verifiers.static.locate import module_of
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, comment_in, inside, local_names

_GROWS = frozenset({"add", "append", "appendleft", "extend", "insert", "update", "remove", "pop", "popitem", "clear"})
_SAID = re.compile(r"lock|thread|race|atomic|gil\b|safe", re.IGNORECASE)
_ONCE = re.compile(r"^_*(init|setup|set_up|prepare|configure|start|open|connect|close|stop|shutdown|join|reset_all)")


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the file cannot be read")
    state, lock = finding.facts.get("state", ""), finding.facts.get("lock", "")
    function = _around(module, finding.line)
    if function is None or not state:
        return cannot_tell("the function of the claim is not there")
    cls = module.enclosing_class(function)
    here = (module.location(function),)
    if "." not in state and state in local_names(function):
        return falls(f"`{state}` is a local of `{function.name}`", kind="definition", at=here)
    locks = known_locks(module, cls)
    mine = [s for s in steps(function, locks) if _covers(s, finding.line) and _touches(s, state)]
    if mine and all(s.regions for s in mine):
        return falls("a lock is held here", kind="guard", at=(module.location(mine[0].node),))
    caller = held_by_callers(module, project, function)
    if caller:
        return falls(
            f"every caller of `{function.name}` holds a lock or is a constructor: {caller}", kind="guard", at=here
        )
    said = comment_in(module, finding.line - 2, finding.line)
    docstring = ast.get_docstring(function) or ""
    if (said and _SAID.search(said[1])) or re.search(r"lock (is|must be) held|not thread.?safe", docstring, re.I):
        return falls("the author says beside it why no lock is taken", kind="documentation", at=here)
    made = constructor(module, project, cls, lock)
    if made is None:
        return cannot_tell(f"where `{lock}` is made is not to be seen")
    if not mine:
        return cannot_tell("the statement of the claim is not there")
    if hidden := covering(module, project, mine[0].node):
        return cannot_tell(f"{hidden} may hold the lock")
    if made.startswith("asyncio.") and not any(isinstance(n, ast.Await) for n in inside(function.body)):
        return falls("nothing else runs on the event loop during a function without `await`", kind="guard", at=here)
    if (
        _ONCE.match(function.name)
        or "fork" in function.name
        or function.name in {"__enter__", "__exit__", "__aenter__", "__aexit__"}
    ):
        return cannot_tell(f"`{function.name}` may run only while no other thread does")
    others = [(f, s) for f in _family(module, cls, state) for s in steps(f, locks) if f is not function and s.regions]
    others = [(f, s) for f, s in others if not _exclusive(module, function, f)]
    home: ast.AST = cls if cls is not None and "." in state else module.tree
    conflict = _conflict(
        mine[0],
        [s for _, s in others if any(r.lock == lock for r in s.regions)],
        state,
        _breakable(home, state),
        _lone(home, state),
    )
    if conflict is None:
        return cannot_tell("no pair of these writes is seen to lose an update or to break a walk")
    against, how = conflict
    return stands(
        f"line {finding.line} {how} `{state}` in line {getattr(against.node, 'lineno', 0)} under `{lock}` ({made})",
        kind="interleaving",
        at=(module.location(mine[0].node), module.location(against.node)),
    )


def _exclusive(module: Module, one: ast.AST, two: ast.AST) -> bool:
    """Whether the two stand in different branches of one `if`, so that a program only ever has one of them."""
    branches: dict[ast.AST, bool] = {}
    for node, second in ((one, False), (two, True)):
        below = node
        for up in module.ancestors(node):
            if isinstance(up, ast.If):
                body = below in up.body
                if second and branches.get(up, body) is not body:
                    return True
                branches.setdefault(up, body)
            below = up
    return False


def _around(module: Module, line: int) -> FunctionNode | None:
    found = [f for _, f in module.functions if f.lineno <= line <= (f.end_lineno or 0)]
    return found[-1] if found else None


def _covers(step: Step, line: int) -> bool:
    first = getattr(step.node, "lineno", 0)
    compound = isinstance(step.node, ast.If | ast.While | ast.For | ast.With | ast.Match)
    last = max((getattr(p, "end_lineno", 0) for p in step.parts), default=first) if compound else step.node.end_lineno  # type: ignore[attr-defined]  # steps are statements
    return bool(first <= line <= max(first, last or 0))


def _touches(step: Step, state: str) -> bool:
    return any(isinstance(p, ast.Attribute | ast.Name) and chain(p) == state for p in step.parts)


def _family(module: Module, cls: ast.ClassDef | None, state: str) -> list[FunctionNode]:
    if "." in state and cls is not None:
        return [s for s in cls.body if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef) and s.name != "__init__"]
    return [f for _, f in module.functions if state not in local_names(f)]


def _conflict(mine: Step, others: list[Step], state: str, breakable: bool, lone: bool) -> tuple[Step, str] | None:
    for other in others:
        if _modifies(other, state) and (_replaces(mine, state) or _modifies(mine, state)):
            return other, "is lost between the read and the write that make up the update of"
        if _modifies(mine, state) and (_replaces(other, state) or _modifies(other, state)):
            return other, "reads and writes back, and loses the change of"
        if breakable and _walks(mine, state) and _resizes(other, state, lone):
            return other, "walks over a collection and breaks off when it changes size by"
        if breakable and _walks(other, state) and _resizes(mine, state, lone):
            return other, "changes the size of a collection during the walk over"
    return None


def _breakable(home: ast.AST, state: str) -> bool:
    """A dict or a set: a change of size during a walk raises. (A list shifts silently, and appending is harmless.)"""
    for node in ast.walk(home):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(node, ast.Assign | ast.AnnAssign) and chain(target) == state and node.value is not None:
            made = chain(node.value.func).rpartition(".")[2] if isinstance(node.value, ast.Call) else ""
            if isinstance(node.value, ast.Dict | ast.Set) or made in {"dict", "set", "defaultdict", "OrderedDict"}:
                return True
    return False


def _lone(home: ast.AST, state: str) -> bool:
    """Whether keys come in at one place only; with several, an assignment may find its key already there."""
    targets = [t for n in ast.walk(home) if isinstance(n, ast.Assign) for t in n.targets]
    return len([t for t in targets if isinstance(t, ast.Subscript) and chain(t.value) == state]) == 1


def _modifies(step: Step, state: str) -> bool:
    """Reads and writes back a value: `x += 1`, `x = x + 1`, `d[k] = d[k] + 1`."""
    node = step.node
    if isinstance(node, ast.AugAssign):
        return chain(node.target.value if isinstance(node.target, ast.Subscript) else node.target) == state
    if isinstance(node, ast.Assign) and _replaces(step, state):
        return any(isinstance(n, ast.Attribute | ast.Name) and chain(n) == state for n in ast.walk(node.value))
    return False


def _replaces(step: Step, state: str) -> bool:
    node = step.node
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(chain(t) == state for target in targets for t in ast.walk(target))


def _resizes(step: Step, state: str, lone: bool) -> bool:
    node = step.node
    if isinstance(node, ast.Delete) or (isinstance(node, ast.Assign) and lone):
        return any(isinstance(t, ast.Subscript) and chain(t.value) == state for t in node.targets)
    return any(
        isinstance(p, ast.Call)
        and isinstance(p.func, ast.Attribute)
        and p.func.attr in _GROWS
        and chain(p.func.value) == state
        for p in step.parts
    )


def _walks(step: Step, state: str) -> bool:
    """Iterates in Python code, where another thread can run between two steps (`list(x)` of a list cannot be broken)."""
    sources = [step.node.iter] if isinstance(step.node, ast.For) else []
    sources += [p.iter for p in step.parts if isinstance(p, ast.comprehension)]
    for source in sources:
        inner = source.func.value if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) else source
        if chain(inner) == state:
            return True
    return False
