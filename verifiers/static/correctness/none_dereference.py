"""none-dereference: is there a path on which the name is None, by the code's own test, and nothing else is asked before the use?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.control import ENTRY, Edge, Flow
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import binds, chain, head, inside, remark
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

FORGIVING = frozenset({"AttributeError", "TypeError", "Exception", "BaseException"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms when the None branch of a test falls through to the use with no further choice on the way."""
    module = module_of(finding, project)
    use: ast.Attribute | ast.Subscript | None = None
    if module is not None:
        use = node_at(module, finding, ast.Attribute) or node_at(module, finding, ast.Subscript)
    name = finding.facts.get("name", "")
    function = module.enclosing_function(use) if module and use else None
    if module is None or use is None or function is None or not isinstance(use.value, ast.Name) or use.value.id != name:
        return cannot_tell("the use is not at this place")
    statement = module.statement(use)
    flow = Flow(function)
    goals = flow.at(statement)
    if not goals:
        return cannot_tell("the use is inside a nested scope")
    if guard := _inline_guard(module, use, statement, name):
        return falls(f"`{module.segment(guard)[:80]}` is evaluated first", kind="guard", at=(module.location(guard),))
    if _forgiven(module, use):
        return falls("a handler around it expects exactly this failure", kind="guard", at=(module.location(statement),))

    def stops(node: ast.AST) -> bool:
        return binds(node, name)

    def not_none(edge: Edge) -> bool:
        return isinstance(edge.choice, ast.expr) and says(edge.choice, edge.outcome, name) == "value"

    sources = [ENTRY] if finding.facts.get("origin") == name else []
    sources += [n for n, syntax in enumerate(flow.nodes) if syntax is not None and _may_bind_none(syntax, name)]
    if flow.path(sources, goals, stops=stops, closed=not_none) is None:
        return falls(f"every path to this use has tested or bound `{name}`", kind="guard", at=(module.location(use),))

    def chosen(edge: Edge) -> bool:
        return edge.choice is not None or edge.raised

    for number, edges in enumerate(flow.edges):
        syntax = flow.nodes[number]
        for edge in edges:
            if not isinstance(edge.choice, ast.expr) or says(edge.choice, edge.outcome, name) != "none":
                continue
            if flow.path(sources, [number], stops=stops, closed=not_none) is None:
                continue
            trail = flow.path([edge.target], goals, stops=stops, closed=chosen, after=False)
            if trail is None or syntax is None:
                continue
            if note := remark(module, statement.lineno, statement.end_lineno):
                return cannot_tell(f"a comment speaks of this line: {note[:100]}")
            return stands(
                f"where `{module.segment(edge.choice)}` finds `{name}` to be None, control falls through to this use",
                kind="flow",
                at=(module.location(edge.choice), module.location(use)),
            )
    return cannot_tell("the value may be excluded by a condition this method does not compare")


def says(test: ast.expr, outcome: bool, name: str) -> str:
    """What `test` coming out as `outcome` says about `name`: it is "none", it is a "value", or nothing ("")."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return says(operand, not outcome, name)
        case ast.BoolOp(op=op, values=values):
            if isinstance(op, ast.And) == outcome:
                return next((s for v in values if (s := says(v, outcome, name))), "")
            return "value" if all(says(v, outcome, name) == "value" for v in values) else ""
        case ast.NamedExpr(target=target, value=value):
            return says(target, outcome, name) or says(value, outcome, name)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if chain(left) == name:
            none = isinstance(right, ast.Constant) and right.value is None
            if none and isinstance(op, ast.Is | ast.Eq | ast.IsNot | ast.NotEq):
                return "none" if isinstance(op, ast.Is | ast.Eq) == outcome else "value"
            return "value" if isinstance(op, ast.Eq) and outcome and isinstance(right, ast.Constant) else ""
        case ast.Name() | ast.Attribute() if outcome and chain(test) == name:
            return "value"
        case ast.Call() if outcome and any(chain(a) == name for a in test.args):
            return "value"
    return ""


def _may_bind_none(syntax: ast.AST, name: str) -> bool:
    if isinstance(syntax, ast.Assign) and any(chain(t) == name for t in syntax.targets):
        return isinstance(syntax.value, ast.Call) or (
            isinstance(syntax.value, ast.Constant) and syntax.value.value is None
        )
    return any(isinstance(n, ast.NamedExpr) and n.target.id == name for part in head(syntax) for n in inside(part))


def _inline_guard(module: Module, use: ast.AST, statement: ast.stmt, name: str) -> ast.AST | None:
    child = use
    for up in module.ancestors(use):
        if child is statement:
            return None
        if isinstance(up, ast.BoolOp) and child in up.values:
            for value in up.values[: up.values.index(child)]:
                if says(value, isinstance(up.op, ast.And), name) == "value":
                    return value
        branch = isinstance(up, ast.IfExp) and child in (up.body, up.orelse)
        if branch and isinstance(up, ast.IfExp) and says(up.test, child is up.body, name) == "value":
            return up.test
        if isinstance(up, ast.comprehension | ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
            tests: list[ast.expr] = [t for g in getattr(up, "generators", [up]) for t in g.ifs]
            found = next((t for t in tests if t is not child and says(t, True, name) == "value"), None)
            if found is not None:
                return found
        child = up
    return None


def _forgiven(module: Module, use: ast.AST) -> bool:
    child = use
    for up in module.ancestors(use):
        if isinstance(up, ast.Try) and child in up.body:
            for handler in up.handlers:
                kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
                if any(kind is None or chain(kind).rpartition(".")[2] in FORGIVING for kind in kinds):
                    return True
        if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef):
            return False
        child = up
    return False
