"""unreachable-code: has the statement an effect, does no path lead to it, and is it not there for its mere presence?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.control import ENTRY, Flow
from verifiers.static.locate import module_of
from verifiers.static.reading import inside, inside_all, remark
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

EFFECTS = (ast.Call, ast.Assign, ast.AugAssign, ast.Return, ast.Delete, ast.Await)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses a `yield` that makes the function a generator, and statements without effect."""
    module = module_of(finding, project)
    statement = _statement(module, finding) if module else None
    function = module.enclosing_function(statement) if module and statement else None
    if module is None or statement is None or function is None:
        return cannot_tell("there is no statement of a function at this place")
    place = (module.location(statement),)
    block = _rest(module, statement)
    yields = [n for s in block for n in inside(s) if isinstance(n, ast.Yield | ast.YieldFrom)]
    others = [n for n in inside_all(function.body) if isinstance(n, ast.Yield | ast.YieldFrom) and n not in yields]
    if yields and not others:
        return falls("the unreachable `yield` makes the function a generator", kind="syntax", at=place)
    if not any(isinstance(n, EFFECTS) for n in inside(statement)):
        return falls("the statement has no effect to miss", kind="syntax", at=place)
    flow = Flow(function)
    if flow.path([ENTRY], flow.at(statement)) is not None:
        return falls("a path leads to it", kind="flow", at=place)
    leaves = int(finding.facts.get("leaves", "0"))
    if isinstance(statement, ast.Raise | ast.Assert):
        return cannot_tell("it may stand there as an assertion for readers or type checkers")
    if note := remark(module, min(leaves, statement.lineno) or statement.lineno, statement.lineno):
        return cannot_tell(f"a comment speaks of it: {note[:100]}")
    if isinstance(statement, ast.Return) and (
        statement.value is None or isinstance(statement.value, ast.Constant | ast.Name)
    ):
        return cannot_tell("a leftover return of a plain value, with no effect of its own")
    return stands(f"line {leaves} leaves the block on every path", kind="unreachable", at=place)


def _statement(module: Module, finding: Finding) -> ast.stmt | None:
    for node in module.parents:
        if (
            isinstance(node, ast.stmt)
            and node.lineno == finding.line
            and module.location(node).column == finding.column
        ):
            return node
    return None


def _rest(module: Module, statement: ast.stmt) -> list[ast.stmt]:
    parent = module.parents[statement]
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, None)
        if isinstance(block, list) and statement in block:
            return block[block.index(statement) :]
    return [statement]
