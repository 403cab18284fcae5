"""dropped-task: the result of `asyncio.create_task` or `ensure_future` is thrown away.

Why: the event loop keeps only a weak reference. The task may be collected before it is done, and its exception is
never seen by anybody.

Example:

    asyncio.create_task(send(mail))          # tasks.add(task); task.add_done_callback(tasks.discard)

What it cannot see: tasks that are kept in a local variable and then forgotten, and loops that come in as parameters.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import marginal
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="dropped-task",
    group="concurrency",
    title="Task that nobody holds",
    severity=Severity.MEDIUM,
    cwe=772,
    page=__doc__,
)
_MAKERS = ("create_task", "ensure_future")


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Expression statements that make a task, but for those of a task group, which holds its tasks."""
    del project
    if marginal(module):
        return
    for statement in module.nodes(ast.Expr):
        call = statement.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute | ast.Name):
            continue
        name = module.resolve(call.func) or f"?.{getattr(call.func, 'attr', '')}"
        if name.rpartition(".")[2] not in _MAKERS:
            continue
        if not (name.startswith(("asyncio.", "?.")) or "loop" in name.rpartition(".")[0].lower()):
            continue
        yield module.claim(
            RULE,
            call,
            scenario=f"Nothing holds the task of `{ast.unparse(call)[:80]}`: it may be collected while it waits, and when "
            "it fails nobody is told.",
            fix="Keep the task in a set until it is done (add_done_callback(tasks.discard)), or use a TaskGroup.",
            facts={"call": name},
        )


CHECK = Check(rules=(RULE,), module=check)
