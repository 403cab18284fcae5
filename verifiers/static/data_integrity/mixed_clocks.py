"""mixed-clocks: derive the kind of both sides again, from every value that can reach them, not from one.

Dismisses when a binding of the name has the other kind after all, or the code around it checks `tzinfo`. Confirms only
when every reaching value is a call of `datetime` that says what it makes.
"""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import catcher, chain, enclosing_test, inside, local_names


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the file cannot be read")
    candidates = [*module.nodes(ast.BinOp), *module.nodes(ast.Compare), *module.nodes(ast.Call)]
    node = next((n for n in candidates if n.lineno == finding.line and module.location(n) == finding.location), None)
    if node is None:
        return cannot_tell("there is no such expression at this place")
    here = (module.location(node),)
    for decision, _ in enclosing_test(module, node):
        if "tzinfo" in ast.unparse(decision.test) or "is_aware" in ast.unparse(decision.test):
            return falls(
                f"line {decision.lineno} looks at the zone first", kind="guard", at=(module.location(decision),)
            )
    if catcher(module, node, "TypeError") is not None:
        return cannot_tell("TypeError is caught around it")
    if not isinstance(node, ast.BinOp | ast.Compare):
        kinds = (
            _kinds(module, node.func.value, node)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            else set()
        )
        if kinds == {"utc"}:
            return stands("a naive UTC time is taken for local time by timestamp()", kind="flow", at=here)
        return cannot_tell("the kind of the time is not certain")
    left, right = (node.left, node.right if isinstance(node, ast.BinOp) else node.comparators[0])
    kinds_left, kinds_right = _kinds(module, left, node), _kinds(module, right, node)
    if "" in kinds_left | kinds_right or not kinds_left or not kinds_right:
        return cannot_tell("the kind of one side is not certain")
    if kinds_left & kinds_right:
        return falls("both sides can be of one kind", kind="flow", at=here)
    if len(kinds_left) > 1 or len(kinds_right) > 1:
        return cannot_tell("one side has several kinds")
    return stands(
        f"the left side is always {kinds_left.pop()}, the right side always {kinds_right.pop()}", kind="flow", at=here
    )


def _kinds(module: Module, node: ast.expr, place: ast.expr, seen: frozenset[str] = frozenset()) -> set[str]:
    """The kinds that `node` can have; '' stands for one that cannot be told."""
    if isinstance(node, ast.BinOp):
        return _kinds(module, node.left, place, seen)
    if isinstance(node, ast.IfExp):
        return _kinds(module, node.body, place, seen) | _kinds(module, node.orelse, place, seen)
    if isinstance(node, ast.Name | ast.Attribute):
        return _of_name(module, chain(node), place, seen)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return {""}
    method = node.func.attr
    if method == "astimezone":
        return {"aware"}
    if method == "replace":
        zone = next((k.value for k in node.keywords if k.arg == "tzinfo"), None)
        if zone is None:
            return _kinds(module, node.func.value, place, seen)
        return {"" if isinstance(zone, ast.Constant | ast.Name) and chain(zone) != "UTC" else "aware"}
    function = module.enclosing_function(place)
    root = chain(node.func).partition(".")[0]
    if function is not None and root in local_names(function):
        return {""}
    if module.resolve(node.func.value) != "datetime.datetime":
        return {""}
    zones = [k.value for k in node.keywords if k.arg == "tz"] + node.args[0 if method == "now" else 1 :]
    if method in {"now", "fromtimestamp"}:
        if not zones:
            return {"local"}
        certain = isinstance(zones[0], ast.Attribute | ast.Call) or chain(zones[0]) == "UTC"
        return {"aware" if certain else ""}
    return {{"today": "local", "utcnow": "utc", "utcfromtimestamp": "utc"}.get(method, _parsed(node))}


def _parsed(call: ast.Call) -> str:
    form = (
        call.args[1]
        if len(call.args) == 2 and isinstance(call.func, ast.Attribute) and call.func.attr == "strptime"
        else None
    )
    return "aware" if isinstance(form, ast.Constant) and "%z" in str(form.value) else ""


def _of_name(module: Module, name: str, place: ast.expr, seen: frozenset[str]) -> set[str]:
    function = module.enclosing_function(place)
    if not name or name in seen or function is None:
        return {""}
    scope: list[ast.stmt] = function.body
    if name.startswith("self."):
        cls = module.enclosing_class(place)
        scope = cls.body if cls is not None else []
    elif "." in name or name in {
        a.arg for a in (*function.args.args, *function.args.kwonlyargs, *function.args.posonlyargs)
    }:
        return {""}
    found: set[str] = set()
    walk = (n for s in scope for n in ast.walk(s)) if name.startswith("self.") else inside(scope)
    for node in walk:
        if isinstance(node, ast.Assign) and any(chain(t) == name for t in node.targets):
            found |= _kinds(module, node.value, place, seen | {name})
        elif isinstance(node, ast.Name | ast.Attribute) and chain(node) == name and isinstance(node.ctx, ast.Store):
            parent = module.parents.get(node)
            if not isinstance(parent, ast.Assign):
                found.add("")
    return found
