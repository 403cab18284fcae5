"""insecure-cookie: a cookie that browsers also send over plain HTTP.

Why: without `secure` one request to an http:// address, which anybody on the network can provoke, gives the cookie away.

Example:

    response.set_cookie("session", value, secure=False)
    response.set_cookie("session", value, secure=True, httponly=True, samesite="Lax")   # instead

What it cannot see: cookies set by raw headers, and settings such as SESSION_COOKIE_SECURE that a deployment makes.
"""

import ast
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="insecure-cookie",
    group="security",
    title="Cookie without `secure`",
    severity=Severity.LOW,
    cwe=614,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`set_cookie` calls that leave `secure` out or do not set it to True."""
    del project
    if module.test:
        return
    for call in module.nodes(ast.Call):
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in {"set_cookie", "set_secure_cookie"}:
            continue
        given = next((k.value for k in call.keywords if k.arg == "secure"), None)
        if any(k.arg is None for k in call.keywords) or len(call.args) >= 6:
            continue  # `secure` may be inside `**options`, or positional
        if isinstance(given, ast.Constant) and given.value:
            continue
        how = "leaves `secure` out" if given is None else f"sets `secure={ast.unparse(given)}`"
        yield module.claim(
            RULE,
            call,
            scenario=f"`{module.symbol(call) or module.path}` {how}: the browser sends this cookie over plain HTTP too, "
            "where anybody on the network reads it.",
            fix="Pass secure=True (and httponly=True, samesite='Lax').",
            facts={"secure": "absent" if given is None else "given"},
        )


CHECK = Check(rules=(RULE,), module=check)
