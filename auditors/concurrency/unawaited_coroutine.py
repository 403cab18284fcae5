"""unawaited-coroutine: an `async def` of the project is called as a statement, and nobody awaits it.

Why: the call makes a coroutine object and throws it away. The body never runs; all there is to see is a
RuntimeWarning, if anybody looks.

Example:

    async def save(record): ...
    async def handle(record):
        save(record)              # await save(record)

What it cannot see: coroutines of other libraries, methods of objects whose class is not `self`'s, and results that are
kept but never awaited.
"""

import ast
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
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


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Expression statements that call an `async def` found in the index."""
    for statement in module.nodes(ast.Expr):
        call = statement.value
        if not isinstance(call, ast.Call):
            continue
        name = module.resolve(call.func)
        if name is None:
            continue
        head, _, attribute = name.partition(".")
        if head in {"self", "cls"}:
            cls = module.enclosing_class(statement)
            if cls is None or "." in attribute:
                continue
            name = f"{module.name}.{module.qualname(cls)}.{attribute}".lstrip(".")
        found = project.index.function(name)
        if found is None or not found.is_async or found.is_generator:
            continue
        yield module.claim(
            RULE,
            call,
            scenario=f"`{ast.unparse(call.func)}(...)` only makes a coroutine: the body of "
            f"`async def {found.qualname}` ({found.path}:{found.line}) never runs.",
            fix="await the call, or hand it to asyncio.create_task and keep the task.",
            severity=Severity.LOW if module.test else None,
            facts={"callee": found.name, "callee_path": found.path, "callee_line": str(found.line)},
        )


CHECK = Check(rules=(RULE,), module=check)
