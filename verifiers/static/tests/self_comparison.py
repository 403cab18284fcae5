"""self-comparison: is it `==` or `hash` that is being tested, or an expression that differs each time?"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import remark
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

ABOUT_EQUALITY = re.compile(
    r"eq|equal|compar|hash|ident|same|nan|reflex|singleton|cach|idempot|stable|order|cmp|is_", re.IGNORECASE
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms attributes and subscripts of plain names in tests that are not about equality."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the module cannot be read")
    asserted, call = node_at(module, finding, ast.Assert), node_at(module, finding, ast.Call)
    left: ast.expr | None = None
    if asserted is not None and isinstance(asserted.test, ast.Compare):
        left, right = asserted.test.left, asserted.test.comparators[0]
    elif call is not None and len(call.args) > 1:
        left, right = call.args[0], call.args[1]
    if left is None:
        return cannot_tell("there is no comparison at this place")
    place = (module.location(left),)
    if ast.unparse(left) != ast.unparse(right):
        return falls("the two sides differ", kind="syntax", at=place)
    if any(isinstance(n, ast.Call | ast.Await | ast.NamedExpr) for n in ast.walk(left)):
        return falls("the expression is evaluated twice, and may differ", kind="syntax", at=place)
    if isinstance(left, ast.Name) or ABOUT_EQUALITY.search(module.symbol(left) or ""):
        return falls("it tests that a value equals itself", kind="definition", at=place)
    computed = [n.attr for n in ast.walk(left) if isinstance(n, ast.Attribute) and _may_compute(project, n.attr)]
    if computed:
        return cannot_tell(f"`{computed[0]}` may be computed anew each time")
    if remark(module, left.lineno):
        return cannot_tell("a comment explains it")
    return stands("both sides are the same attribute of the same object", kind="syntax", at=place)


def _may_compute(project: Project, name: str) -> bool:
    """A property or method of this name exists, or the name is special."""
    return name.startswith("_") or name in project.index.by_simple_name
