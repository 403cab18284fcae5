"""loop-variable-after-empty-loop: does a path with no round reach the use unbound, and does the code itself expect no rounds?"""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.control import ENTRY, Edge, Flow
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import binds, chain, inside, remark
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms only where the function asks whether the iterable is empty and falls through to the use all the same."""
    module = module_of(finding, project)
    name = finding.facts.get("name", "")
    use = node_at(module, finding, ast.Name) if module else None
    function = module.enclosing_function(use) if module and use else None
    line = int(finding.facts.get("loop", "0"))
    loop = next((n for n in module.nodes(ast.For) if n.lineno == line), None) if module else None
    if module is None or use is None or function is None or loop is None:
        return cannot_tell("the loop and the use are not at these places")
    if _never_empty(loop.iter):
        return falls("the loop has at least one round", kind="constant", at=(module.location(loop.iter),))
    flow = Flow(function)
    goals = flow.at(module.statement(use))

    def stops(node: ast.AST) -> bool:
        return binds(node, name) and not isinstance(node, ast.For)

    def rounds(edge: Edge) -> bool:
        return isinstance(edge.choice, ast.For) and edge.outcome and binds(edge.choice, name)

    if flow.path([ENTRY], goals, stops=stops, closed=rounds) is None:
        return falls(f"`{name}` is bound on every path to here", kind="flow", at=(module.location(use),))
    source = chain(loop.iter)
    for number, edges in enumerate(flow.edges):
        for edge in edges:
            if not source or not isinstance(edge.choice, ast.expr) or not _empty(edge.choice, edge.outcome, source):
                continue
            on_way = flow.path([edge.target], flow.at(loop), stops=lambda n: binds(n, source) or stops(n), after=False)
            behind = flow.path(flow.at(loop), goals, stops=stops, closed=lambda e: rounds(e) or _conditional(e))
            if on_way and behind and flow.path([ENTRY], [number], stops=stops) and not remark(module, use.lineno):
                return stands(
                    f"the test in line {edge.choice.lineno} expects `{source}` to be empty, and goes on to this use of `{name}`",
                    kind="flow", at=(module.location(edge.choice), module.location(loop.target), module.location(use)),
                )  # fmt: skip
    return cannot_tell("nothing shows that the iterable can be empty")


def _never_empty(source: ast.expr) -> bool:
    if isinstance(source, ast.Tuple | ast.List | ast.Set):
        return any(not isinstance(e, ast.Starred) for e in source.elts)
    if isinstance(source, ast.Constant):
        return bool(source.value)
    if isinstance(source, ast.Call):
        name = chain(source.func)
        if name in {"range", "count", "itertools.count"} and all(isinstance(a, ast.Constant) for a in source.args):
            return (
                name != "range"
                or len(range(*[int(str(a.value)) for a in source.args if isinstance(a, ast.Constant)])) > 0
            )
        if isinstance(source.func, ast.Attribute) and source.func.attr == "split" and source.args:
            return True
        if name == "enumerate" and source.args:
            return _never_empty(source.args[0])
    return False


def _empty(test: ast.expr, outcome: bool, source: str) -> bool:
    """The outcome says that `source` has no elements."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _empty(test.operand, not outcome, source)
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Call) and chain(test.left.func) == "len":
        zero = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value == 0
        about = any(chain(n) == source for a in test.left.args for n in inside(a))
        return (
            about
            and zero
            and isinstance(test.ops[0], ast.Eq) == outcome
            and isinstance(test.ops[0], ast.Eq | ast.Gt | ast.NotEq)
        )
    return chain(test) == source and not outcome


def _conditional(edge: Edge) -> bool:
    return isinstance(edge.choice, ast.expr | ast.match_case)
