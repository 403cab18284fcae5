"""Whether the operation that a claim is about is nowhere near its place: not in the function, nor in what that calls.

Before that is said, everything is looked at that could make it untrue: a call of which nobody knows what it runs, what
the function gives back or stores for others to use, and an operation that stands a few lines away in another function.
"""

import ast
from collections.abc import Sequence

from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.flow import uses
from verifiers.static.claimed.flow.arriving import arrivals
from verifiers.static.claimed.flow.documents import is_document
from verifiers.static.claimed.flow.families import PATTERN, XML, XPATH, Family
from verifiers.static.claimed.flow.place import FARTHEST
from verifiers.static.claimed.flow.spread import Spread, name_of, spread
from verifiers.static.locate import statement_at
from verifiers.static.ruling import Ruling, cannot_tell, falls
from verifiers.static.security.danger import Answer


def from_function(
    project: Project, module: Module, function: FunctionNode, line: int, families: Sequence[Family]
) -> Ruling:
    """DISMISSED when neither the function nor anything it calls does it; else why that cannot be said."""
    inside = spread(project, module, function)
    what = " or ".join(f.does for f in families)
    for held, call in inside.calls():
        name = name_of(held.module, call)
        if any(_does(f, held.module, call) or f.may_be_done_by(name) for f in families):
            return cannot_tell(f"`{ast.unparse(call.func)}` may be what {what}")
    if inside.unknown is not None or not inside.whole:
        return cannot_tell("not everything that the function calls can be followed")
    gone = uses.elsewhere(project, module, function, lambda home, call: any(_may(f, home, call) for f in families))
    if gone is not None:
        return cannot_tell(gone)
    if not _on_twin(module, line, families):
        beside = near(project, module, line, families, inside)
        if beside is not None:
            return cannot_tell(f"line {beside} is near, and there is something that {what}")
    where = module.location(function)
    return falls(
        f"nothing in `{module.qualname(function)}`, or in what it calls, {what}",
        kind="absent",
        detail="\n".join(f"{path}: {name}" for path, name in inside.functions),
        at=(where,),
    )


def from_statement(project: Project, module: Module, line: int, families: Sequence[Family]) -> Ruling:
    """The same for code of the module that stands in no function."""
    statement = statement_at(module, line)
    what = " or ".join(f.does for f in families)
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return cannot_tell("the place names no operation")
    calls = _calls_on(statement, line)
    done = [c for c in calls if any(_does(f, module, c) for f in families)]
    fixed = [c for c in done if _fixed(c)]
    if done and len(fixed) == len(done) and not any(f is PATTERN for f in families):
        return falls(
            f"`{ast.unparse(fixed[0])}` is given fixed text only", kind="constant", at=(module.location(fixed[0]),)
        )
    for call in calls:
        name = name_of(module, call)
        if call in done or any(f.may_be_done_by(name) for f in families) or name == "?":
            return cannot_tell(f"`{ast.unparse(call.func)}` may be what {what}")
        function = project.index.function(name if "." in name or not module.name else f"{module.name}.{name}")
        if function is not None:
            return cannot_tell("the place calls a function of the project")
    beside = near(project, module, line, families, None)
    if beside is not None:
        return cannot_tell(f"line {beside} is near, and there is something that {what}")
    where = module.location(statement) if statement is not None else None
    return falls(
        f"nothing at this place {what}, and nothing within {FARTHEST} lines of it",
        kind="absent",
        at=(where,) if where is not None else (),
    )


def near(project: Project, module: Module, line: int, families: Sequence[Family], inside: Spread | None) -> int | None:
    """The line of an operation close by, in code that does not belong to `inside`, that is not shown to be harmless."""
    own = {id(r.function) for r in inside.functions.values()} if inside is not None else set()
    for call in module.nodes(ast.Call):
        if abs(call.lineno - line) > FARTHEST or not any(_does(f, module, call) for f in families):
            continue
        function = module.enclosing_function(call)
        if function is None:
            if not _fixed(call):
                return call.lineno
        elif id(function) not in own and not _harmless(project, module, function, call, families):
            return call.lineno
    return None


def _harmless(
    project: Project, module: Module, function: FunctionNode, call: ast.Call, families: Sequence[Family]
) -> bool:
    """Whether nothing that anybody decides arrives at the call, whoever calls the function."""
    own, _ = arrivals(project, module, function, spread(project, module, function), families)
    here = [a for a in own if a.call is call]
    safe = bool(here) and all(a.outcome.answer is Answer.SAFE for a in here)
    return safe and not any(f in {PATTERN, XML} for f in families)


def _does(family: Family, module: Module, call: ast.Call) -> bool:
    lookup = family is XPATH and isinstance(call.func, ast.Attribute) and is_document(module, call.func.value)
    return lookup or family.is_done_by(name_of(module, call))


def _on_twin(module: Module, line: int, families: Sequence[Family]) -> bool:
    """Whether the line itself holds a call that only looks like the operation: `dumps` beside `loads`."""
    calls = [c for c in module.nodes(ast.Call) if c.lineno <= line <= (c.end_lineno or c.lineno)]
    return any(f.is_twin(name_of(module, c)) for f in families for c in calls)


def _calls_on(statement: ast.stmt | None, line: int) -> list[ast.Call]:
    if statement is None:
        return []
    calls = [n for n in ast.walk(statement) if isinstance(n, ast.Call)]
    return [c for c in calls if c.lineno <= line <= (c.end_lineno or c.lineno)] or calls


def _fixed(call: ast.Call) -> bool:
    """Whether all it is given stands there."""
    given = [*call.args, *(k.value for k in call.keywords)]
    return bool(given) and all(isinstance(a, ast.Constant) for a in given)


def _may(family: Family, module: Module, call: ast.Call) -> bool:
    return _does(family, module, call) or family.may_be_done_by(name_of(module, call))
