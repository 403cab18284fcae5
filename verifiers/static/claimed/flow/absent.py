"""Whether the operation that a claim is about is nowhere near its place: not in the function, nor in what that calls.

Before that is said, everything is looked at that could make it untrue: a call of which nobody knows what it runs, what
the function gives back or stores for others to use, and an operation that stands a few lines away in another function.
"""

import ast
from collections.abc import Iterator, Sequence

from harness.source.index import Call
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.flow.arriving import arrivals
from verifiers.static.claimed.flow.documents import is_document
from verifiers.static.claimed.flow.families import PATTERN, XML, XPATH, Family
from verifiers.static.claimed.flow.place import FARTHEST, around, statement_at
from verifiers.static.claimed.flow.spread import Spread, name_of, spread
from verifiers.static.ruling import Ruling, cannot_tell, falls
from verifiers.static.security.danger import Answer
from verifiers.static.surroundings import call_node


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
    user = _used_by(project, module, function, families)
    if user is not None:
        return cannot_tell(f"what the function makes is used where something {what}, in line {user}")
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
    calls = _calls_on(module, statement, line)
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


def near(
    project: Project, module: Module, line: int, families: Sequence[Family], inside: Spread | None
) -> int | None:
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


def _calls_on(module: Module, statement: ast.stmt | None, line: int) -> list[ast.Call]:
    if statement is None:
        return []
    calls = [n for n in ast.walk(statement) if isinstance(n, ast.Call)]
    return [c for c in calls if c.lineno <= line <= (c.end_lineno or c.lineno)] or calls


def _fixed(call: ast.Call) -> bool:
    """Whether all it is given stands there."""
    given = [*call.args, *(k.value for k in call.keywords)]
    return bool(given) and all(isinstance(a, ast.Constant) for a in given)


def _used_by(project: Project, module: Module, function: FunctionNode, families: Sequence[Family]) -> int | None:
    """Line of an operation that is handed what the function gives back, or what it stores in its object."""
    owner = module.enclosing_class(function)
    stores = any(
        isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name)
        for n in ast.walk(function)
    )
    for call in ast.walk(owner) if stores and owner is not None else ():
        if isinstance(call, ast.Call) and any(_may(f, module, call) for f in families):
            return call.lineno
    dotted = f"{module.name}.{module.qualname(function)}" if module.name else module.qualname(function)
    known = project.index.functions.get(dotted)
    for site in project.index.callers(known) if known is not None else ():
        line = _given_to(project, site, families)
        if line is not None:
            return line
    return None


def _given_to(project: Project, site: Call, families: Sequence[Family]) -> int | None:
    found = call_node(project, site)
    if found is None or site.test:
        return None
    module, made = found
    scope: ast.AST = around(module, made.lineno) or module.tree
    names = set(_held(scope, made))
    for call in ast.walk(scope):
        if isinstance(call, ast.Call) and call is not made and any(_may(f, module, call) for f in families):
            given = [n for a in (*call.args, *(k.value for k in call.keywords)) for n in ast.walk(a)]
            if made in given or any(isinstance(n, ast.Name) and n.id in names for n in given):
                return call.lineno
    return None


def _held(scope: ast.AST, made: ast.Call) -> Iterator[str]:
    """Names that hold what the call gives, or something made of it."""
    held: set[str] = set()
    grew = True
    while grew:
        grew = False
        for node in ast.walk(scope):
            if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) or node.value is None:
                continue
            inside = list(ast.walk(node.value))
            if made not in inside and not any(isinstance(n, ast.Name) and n.id in held for n in inside):
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)):
                if name not in held:
                    held.add(name)
                    grew = True
    yield from sorted(held)


def _may(family: Family, module: Module, call: ast.Call) -> bool:
    return _does(family, module, call) or family.may_be_done_by(name_of(module, call))


