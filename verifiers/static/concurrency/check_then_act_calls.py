"""check-then-act-calls: read the class again; does the acting method test for itself, or does the caller hold a lock?

Dismisses when the acting method decides on the same state under its own lock before it changes it, or when one region
of the caller covers both calls. Confirms when the second call overwrites or repeats what the first one did.
"""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.concurrency.hidden_locks import covering
from verifiers.static.concurrency.lockstate import constructor, held_by_callers, known_locks, steps
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, inside, method


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    caller = module.enclosing_function(call)
    found = _class(project, finding.facts.get("class", ""))
    if caller is None or found is None:
        return cannot_tell("the class of the claim is not there")
    home, cls = found
    act, question = method(cls, finding.facts.get("act", "")), method(cls, finding.facts.get("question", ""))
    if act is None or question is None:
        return cannot_tell("the methods of the claim are not in this class")
    state = finding.facts.get("state", "")
    retest = _tests_itself(home, cls, act, state)
    if retest is not None:
        return falls(
            f"`{act.name}` tests `{state}` itself in line {retest.lineno}, under its lock",
            kind="guard",
            at=(home.location(retest),),
        )
    covered = _one_region(module, caller, call, int(finding.facts.get("test_line", "0")))
    above = held_by_callers(module, project, caller)
    if covered or above:
        return falls(
            f"both calls stand under `{covered}`" if covered else f"every caller holds a lock, for instance {above}",
            kind="guard",
            at=(module.location(call),),
        )
    first = int(finding.facts.get("test_line", "0"))
    asked = next((n for n in inside(caller.body) if isinstance(n, ast.Call) and n.lineno == first), call)
    if hidden := covering(module, project, asked, call):
        return cannot_tell(f"{hidden} may hold a lock over both calls")
    waits = [n for n in inside(caller.body) if isinstance(n, ast.Await) and first <= n.lineno <= call.lineno]
    if isinstance(caller, ast.AsyncFunctionDef) and not waits:
        return cannot_tell(
            "no `await` lets another task in between the two calls; that threads come in is not to be seen"
        )
    locks = {r.lock for s in steps(act, known_locks(home, cls)) for r in s.regions}
    made = next((c for lock in sorted(locks) if (c := constructor(home, project, cls, lock))), None)
    if made is None:
        return cannot_tell("that the class takes a lock of its own is not to be seen")
    if caller.name in {"__init__", "main"}:
        return cannot_tell(f"`{caller.name}` may run only once")
    return stands(
        f"`{question.name}` and `{act.name}` of `{cls.name}` each take {made}; `{act.name}` changes `{state}` untested",
        kind="interleaving",
        detail=f"A: {question.name}()\nB: {question.name}()\nA: {act.name}()\nB: {act.name}()",
        at=(home.location(question), home.location(act), module.location(call)),
    )


def _class(project: Project, name: str) -> tuple[Module, ast.ClassDef] | None:
    record = project.index.classes.get(name)
    if record is None:
        return None
    module = project.module(record.path)
    found = next((c for _, c in module.classes if c.lineno == record.line), None)
    return (module, found) if found is not None else None


def _tests_itself(module: Module, cls: ast.ClassDef, act: FunctionNode, state: str) -> ast.stmt | None:
    for step in steps(act, known_locks(module, cls)):
        mentions = any(isinstance(p, ast.Attribute) and chain(p) == state for p in step.parts)
        if mentions and step.decides and step.regions and isinstance(step.node, ast.stmt):
            return step.node
    for node in inside(act.body):
        if isinstance(node, ast.Call) and chain(node.func) in {f"{state}.setdefault", f"{state}.discard"}:
            return module.statement(node)
    return None


def _one_region(module: Module, caller: FunctionNode, call: ast.Call, line: int) -> str | None:
    walked = steps(caller, known_locks(module, module.enclosing_class(caller)))
    acts = [s for s in walked if call in s.parts]
    asks = [s for s in walked if any(isinstance(p, ast.Call) and p.lineno == line for p in s.parts)]
    for act in acts:
        for ask in asks:
            shared = sorted(r.lock for r in act.regions & ask.regions)
            if shared:
                return shared[0]
    return None
