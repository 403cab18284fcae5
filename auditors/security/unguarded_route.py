"""unguarded-route: a route that lacks the guard which the other routes of its module have.

Why: it was forgotten, and what the others protect is open through this one.

Example:

    @app.route("/items/<int:id>", methods=["DELETE"])
    @login_required
    def delete_item(id): ...

    @app.route("/items/<int:id>", methods=["POST"])   # login_required is missing
    def update_item(id): ...

What it cannot see: guards in a proxy, and in code outside the module.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="unguarded-route",
    group="security",
    title="Route without the guard of its siblings",
    severity=Severity.MEDIUM,
    cwe=862,
    page=__doc__,
)

_GUARD = re.compile(r"login|auth|permission|admin|role|jwt|token|csrf_protect|protected|require", re.IGNORECASE)
_PUBLIC = re.compile(
    r"login|logout|register|sign_?(?:up|in|out)|health|ping|webhook|callback|public|static|favicon|robots|index|home|about"
    r"|token|oauth|reset|forgot|confirm|verify|status|version",
    re.IGNORECASE,
)
_VERBS = {"route", "get", "post", "put", "delete", "patch", "api_route"}
_FEWEST = 2


class _Route(NamedTuple):
    qualname: str
    node: FunctionNode
    rule: str
    changes: bool
    guards: frozenset[str]


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Routes without a guard that at least two siblings have, when they are the clear majority."""
    del project
    if module.test:
        return
    routes = [route for qualname, node in module.functions if (route := _route(module, qualname, node)) is not None]
    counts = Counter(guard for route in routes for guard in route.guards)
    for guard, count in sorted(counts.items()):
        lacking = [r for r in routes if not r.guards and not _PUBLIC.search(f"{r.node.name} {r.rule}")]
        if count < _FEWEST or len(lacking) * 2 > count:
            continue
        siblings = [r for r in routes if guard in r.guards]
        for route in lacking:
            yield module.claim(
                RULE,
                route.node,
                scenario=f"`{route.rule}` ({route.node.name}) answers anybody: `@{guard}` guards {count} other routes of this "
                "module and not this one.",
                fix=f"Add `@{guard}`, or say in a comment why this route is public.",
                severity=Severity.MEDIUM if route.changes else Severity.LOW,
                facts={"guard": guard, "rule": route.rule, "changes": "yes" if route.changes else "no"},
                related=tuple(module.related("sibling", s.node, f"has `@{guard}`") for s in siblings[:3]),
            )


def _route(module: Module, qualname: str, node: FunctionNode) -> _Route | None:
    rule, changes = None, False
    guards = set()
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = (module.resolve(called) or "").rpartition(".")[2]
        first = decorator.args[0] if isinstance(decorator, ast.Call) and decorator.args else None
        text = first.value if isinstance(first, ast.Constant) else None
        if name in _VERBS and isinstance(decorator, ast.Call) and isinstance(text, str) and text.startswith("/"):
            rule = text
            methods = " ".join(ast.unparse(k.value).upper() for k in decorator.keywords if k.arg == "methods")
            changes |= name in {"post", "put", "delete", "patch"} or any(
                m in methods for m in ("POST", "PUT", "DELETE", "PATCH")
            )
        elif _GUARD.search(name):
            guards.add(name)
    return _Route(qualname, node, rule, changes, frozenset(guards)) if rule is not None else None


CHECK = Check(rules=(RULE,), module=check)
