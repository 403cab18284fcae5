"""SQL and other queries: is what a client sends in the text of a statement, or bound beside it?"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.output import bindings
from verifiers.static.claimed.output.calling import Stack
from verifiers.static.claimed.output.databases import sql_text
from verifiers.static.claimed.output.evaluated import contradicted, evaluated
from verifiers.static.claimed.output.origin import FIXED, OUTSIDER, Origin
from verifiers.static.claimed.output.spot import CLOSE, Reached, Spot, neighbours, reached, spot
from verifiers.static.claimed.output.trace import Trace
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

MOST_EVALUATED = 4

_RUNS = frozenset(
    {"execute", "executemany", "executescript", "raw", "fetch", "fetchrow", "fetchval", "read_sql", "read_sql_query",
     "exec_driver_sql", "execute_async", "mogrify"}
)  # fmt: skip
_FINDS = frozenset(
    {"find", "find_one", "find_one_and_update", "find_one_and_delete", "find_one_and_replace", "delete_one", "delete_many",
     "update_one", "update_many", "replace_one", "count_documents", "aggregate", "distinct", "remove"}
)  # fmt: skip
_DOCUMENTS = frozenset(
    {"pymongo", "motor", "mongoengine", "montydb", "mongomock", "flask_pymongo", "beanie", "odmantic"}
)
_SQL = re.compile(
    r"\s*(?:\(|select|insert|update|delete|replace|create|drop|alter|with|pragma|exec|call|merge)\b", re.IGNORECASE
)
_STATEMENT = re.compile(
    r"\s*(?:select\s.+\sfrom|insert\s+into|update\s.+\sset|delete\s+from|drop\s+table|create\s+table)\s",
    re.IGNORECASE | re.DOTALL,
)
_SHOWS = frozenset(
    {
        "debug",
        "info",
        "warning",
        "error",
        "exception",
        "log",
        "write",
        "append",
        "format",
        "join",
        "startswith",
        "strip",
        "replace",
    }
)
_BUILDERS = frozenset({"select", "insert", "update", "delete"})


class Query(NamedTuple):
    """A call that runs a query, and what of it counts."""

    reached: Reached
    text: ast.expr
    documents: bool
    """The query is an object, not a text."""


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms a client's text inside a statement; dismisses statements of constants, and places where none is run."""
    return _falsify(finding, project, documents=False)


def falsify_any(finding: Finding, project: Project) -> Ruling:
    """The same for queries of any kind."""
    return _falsify(finding, project, documents=True)


def _falsify(finding: Finding, project: Project, *, documents: bool) -> Ruling:
    found = spot(finding, project)
    if found is None:
        return cannot_tell("the file is no Python that can be read")
    if not found.functions:
        return cannot_tell("the place is in no function")
    trace = Trace(project)
    queries = [q for f in found.functions for q in _queries(trace, found.module, f, documents=documents)]
    queries.sort(key=lambda q: (q.reached.module.path != found.module.path, abs(q.reached.call.lineno - finding.line)))
    rulings = [_ruling(finding, trace, q) for q in queries]
    confirmed = next((r for r in rulings if r.verdict == "CONFIRMED"), None)
    if confirmed is not None:
        return confirmed
    for query, ruling in zip(queries[:MOST_EVALUATED], rulings, strict=False):
        if ruling.verdict == "UNCERTAIN" and not query.documents and not _guarded(trace, query):
            precise = evaluated(finding, project, query.reached.module, query.reached.call, "sql")
            if precise.verdict == "CONFIRMED":
                return precise
    beside = _beside(finding, trace, found, documents=documents, own=bool(rulings))
    if beside is not None:
        return beside
    if not rulings:
        return _nothing(found)
    return next((r for r in rulings if r.verdict == "UNCERTAIN"), rulings[0])


def _guarded(trace: Trace, query: Query) -> bool:
    """Whether something looks at the client's value on the way, which an evaluation may not know either."""
    origins = trace.of(query.reached.module, query.text, query.reached.stack)
    return any(o.kind == OUTSIDER and not o.hostile for o in origins)


