"""impossible-exception: `except KeyError` around a `.get`, which never raises it.

Why: the handler is the plan for a missing key, and it never runs: None goes on instead.

Example:

    try:
        port = settings.get("port")       # settings["port"]
    except KeyError:
        port = 8080

What it cannot see: objects whose `get` does raise KeyError; such claims stay open.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import last_name, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="impossible-exception",
    group="correctness",
    title="Handler for an exception that cannot happen",
    severity=Severity.MEDIUM,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """KeyError handlers whose try block holds a `.get` and nothing that looks up by subscript."""
    if module.test:
        return
    del project
    for attempt in module.nodes(ast.Try):
        for handler in attempt.handlers:
            if last_name(handler.type) != "KeyError" or not isinstance(handler.type, ast.Name):
                continue
            inner = list(own(attempt.body))
            calls = [n for n in inner if isinstance(n, ast.Call)]
            if not calls or any(isinstance(n, ast.Subscript | ast.Raise | ast.Await) for n in inner):
                continue
            if all(isinstance(c.func, ast.Attribute) and c.func.attr == "get" and c.args for c in calls):
                yield module.claim(
                    RULE,
                    handler,
                    scenario="`.get` answers None for a missing key, so this handler never runs and None goes on.",
                    fix="Subscript instead of `.get`, or test for None.",
                    facts={"exception": "KeyError"},
                    related=(module.related("step", calls[0], "the only call in the try block"),),
                )


CHECK = Check(rules=(RULE,), module=check)
