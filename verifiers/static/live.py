"""Is the code of a claim ever run? Asked before any other question, for every kind of claim that this wraps."""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of, statement_at
from verifiers.static.ruling import Falsifier, Ruling, falls


def live(falsify: Falsifier) -> Falsifier:
    """`falsify`, after dismissing claims in branches that a constant switches off and behind statements that leave."""

    def first_whether_it_runs(finding: Finding, project: Project) -> Ruling:
        module = module_of(finding, project)
        place = statement_at(module, finding.line) if module is not None else None
        if module is not None and place is not None:
            why = _dead(module, place)
            if why is not None:
                reason, node = why
                return falls(reason, kind="unreachable", at=(module.location(node),))
        return falsify(finding, project)

    return first_whether_it_runs


def _dead(module: Module, place: ast.stmt) -> tuple[str, ast.AST] | None:
    below: ast.AST = place
    for up in module.ancestors(place):
        if isinstance(up, ast.If | ast.While):
            value = _constant(module, up.test)
            if value is not None and below in (up.orelse if value else up.body):
                return f"`{ast.unparse(up.test)}` in line {up.lineno} is always {value}", up
        for field in ("body", "orelse", "finalbody"):
            block = getattr(up, field, None)
            if isinstance(block, list) and below in block:
                gone = next((s for s in block[: block.index(below)] if isinstance(s, ast.Return | ast.Raise)), None)
                if gone is not None:
                    return f"line {gone.lineno} leaves before it", gone
        below = up
    return None


def _constant(module: Module, test: ast.expr) -> bool | None:
    """The value of a constant test, of `TYPE_CHECKING`, or of a module name that is bound once, to a constant."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _constant(module, test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if not isinstance(test, ast.Name):
        return None
    if module.resolve(test) == "typing.TYPE_CHECKING":
        return False
    statement = module.definitions.get(test.id)
    stores = [n for n in module.nodes(ast.Name) if n.id == test.id and not isinstance(n.ctx, ast.Load)]
    parameters = any(a.arg == test.id for a in module.nodes(ast.arg))
    if not isinstance(statement, ast.Assign) or len(stores) != 1 or parameters or test.id in module.imports:
        return None
    if test.id.isupper() and not test.id.startswith("_"):
        return None  # a public constant is there for others to set
    return bool(statement.value.value) if isinstance(statement.value, ast.Constant) else None
