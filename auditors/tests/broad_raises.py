"""raises-too-broad: `pytest.raises(Exception)` around several calls.

Why: any mistake passes, also a typo in the test, or the wrong call failing.

Example:

    with pytest.raises(Exception):
        client = make_client()
        client.send(None)

What it cannot see: whether a narrower exception exists.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import last_name, own
from auditors.tests.functions import tests_of
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="raises-too-broad",
    group="tests",
    title="Any exception passes this test",
    severity=Severity.LOW,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Blocks that expect Exception or BaseException without a message and hold two or more statements with calls."""
    del project
    for _, function in tests_of(module):
        for block in own(function.body):
            if not isinstance(block, ast.With):
                continue
            call = block.items[-1].context_expr
            if (
                not isinstance(call, ast.Call)
                or last_name(call.func) not in {"raises", "assertRaises"}
                or not call.args
            ):
                continue
            if last_name(call.args[0]) not in {"Exception", "BaseException"} or call.keywords:
                continue
            calling = [s for s in block.body if any(isinstance(n, ast.Call) for n in own([s]))]
            if len(calling) >= 2:
                yield module.claim(
                    RULE,
                    call,
                    scenario=f"Whatever goes wrong in any of the {len(calling)} statements passes, a TypeError of the test too.",
                    fix="Expect the exception meant, with `match=`, and keep one call in the block.",
                    facts={"statements": str(len(calling))},
                )


CHECK = Check(rules=(RULE,), module=check)
