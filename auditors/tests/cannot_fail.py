"""test-cannot-fail: a test that asserts nothing, and in which nothing can raise, or nothing that is let through.

Why: it is green whatever the code does, and counts as coverage in everybody's head.

Example:

    def test_total_of_nothing():
        expected = 0                 # and the assertion was never written

    def test_refuses_text():
        try:
            total("x")               # raises or not: the test passes
        except Exception:
            pass

What it cannot see: tests that only call something. Those fail when it raises, which may be all that is wanted.
"""

import ast
from collections.abc import Iterable, Iterator

from auditors.syntax import last_name, own
from auditors.tests.functions import asserts, tests_of
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="test-cannot-fail",
    group="tests",
    title="Test that cannot fail",
    severity=Severity.LOW,
    page=__doc__,
)
_TELLING = frozenset({"print", "debug", "info", "warning", "warn", "error", "exception", "critical", "log"})


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Tests without assertion whose bodies call nothing, or whose calls all stand in a `try` that takes everything."""
    del project
    asserting = any(asserts(n) for n in module.nodes(ast.Assert, ast.Call))
    for _, function in tests_of(module):
        if any(asserts(n) for n in own(function.body)):
            continue
        if _idle(function.body):
            if any(asserts(n) for n in ast.walk(module.parents[function])) or (not asserting and _unfinished(function)):
                yield _claim(module, function, "calls nothing and asserts nothing", "idle")
        elif _swallowing(function.body):
            yield _claim(module, function, "asserts nothing, and takes every exception of what it calls", "swallowing")


def _claim(module: Module, function: FunctionNode, does: str, form: str) -> Claim:
    return module.claim(
        RULE,
        function,
        scenario=f"`{function.name}` {does}: no change of the code can make it fail.",
        fix="Write the assertion, or remove the test.",
        facts={"form": form},
    )


def _idle(body: Iterable[ast.stmt]) -> bool:
    return not any(isinstance(n, ast.Call | ast.Await | ast.Yield) for n in own(body))


def _unfinished(function: FunctionNode) -> bool:
    """Something was begun: more than `pass` or a text stands there, and nothing is given back."""
    arguments = [a.arg for a in function.args.args if a.arg != "self"]
    begun = any(isinstance(s, ast.Assign | ast.AnnAssign | ast.For | ast.If) for s in function.body)
    returned = any(isinstance(n, ast.Return) and n.value is not None for n in own(function.body))
    return begun and not arguments and not returned


def _swallowing(body: list[ast.stmt]) -> bool:
    """Every statement that calls is a `try` with a handler for everything, and no block of it but the first calls."""
    for statement in body:
        if _idle([statement]):
            continue
        if not isinstance(statement, ast.Try) or not any(_takes_all(h) for h in statement.handlers):
            return False
        handled = [s for handler in statement.handlers for s in handler.body]
        calls = [n for n in own([*handled, *statement.orelse, *statement.finalbody]) if isinstance(n, ast.Call)]
        if not all(last_name(call.func) in _TELLING for call in calls):
            return False
    return True


def _takes_all(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or last_name(kind) in {"Exception", "BaseException"} for kind in kinds)


CHECK = Check(rules=(RULE,), module=check)
