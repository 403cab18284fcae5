"""swallowed-assertion: an assertion inside `try`, with a handler that catches AssertionError and goes on.

Why: the failure is caught by the test itself.

Example:

    try:
        assert convert("x") == 1
    except Exception:
        pass

What it cannot see: handlers that note the failure somewhere for later.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import last_name, own
from auditors.tests.functions import asserts, tests_of
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="swallowed-assertion",
    group="tests",
    title="Test swallows its own failure",
    severity=Severity.LOW,
    page=__doc__,
)
CATCHING = frozenset({"Exception", "BaseException", "AssertionError"})


def check(module: Module, project: Project) -> Iterator[Claim]:
    """try statements of tests with an assertion in the body and a wide handler that raises and asserts nothing."""
    del project
    for _, function in tests_of(module):
        for attempt in own(function.body):
            if not isinstance(attempt, ast.Try):
                continue
            inner = next((n for n in own(attempt.body) if asserts(n) and not isinstance(n, ast.Raise)), None)
            for handler in attempt.handlers:
                kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
                wide = any(kind is None or last_name(kind) in CATCHING for kind in kinds)
                if inner is not None and wide and not any(asserts(n) for n in own(handler.body)):
                    yield module.claim(
                        RULE,
                        inner,
                        scenario=f"When this assertion fails, the handler in line {handler.lineno} catches it and the test passes.",
                        fix="Move the assertion out of the try block, or catch only what the call may raise.",
                        facts={"handler": str(handler.lineno)},
                        related=(module.related("step", handler.body[0], "goes on as if nothing had happened"),),
                    )
                    break


CHECK = Check(rules=(RULE,), module=check)
