"""swapped-arguments: does the call mean to swap? Looks at names around it, comparisons before it, and other calls."""

import ast
import re

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import remark, tail, words
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

REVERSING = re.compile(
    r"swap|revers|revert|refund|give_back|return_to|chargeback|transpos|flip|invert|inverse|backward|undo|mirror|rotate|opposite|rtl|rollback|downgrade|back$|^r[a-z]+__$",
    re.IGNORECASE,
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms a plain call whose two arguments carry each other's parameter names, without any sign of intent."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    known = project.index.functions.get(finding.facts.get("callee", ""))
    if module is None or call is None or known is None:
        return cannot_tell("the call or the function is not at its place")
    i, j = int(finding.facts.get("first", "-1")), int(finding.facts.get("second", "-1"))
    parameters = known.parameters[1:] if known.parameters[:1] in {("self",), ("cls",)} else known.parameters
    place = (module.location(call),)
    if not 0 <= i < j < min(len(parameters), len(call.args)):
        return cannot_tell("the positions do not exist")
    first, second = tail(call.args[i]), tail(call.args[j])
    if (first, second) != (parameters[j], parameters[i]):
        return falls("the names do not match each other's parameter", kind="syntax", at=place)
    if len(first) == 1 or len(second) == 1:
        return cannot_tell("names of one letter say too little")
    symbol = module.symbol(call) or ""
    if REVERSING.search(symbol) or REVERSING.search(known.qualname) or any(REVERSING.search(w) for w in words(symbol)):
        return falls(f"`{symbol or known.qualname}` turns the order round on purpose", kind="definition", at=place)
    for up in module.ancestors(call):
        test = up.test if isinstance(up, ast.If | ast.IfExp | ast.While) else None
        names = {tail(n) for n in ast.walk(test)} if test is not None else set()
        if {first, second} <= names:
            return cannot_tell("a condition around the call compares the two")
        if isinstance(up, ast.BoolOp | ast.Compare):
            return cannot_tell("the call is one side of a comparison")
    if note := remark(module, call.lineno, call.end_lineno):
        return cannot_tell(f"a comment speaks of it: {note[:100]}")
    rebound = [p for p in (first, second) if _crossed(module.enclosing_function(call), p, {first, second})]
    if rebound:
        return falls("the two names were exchanged before the call", kind="flow", at=place)
    others = [c for c in project.index.callers(known) if not c.test and (c.path, c.line) != (finding.path, call.lineno)]
    same_caller = [c for c in others if c.path == finding.path and c.caller == (finding.symbol or "")]
    if same_caller:
        return cannot_tell("the same function calls it more than once: both orders may be wanted")
    return stands(
        f"`{known.qualname}` ({known.path}:{known.line}) takes `{parameters[i]}` before `{parameters[j]}`; the call gives them the "
        "other way round", kind="definition", at=place,
    )  # fmt: skip


def _crossed(function: ast.AST | None, name: str, both: set[str]) -> bool:
    """`name` is assigned from an expression that speaks of the other one."""
    if function is None:
        return False
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign) or all(tail(n) != name for t in node.targets for n in ast.walk(t)):
            continue
        if any(tail(n) in both - {name} for n in ast.walk(node.value)):
            return True
    return False
