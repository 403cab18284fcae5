"""unawaited-coroutine: an `async def` of the project is called as a statement, and nobody awaits it.

Why: the call makes a coroutine object and throws it away. The body never runs; all there is to see is a
RuntimeWarning, if anybody looks.

Example:

    async def save(record): ...
    async def handle(record):
        save(record)              # await save(record)

What it cannot see: coroutines of other libraries than asyncio, methods of objects whose class no assignment or annotation
shows, and results that are kept but never awaited.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import dotted
from auditors.concurrency.receivers import class_name
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.index import Function
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="unawaited-coroutine",
    group="concurrency",
    title="Coroutine is never awaited",
    severity=Severity.MEDIUM,
    cwe=572,
    page=__doc__,
)


_LIBRARY = frozenset(
    {"asyncio.sleep", "asyncio.wait", "asyncio.wait_for", "asyncio.to_thread", "asyncio.open_connection"}
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Expression statements that call an `async def` found in the index, or one of asyncio's."""
    for statement in module.nodes(ast.Expr):
        call = statement.value
        if not isinstance(call, ast.Call):
            continue
        if module.resolve(call.func) in _LIBRARY:
            name = module.resolve(call.func) or ""
            yield _claim(module, call, f"`{name}` does nothing", {"callee": name})
            continue
        found = _callee(module, project, call)
        if found is None or not found.is_async or found.is_generator:
            continue
        yield _claim(
            module,
            call,
            f"the body of `async def {found.qualname}` ({found.path}:{found.line}) never runs",
            {"callee": found.name, "callee_path": found.path, "callee_line": str(found.line)},
        )


def _callee(module: Module, project: Project, call: ast.Call) -> Function | None:
    written = dotted(call.func)
    if written is None:
        return None
    receiver, _, last = written.rpartition(".")
    local = module.imports.get(written, written).rpartition(".")[2]
    if not any(f.is_async for f in project.index.by_simple_name.get(last if receiver else local, ())):
        return None
    owner = class_name(module, project, call, receiver) if receiver else None
    if owner is None:
        return project.index.function(module.resolve(call.func) or "")
    for name in (owner, *project.index.classes[owner].bases):
        found = project.index.functions.get(f"{project.index.canonical(name)}.{last}")
        if found is not None:
            return found
    return None


def _claim(module: Module, call: ast.Call, what: str, facts: dict[str, str]) -> Claim:
    return module.claim(
        RULE,
        call,
        scenario=f"`{ast.unparse(call.func)}(...)` only makes a coroutine: {what}.",
        fix="await the call, or hand it to asyncio.create_task and keep the task.",
        severity=Severity.LOW if module.test else None,
        facts=facts,
    )


CHECK = Check(rules=(RULE,), module=check)
