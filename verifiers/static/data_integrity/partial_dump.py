"""partial-dump: does the odd value itself reach `json.dump`, or only something made of it?

Dismisses a value that is an argument or receiver of another call (`str(path)`, `now().isoformat()`, `sorted(set(x))`)
or stands in a condition. Confirms a value that stands where JSON needs a value.
"""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, local_names


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None or not call.args:
        return cannot_tell("there is no call at this place")
    if any(k.arg in {"default", "cls", None} for k in call.keywords):
        return falls("the call says how other values are written", kind="guard", at=(module.location(call),))
    wanted = finding.facts.get("value", "")
    function = module.enclosing_function(call)
    locals_ = local_names(function) if function is not None else set()
    reached = [n for n in _values(call.args[0]) if ast.unparse(n)[:200] == wanted]
    if not reached:
        return falls(
            f"`{wanted}` is only a part of what is written, made into something else",
            kind="flow",
            at=(module.location(call),),
        )
    root = chain(reached[0].func).partition(".")[0] if isinstance(reached[0], ast.Call) else ""
    if root and root in locals_:
        return cannot_tell(f"`{root}` is a local name here")
    return stands(
        f"`{wanted}` stands where json.dump needs a value and raises TypeError with the file already emptied",
        kind="flow",
        at=(module.location(call), module.location(reached[0])),
    )


def _values(node: ast.expr) -> list[ast.expr]:
    """The expressions whose results json.dump meets: through displays and conditional expressions, not through calls."""
    if isinstance(node, ast.Dict):
        return [v for value in node.values for v in _values(value)]
    if isinstance(node, ast.List | ast.Tuple):
        return [v for value in node.elts for v in _values(value)]
    if isinstance(node, ast.IfExp):
        return [*_values(node.body), *_values(node.orelse)]
    if isinstance(node, ast.DictComp):
        return _values(node.value)
    if isinstance(node, ast.ListComp):
        return _values(node.elt)
    return [node]
