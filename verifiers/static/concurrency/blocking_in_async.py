"""blocking-call-in-async: is it really that function, does it really run on the event loop, and does it really wait?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, inside, local_names


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses calls of a shadowed name and calls that never wait; leaves open what may run elsewhere or later."""
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
    root = chain(call.func).partition(".")[0]
    if root != "self" and root in local_names(function):
        return falls(f"`{root}` is a local name here, not the module", kind="definition", at=(module.location(call),))
    if finding.facts.get("through"):
        return _through(finding, project, module, call)
    if _instant(call, finding.facts.get("call", "")):
        return cannot_tell("it waits for no noticeable time")
    return stands(
        f"`{finding.facts.get('call', '')}` runs on the event loop of `async def {function.name}`",
        kind="syntax",
        at=(module.location(call), module.location(function)),
    )


def _through(finding: Finding, project: Project, module: Module, call: ast.Call) -> Ruling:
    """The wait must be on every way through the callee: whatever is conditional may not be taken from here."""
    try:
        home = project.module(finding.facts.get("blocking_path", ""))
    except (KeyError, NotParsed):
        return cannot_tell("the function that waits cannot be read")
    line = int(finding.facts.get("blocking_line", "0"))
    waits = [n for n in home.nodes(ast.Call) if n.lineno == line and home.resolve(n.func) == finding.facts.get("call")]
    callee = home.enclosing_function(waits[0]) if waits else None
    if callee is None or chain(call.func).rpartition(".")[2] != callee.name:
        return cannot_tell("the function that waits is not there")
    if callee.decorator_list and not _plain(callee.decorator_list):
        return cannot_tell(f"a decorator of `{callee.name}` may run it elsewhere")
    record = project.index.functions.get(finding.facts["through"])
    if record is not None and record.class_name is not None:
        overriding = [c for c in project.index.subclasses(record.class_name) if callee.name in c.methods]
        if overriding:
            return cannot_tell(f"a subclass overrides `{callee.name}`")
    if chain(waits[0].func).partition(".")[0] in local_names(callee):
        return falls(
            "the name is a local of the callee, not the module", kind="definition", at=(home.location(waits[0]),)
        )
    for up in home.ancestors(waits[0]):
        if up is callee:
            break
        if isinstance(up, ast.If | ast.ExceptHandler | ast.For | ast.While | ast.IfExp | ast.BoolOp | ast.Lambda):
            return cannot_tell(f"`{callee.name}` waits on some of its paths only")
    if any(isinstance(n, ast.Return) and n.lineno < line for n in inside(callee.body)):
        return cannot_tell(f"`{callee.name}` may return before it waits")
    if _instant(waits[0], finding.facts["call"]):
        return cannot_tell("it waits for no noticeable time")
    return stands(
        f"every call of `{callee.name}` waits in `{finding.facts['call']}`, and this one runs on the event loop",
        kind="flow",
        at=(module.location(call), home.location(waits[0])),
    )


def _plain(decorators: list[ast.expr]) -> bool:
    return all(chain(d).rpartition(".")[2] in {"staticmethod", "classmethod"} for d in decorators)


def _instant(call: ast.Call, name: str) -> bool:
    value = (
        call.args[0].value if name == "time.sleep" and call.args and isinstance(call.args[0], ast.Constant) else None
    )
    return isinstance(value, int | float) and value < 0.02
