"""always-true-condition: is the `or` evaluated for its truth, or for its value?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms in a test of if, while, assert, conditional or comprehension; `x == y or "default"` as a value is dismissed."""
    module = module_of(finding, project)
    operation = node_at(module, finding, ast.BoolOp) if module else None
    if module is None or operation is None or not isinstance(operation.op, ast.Or):
        return cannot_tell("there is no `or` at this place")
    place = (module.location(operation),)
    literals = [v for v in operation.values if isinstance(v, ast.Constant) and v.value]
    if not literals:
        return falls("no operand is a literal that is true", kind="constant", at=place)
    literal = literals[0]
    if isinstance(literal, ast.Constant) and literal.value in (True, 1):
        return cannot_tell("a bare True switches the condition on deliberately")
    if _for_truth(module, operation):
        return stands(f"{literal.value!r} is true, so the whole test is", kind="constant", at=place)
    return falls("the expression is used for its value: a default after `or`", kind="syntax", at=place)


def _for_truth(module: Module, node: ast.AST) -> bool:
    parent = module.parents.get(node)
    if isinstance(parent, ast.If | ast.While | ast.IfExp | ast.Assert):
        return parent.test is node
    if isinstance(parent, ast.comprehension):
        return node in parent.ifs
    if isinstance(parent, ast.BoolOp) or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)):
        return _for_truth(module, parent)
    return False
