"""return-in-finally: a `return`, `break` or `continue` in `finally` throws away the exception that was on its way.

Why: the caller sees a normal result where the work failed; KeyboardInterrupt is swallowed as well.

Example:

    try:
        result = work()
    finally:
        return result      # raises nothing when work() raised, or NameError instead of the real error

What it cannot see: whether swallowing is wanted; then `except BaseException: pass` says so.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="return-in-finally",
    group="correctness",
    title="`finally` swallows the exception",
    severity=Severity.MEDIUM,
    cwe=584,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Jumps out of a finally block."""
    if module.test:
        return
    del project
    for attempt in module.nodes(ast.Try):
        for node in own(attempt.finalbody):
            if isinstance(node, ast.Return | ast.Break | ast.Continue):
                word = type(node).__name__.lower()
                yield module.claim(
                    RULE,
                    node,
                    scenario=f"When the `try` block raises, this `{word}` discards the exception and the caller goes on.",
                    fix=f"Move the `{word}` behind the try statement.",
                    facts={"jump": word},
                    related=(module.related("definition", attempt.body[0], "what raises here is lost"),),
                )


CHECK = Check(rules=(RULE,), module=check)
