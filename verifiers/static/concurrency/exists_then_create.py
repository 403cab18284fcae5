"""exists-then-create: is the second creation caught, serialised or refused, and may there really be only one row?

Dismisses a handler for IntegrityError, a lock on rows or on a table around both, and update-or-create calls. Confirms
only in a function that serves requests, or when the test refuses a second row; a script or migration runs alone.
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
from verifiers.static.surroundings import catcher, chain

_SERIAL = re.compile(r"select_for_update|with_for_update|LOCK TABLE|advisory_lock|serializable", re.IGNORECASE)
_ALONE = re.compile(
    r"(^|/)(migrations|management|commands|scripts|fixtures|seeds?)/|(^|_)(seed|migrate|setup|init|main|handle)$"
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    function = module.enclosing_function(call) if module and call else None
    if module is None or call is None or function is None:
        return cannot_tell("there is no call in a function at this place")
    here = (module.location(call),)
    caught = catcher(module, call, "IntegrityError")
    if caught is not None:
        return falls("IntegrityError is caught around the creation", kind="guard", at=(module.location(caught),))
    text = ast.unparse(function)
    if "IntegrityError" in text:
        return falls("the function handles IntegrityError", kind="guard", at=(module.location(function),))
    serial = _SERIAL.search(text)
    if serial is not None:
        return falls(f"`{serial.group(0)}` keeps two of these apart", kind="guard", at=(module.location(function),))
    locks = known_locks(module, module.enclosing_class(function))
    if any(call in s.parts and s.regions for s in steps(function, locks)) or held_by_callers(module, project, function):
        return falls("a lock is held here", kind="guard", at=here)
    if _ALONE.search(module.path) or _ALONE.search(function.name):
        return cannot_tell(f"`{function.name}` may run alone")
    shown = shown_concurrent(module, function)
    if shown is None and not _takes_request(function):
        return cannot_tell("that two of these run at once is not to be seen")
    if not _refuses(module, int(finding.facts.get("decision_line", "0"))):
        return cannot_tell("whether a second row does harm is not to be seen")
    return stands(
        f"`{function.name}` serves requests; the look-up in line {finding.facts.get('test_line')} refuses a second "
        f"`{finding.facts.get('model')}`, and two requests at once pass it",
        kind="interleaving",
        detail="A: finds none\nB: finds none\nA: creates\nB: creates",
        at=here,
    )


def _takes_request(function: FunctionNode) -> bool:
    names = [a.arg for a in function.args.args[:2]]
    return "request" in names or any(chain(d).endswith(("api_view", "login_required")) for d in function.decorator_list)


def _refuses(module: Module, line: int) -> bool:
    """Whether one branch of the decision raises or returns a refusal, so that only one row was ever meant."""
    decision = next((n for n in module.nodes(ast.If) if n.lineno == line), None)
    for body in (decision.body, decision.orelse) if decision is not None else ():
        last = body[-1] if body else None
        creates = any(isinstance(n, ast.Call) and chain(n.func).endswith("create") for s in body for n in ast.walk(s))
        if isinstance(last, ast.Raise | ast.Return) and not creates:
            return True
    return False
