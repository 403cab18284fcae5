"""unchecked-optional-result: a function of the project may answer None, its other callers check, and this one does not.

Why: the others show that None happens. Here it ends in `AttributeError: 'NoneType' object has no attribute ...`.

Example:

    def find_user(key):
        return users[key] if key in users else None

    find_user(key).name              # the other callers ask `if user is None` first

What it cannot see: reasons why None cannot happen for this caller; the claim stays open where there may be one.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from auditors.syntax import own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.index import Call, Function
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed

RULE = Rule(
    id="unchecked-optional-result",
    group="correctness",
    title="Result that may be None is used unchecked",
    severity=Severity.MEDIUM,
    cwe=476,
    page=__doc__,
)
FEWEST_CHECKING = 2
"""Callers that must check before the one that does not is worth a claim."""
MOST_CALLERS = 40


class _Use(NamedTuple):
    checked: bool
    place: ast.AST
    module: Module


def check(project: Project) -> Iterator[Claim]:
    """Functions with one unambiguous name that return None on purpose, and the callers that use the result at once."""
    for known in _optional(project):
        callers = [c for c in project.index.callers(known) if not c.test]
        if not FEWEST_CHECKING < len(callers) <= MOST_CALLERS:
            continue
        uses = [u for u in (_use(project, call) for call in callers) if u is not None]
        checking = sum(u.checked for u in uses)
        careless = [u for u in uses if not u.checked]
        if checking < FEWEST_CHECKING or len(careless) * 2 > checking:
            continue
        for use in careless:
            yield use.module.claim(
                RULE,
                use.place,
                scenario=f"`{known.qualname}` ({known.path}:{known.line}) may answer None, which {checking} other callers check; "
                "here that raises.",
                fix="Check the result for None here too.",
                facts={"callee": known.name, "checking": str(checking)},
            )


def _optional(project: Project) -> list[Function]:
    found: list[Function] = []
    for module in project.modules():
        for qualname, function in module.functions:
            if not _returns_both(function):
                continue
            known = project.index.functions.get(f"{module.name}.{qualname}" if module.name else qualname)
            if known is None or known.is_generator or known.decorators:
                continue
            if len(project.index.by_simple_name.get(function.name, [])) == 1:
                found.append(known)
    return found


def _returns_both(function: FunctionNode) -> bool:
    returns = [n for n in own(function.body) if isinstance(n, ast.Return)]
    none = [r for r in returns if r.value is None or (isinstance(r.value, ast.Constant) and r.value.value is None)]
    return bool(none) and len(none) < len(returns)


def _use(project: Project, call: Call) -> _Use | None:
    """How the caller treats the result; None when it hands it on or drops it."""
    try:
        module = project.module(call.path)
    except NotParsed:
        return None
    node = next((n for n in module.nodes(ast.Call) if (n.lineno, n.col_offset) == (call.line, call.column)), None)
    if node is None:
        return None
    parent = module.parents[node]
    if isinstance(parent, ast.Attribute | ast.Subscript) and parent.value is node:
        return _Use(False, parent, module)
    if isinstance(parent, ast.Compare | ast.BoolOp | ast.NamedExpr | ast.UnaryOp | ast.If):
        return _Use(True, node, module)
    function = module.enclosing_function(node)
    if not isinstance(parent, ast.Assign) or function is None or not isinstance(parent.targets[0], ast.Name):
        return None
    name = parent.targets[0].id
    first: ast.AST | None = None
    for inner in own(function.body):
        if getattr(inner, "lineno", 0) <= parent.lineno:
            continue
        test = getattr(inner, "test", inner if isinstance(inner, ast.BoolOp) else None)
        if test is not None and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(test)):
            return _Use(True, node, module)
        if (
            isinstance(inner, ast.Attribute | ast.Subscript)
            and isinstance(inner.value, ast.Name)
            and inner.value.id == name
        ):
            first = first or inner
    return _Use(False, first, module) if first is not None else None


CHECK = Check(rules=(RULE,), project=check)
