"""cors-any-origin: every site may call with the visitor's cookies.

Why: with credentials allowed for any origin, a foreign page reads what the logged-in visitor may read.

Example:

    app.add_middleware(CORSMiddleware, allow_origins=["*"], allow_credentials=True)
    app.add_middleware(CORSMiddleware, allow_origins=["https://app.example"], allow_credentials=True)   # instead

What it cannot see: headers written by hand, and settings made by a proxy.
"""

import ast
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="cors-any-origin",
    group="security",
    title="Any origin may call with credentials",
    severity=Severity.MEDIUM,
    cwe=942,
    page=__doc__,
)

_ORIGINS = frozenset({"allow_origins", "origins", "allow_origin_regex"})
_CREDENTIALS = frozenset({"allow_credentials", "supports_credentials"})


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Calls that allow any origin and credentials at once."""
    del project
    if module.test:
        return
    for call in module.nodes(ast.Call):
        options = {k.arg: k.value for k in call.keywords if k.arg}
        credentials = any(
            isinstance(v, ast.Constant) and v.value is True for k, v in options.items() if k in _CREDENTIALS
        )
        if credentials and any(_any_origin(v) for k, v in options.items() if k in _ORIGINS):
            yield module.claim(
                RULE,
                call,
                scenario="Any web page that a logged-in visitor opens calls this service with the visitor's cookies and reads "
                "the answers.",
                fix="List the origins that are yours.",
            )


def _any_origin(node: ast.expr) -> bool:
    texts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
    return any(text in {"*", ".*", "https?://.*"} for text in texts)


CHECK = Check(rules=(RULE,), module=check)
