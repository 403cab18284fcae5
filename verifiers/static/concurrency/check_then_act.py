"""check-then-act: replay the function with its lock regions and look for what makes the pair of steps safe or harmless.

Dismisses when the state is tested again under the lock of the act, when test and act share one region after all, when
every caller holds a lock, when whoever passes the test marks the state under the same lock, when the state is a local, or
when the author wrote that the lock is held. Confirms only when doing it twice does harm: the test refuses (raises) the
second caller, or the act creates something that runs or holds a resource. A cache that is filled twice stays open.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.concurrency.hidden_locks import covering
from verifiers.static.concurrency.lockstate import Step, constructor, held_by_callers, known_locks, steps
from verifiers.static.concurrency.parallel import shown_concurrent
from verifiers.static.concurrency.reservation import reservation
from verifiers.static.locate import module_of
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, inside, local_names

_STARTS = frozenset(
    {
        "start", "spawn", "Popen", "create_task", "ensure_future", "submit", "Thread", "Process", "Timer", "connect",
        "open", "create_connection", "create_subprocess_exec", "run_in_executor", "launch", "listen", "bind", "mkdir",
        "start_soon", "open_connection", "create_server", "insert", "charge", "send", "enqueue", "publish",
    }
)  # fmt: skip
_RESERVES = frozenset({"add", "append", "update", "setdefault"})
_OWN_IDENTITY = frozenset(
    {"threading.get_ident", "threading.get_native_id", "threading.current_thread", "asyncio.current_task", "os.getpid"}
)
_DOCUMENTED = re.compile(r"lock (is |must be |already )*held|hold(s|ing)? (the |a )?lock|not thread.?safe", re.I)


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the file cannot be read")
    function = _function(module, finding)
    state = finding.facts.get("state", "")
    if function is None or not state:
        return cannot_tell("the function of the claim is not there")
    here = (module.location(function),)
    cls = module.enclosing_class(function)
    if "." not in state and state in local_names(function):
        return falls(f"`{state}` is a local of `{function.name}`: no other call sees it", kind="definition", at=here)
    documented = _DOCUMENTED.search(ast.get_docstring(function) or "")
    if documented or (function.name.endswith("_locked") and not finding.facts.get("act_lock")):
        return falls(f"`{function.name}` says that its caller holds the lock", kind="documentation", at=here)
    caller = held_by_callers(module, project, function)
    if caller:
        return falls(f"every caller of `{function.name}` holds a lock, for instance {caller}", kind="guard", at=here)
    walked = steps(function, known_locks(module, cls))
    act = next((s for s in walked if getattr(s.node, "lineno", 0) == finding.line and not s.decides), None)
    act = act or next((s for s in walked if s.node.lineno <= finding.line <= s.node.end_lineno), None)  # type: ignore[attr-defined]  # statements have lines
    if act is None:
        return cannot_tell("there is no statement at this place")
    tests = [s for s in walked if _reads(s, state) and walked.index(s) < walked.index(act)]
    for step in tests:
        if step.decides and step.regions & act.regions and _above(module, step.node, act.node):
            return falls(
                f"`{state}` is tested again in line {step.node.lineno} under the lock of the act",  # type: ignore[attr-defined]  # an if has a line
                kind="guard",
                at=(module.location(step.node),),
            )
    line = int(finding.facts.get("test_line", "0"))
    test = next((s for s in tests if getattr(s.node, "lineno", 0) == line), None)
    if test is None:
        return cannot_tell(f"the test of `{state}` is not there")
    if any(isinstance(p, ast.Call) and (module.resolve(p.func) or "") in _OWN_IDENTITY for p in test.parts):
        return falls(
            "the test asks for the caller's own identity, which no other sets",
            kind="guard",
            at=(module.location(test.node),),
        )
    if test.regions & act.regions:
        return falls("test and act stand under one acquisition", kind="guard", at=(module.location(act.node),))
    taken = reservation(module, walked, test, act, state)
    if taken is not None and taken.same:
        return falls(
            f"whoever passes the test marks `{state}` before it lets go of the lock, so no second one passes",
            kind="guard",
            at=(module.location(taken.node),),
        )
    if taken is not None:
        return cannot_tell(f"line {getattr(taken.node, 'lineno', 0)} changes `{state}` under the lock of the test")
    if hidden := covering(module, project, test.node, act.node):
        return cannot_tell(f"{hidden} may hold a lock over both")
    if finding.facts.get("shape") == "await":
        return _asynchronous(module, function, cls, state, finding, act)
    if finding.facts.get("shape") == "none":
        return _unlocked(module, function, state, finding, test, act)
    lock = finding.facts.get("test_lock") or finding.facts.get("act_lock", "")
    made = constructor(module, project, cls, lock)
    if made is None:
        return cannot_tell(f"where `{lock}` is made, and whether it is a lock, is not to be seen")
    harm = _harm(module, function, state, finding, act)
    if harm is None:
        return cannot_tell("doing it twice may be harmless here: nothing is refused or started")
    return stands(
        f"between the test of `{state}` in line {line} and line {finding.line}, `{lock}` ({made}) is not held throughout; {harm}",
        kind="interleaving",
        detail=_schedule(finding, state),
        at=(module.location(test.node), module.location(act.node)),
    )


def _asynchronous(
    module: Module, function: FunctionNode, cls: ast.ClassDef | None, state: str, finding: Finding, act: Step
) -> Ruling:
    first, last = int(finding.facts.get("decision_line", "0")), finding.line
    waits = [n for n in inside(function.body) if isinstance(n, ast.Await) and first <= n.lineno <= last]
    waits = [n for n in waits if _on_path(module, n, act.node)]
    if not waits:
        return falls("no `await` runs between test and act", kind="syntax", at=(module.location(act.node),))
    if _written(function, state, first, waits[0].lineno):
        return falls(
            f"`{state}` is changed before the first `await`, so that a second task sees it",
            kind="guard",
            at=(module.location(act.node),),
        )
    home: ast.AST = cls if cls is not None and "." in state else module.tree
    collection = _is_collection(home, state)
    harm = _harm(module, function, state, finding, act)
    value = act.node.value if isinstance(act.node, ast.Assign) else None
    if harm is None and "." not in state and isinstance(value, ast.Await):
        harm = f"`{ast.unparse(value.value)[:60]}` runs twice and the first result is replaced"
        shared = True
    elif harm is None and isinstance(value, ast.Await) and _owns_lock(module, home):
        harm = f"`{ast.unparse(value.value)[:60]}` runs twice and the first result is replaced; the class has a lock for it"
        shared = True
    else:
        shared = collection or "." not in state
    if not shared or harm is None:
        return cannot_tell("that two tasks share this object, or that doing it twice does harm, is not to be seen")
    return stands(
        f"`await` in line {waits[0].lineno} lets a second task pass the test of `{state}` before line {last}; {harm}",
        kind="interleaving",
        detail=_schedule(finding, state),
        at=(module.location(waits[0]), module.location(act.node)),
    )


def _owns_lock(module: Module, home: ast.AST) -> bool:
    """Whether the class makes an asyncio lock: its author expects tasks at once."""
    return isinstance(home, ast.ClassDef) and any(
        isinstance(n, ast.Call) and module.resolve(n.func) in {"asyncio.Lock", "anyio.Lock", "trio.Lock"}
        for n in ast.walk(home)
    )


def _unlocked(module: Module, function: FunctionNode, state: str, finding: Finding, test: Step, act: Step) -> Ruling:
    """No lock at all: only where this module shows the threads, and the test refuses the second caller."""
    shown = shown_concurrent(module, function)
    if shown is None or isinstance(function, ast.AsyncFunctionDef):
        return cannot_tell("that two threads run this at once is not to be seen")
    harm = _harm(module, function, state, finding, act)
    if harm is None:
        return cannot_tell("doing it twice may be harmless here: nothing is refused or started")
    return stands(
        f"{shown.reason}, and no lock is held between the test of `{state}` and line {finding.line}; {harm}",
        kind="interleaving",
        detail=_schedule(finding, state),
        at=(module.location(test.node), module.location(act.node)),
    )


def _function(module: Module, finding: Finding) -> FunctionNode | None:
    wanted = finding.facts.get("function", "")
    found = [f for name, f in module.functions if name == wanted]
    return next((f for f in found if f.lineno <= finding.line <= (f.end_lineno or 0)), None)


def _reads(step: Step, state: str) -> bool:
    return any(isinstance(p, ast.Name | ast.Attribute) and chain(p) == state for p in step.parts)


def _above(module: Module, decision: ast.AST, act: ast.AST) -> bool:
    """Whether `decision` dominates `act`: around it, or earlier in a block that holds it, ending the path."""
    around = set(module.ancestors(act))
    if decision in around:
        return True
    parent = module.parents.get(decision)
    return parent in around and isinstance(decision, ast.If) and isinstance(decision.body[-1], ast.Return | ast.Raise)


def _on_path(module: Module, wait: ast.AST, act: ast.AST) -> bool:
    """Whether a run that reaches `act` passes `wait`: nothing but what is around the act is conditional around it."""
    around = {*module.ancestors(act), act}
    for up in module.ancestors(wait):
        if up in around:
            return True
        if isinstance(up, ast.If | ast.For | ast.While | ast.ExceptHandler | ast.IfExp | ast.Lambda):
            return False
    return True


def _written(function: FunctionNode, state: str, first: int, before: int) -> bool:
    for node in inside(function.body):
        if not first <= getattr(node, "lineno", 0) < before:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else []:
            if chain(target.value if isinstance(target, ast.Subscript) else target) == state:
                return True
        if isinstance(node, ast.Call) and chain(node.func).removeprefix(f"{state}.") in _RESERVES:
            return True
    return False


def _is_collection(home: ast.AST, state: str) -> bool:
    for node in ast.walk(home):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if not isinstance(node, ast.Assign | ast.AnnAssign) or chain(target) != state:
            continue
        if isinstance(value, ast.Dict | ast.Set | ast.List):
            return True
        if isinstance(value, ast.Call) and chain(value.func).rpartition(".")[2] in {
            "dict",
            "set",
            "list",
            "defaultdict",
        }:
            return True
    return False


def _harm(module: Module, function: FunctionNode, state: str, finding: Finding, act: Step) -> str | None:
    """What the second caller breaks, or None when it may be nothing."""
    line = int(finding.facts.get("decision_line", "0"))
    decision = next((n for n in module.nodes(ast.If) if n.lineno == line), None)
    if decision is None:
        return None
    if _refuses(decision.body[-1]) and decision not in set(module.ancestors(act.node)):
        return f"the test refuses a second caller with `{ast.unparse(decision.body[-1])[:60]}`, and does not here"
    if decision.orelse and _refuses(decision.orelse[-1]) and decision in set(module.ancestors(act.node)):
        return f"the test refuses a second caller with `{ast.unparse(decision.orelse[-1])[:60]}`, and does not here"
    if isinstance(act.node, ast.Delete) or _removes(act):
        return f"the second caller removes what is no longer in `{state}`"
    started = _started(function, act, line)
    if started is not None:
        return f"`{ast.unparse(started.func)}` in line {started.lineno} runs twice"
    unlocked_first = not finding.facts.get("test_lock") and finding.facts.get("shape") == "lock"
    if unlocked_first and isinstance(act.node, ast.Assign) and isinstance(act.node.value, ast.Call):
        return (
            f"`{ast.unparse(act.node.value)[:60]}` is made twice and the first is replaced: the lock protects nothing"
        )
    return None


def _refuses(statement: ast.stmt) -> bool:
    """Raises, aborts, or returns an HTTP status that says no."""
    if isinstance(statement, ast.Raise):
        return True
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return chain(statement.value.func).rpartition(".")[2] == "abort"
    if not isinstance(statement, ast.Return) or statement.value is None:
        return False
    return any(
        isinstance(n, ast.Constant) and type(n.value) is int and 400 <= n.value < 600 for n in ast.walk(statement.value)
    )


def _started(function: FunctionNode, act: Step, line: int) -> ast.Call | None:
    """The call after the test that starts or opens what the act then stores, or that a raised flag stands for."""
    value = act.node.value if isinstance(act.node, ast.Assign) else None
    flag = isinstance(value, ast.Constant) and value.value is True
    stored = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} if value is not None else set()
    for node in inside(function.body):
        if getattr(node, "lineno", 0) < line:
            continue
        for call in (n for n in inside([node]) if isinstance(n, ast.Call)):
            if chain(call.func).rpartition(".")[2] not in _STARTS:
                continue
            named = isinstance(node, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id in stored for t in node.targets
            )
            receiver = chain(call.func).partition(".")[0] in stored
            if node is act.node or named or receiver or (flag and isinstance(node, ast.Expr)):
                return call
    return None


def _removes(step: Step) -> bool:
    return any(
        isinstance(p, ast.Call) and isinstance(p.func, ast.Attribute) and p.func.attr in {"remove", "pop", "popleft"}
        for p in step.parts
    )


def _schedule(finding: Finding, state: str) -> str:
    tests = f"tests {state} in line {finding.facts.get('test_line', '?')}"
    acts = f"acts in line {finding.line}"
    return "\n".join([f"A: {tests}", f"B: {tests}", f"A: {acts}", f"B: {acts}"])