def _nothing(found: Spot) -> Ruling:
    """No query is run here: dismissed, unless the text of one stands here for somebody else to run."""
    texts = [
        n.value
        for f in found.functions
        for n in ast.walk(f)
        if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    if any(_STATEMENT.match(t) for t in texts):
        return cannot_tell("the text of a statement stands here, and what runs it is not found")
    at = (found.module.location(found.functions[0]),)
    return falls(
        f"nothing in {found.name()}, or in what it calls, runs a query whose text is put together",
        kind="search", at=at,
    )  # fmt: skip


def _beside(finding: Finding, trace: Trace, found: Spot, *, documents: bool, own: bool) -> Ruling | None:
    """Leaves a claim open when a function beside this one harms: it may be what is meant, and does not make the claim true."""
    for function in sorted(neighbours(found), key=found.distance):
        if own and found.distance(function) > CLOSE:
            break
        for query in _queries(trace, found.module, function, documents=documents):
            ruling = _ruling(finding, trace, query)
            if ruling.verdict == "CONFIRMED" or (ruling.verdict == "UNCERTAIN" and not own):
                away = found.distance(function)
                return cannot_tell(f"`{function.name}`, {away} lines away, may be what is meant")
    return None


def _queries(trace: Trace, module: Module, function: FunctionNode, *, documents: bool) -> Iterator[Query]:
    for call in reached(trace, module, function):
        func = call.call.func
        if not isinstance(func, ast.Attribute) or not call.call.args:
            continue
        if func.attr in _RUNS and not trace.callees(call.module, call.call, call.stack):
            yield Query(call, call.call.args[0], documents=False)
        elif _STATEMENT.match(sql_text(call.module, call.call.args[0])) and func.attr not in _SHOWS:
            if not trace.callees(call.module, call.call, call.stack):
                yield Query(call, call.call.args[0], documents=False)
        elif documents and func.attr in _FINDS and _has_documents(call.module):
            yield Query(call, call.call.args[0], documents=True)


def _has_documents(module: Module) -> bool:
    return any(target.partition(".")[0] in _DOCUMENTS for target in module.imports.values())


def _ruling(finding: Finding, trace: Trace, query: Query) -> Ruling:
    module, call, stack = query.reached
    if _built(module, query.text):
        return falls("the statement is built by a library that binds values", kind="guard", at=(query.reached.at,))
    origins = trace.of(module, query.text, stack)
    where = f"{query.reached.at}"
    if query.documents:
        harmful = [o for o in origins if o.hostile and "parsed" in o.marks]
    else:
        harmful = [o for o in origins if o.hostile]
        if harmful and not _is_sql(trace, module, query.text, stack):
            return cannot_tell("nothing shows that this is SQL")
    if harmful:
        first = harmful[0]
        contrary = None if query.documents else contradicted(finding, trace.project, module, query.text, "sql")
        if contrary is not None:
            return contrary
        how = "decides the operators of the query" if query.documents else "gets into the text of the statement"
        return stands(
            f"{first.what} {how} that `{ast.unparse(call.func)}` runs, instead of being bound beside it",
            kind="flow", at=tuple(dict.fromkeys((first.at, query.reached.at))),
        )  # fmt: skip
    if not origins:
        return cannot_tell(f"what the query at {where} is made of is not followed")
    open_ = next((o for o in origins if _open(o, documents=query.documents)), None)
    if open_ is not None:
        return cannot_tell(f"{open_.what} may be part of the query at {where}")
    return falls(_why(origins, documents=query.documents), kind="constant", at=(query.reached.at,))


def _open(origin: Origin, *, documents: bool) -> bool:
    if origin.kind == OUTSIDER:
        return "number" not in origin.marks and not (
            documents and "parsed" not in origin.marks and "text" in origin.marks
        )
    return origin.kind != FIXED


def _why(origins: list[Origin], *, documents: bool) -> str:
    if documents and any(o.kind == OUTSIDER for o in origins):
        return "a client decides only a text inside the query, which cannot become an operator"
    if any(o.kind == OUTSIDER for o in origins):
        return "a client decides only numbers in the text of the statement"
    return "the text of the statement is made of the program's own constants"


def _built(module: Module, node: ast.expr, depth: int = 4) -> bool:
    """`select(User).where(...)` and its like."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Await):
        if isinstance(node, ast.Call):
            name = module.resolve(node.func) or ""
            if name.startswith("sqlalchemy.") and name.rpartition(".")[2] in _BUILDERS:
                return True
            node = node.func
        else:
            node = node.value
    if isinstance(node, ast.Name) and depth:
        values = [b.node for b in bindings.bindings(module, node) if b.how == "value" and isinstance(b.node, ast.expr)]
        return bool(values) and all(_built(module, v, depth - 1) for v in values)
    return False


def _is_sql(trace: Trace, module: Module, node: ast.expr, stack: Stack, depth: int = 4) -> bool:
    """Whether the known beginning of the text is SQL, looked for in the callers when it is a parameter."""
    text = sql_text(module, node)
    if text:
        return bool(_SQL.match(text))
    if not isinstance(node, ast.Name) or not depth:
        return (
            any(_is_sql(trace, module, n, stack, depth - 1) for n in ast.walk(node) if isinstance(n, ast.Name))
            if depth
            else False
        )
    for binding in bindings.bindings(module, node):
        if binding.how == "parameter" and binding.scope is not None and isinstance(binding.node, ast.arg):
            for home, given, rest in trace.given(module, binding.scope, binding.node, stack):
                if _is_sql(trace, home, given, rest, depth - 1):
                    return True
    return False
