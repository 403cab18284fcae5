"""fails-open: a check that lets everybody in when it cannot be made.

Why: an attacker makes the check break, or a deployment forgets the secret, and nobody notices that nothing is checked.

Example:

    def verify(body, signature):
        if not SECRET:
            return True                 # raise, or return False
        return hmac.compare_digest(sign(body), signature)

What it cannot see: checks whose name does not say so, and answers other than True and False.
"""

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="fails-open",
    group="security",
    title="Security check that allows when it cannot decide",
    severity=Severity.MEDIUM,
    cwe=636,
    page=__doc__,
)

_CHECKS = re.compile(
    r"^_*(?:verify|validate|check|authenticate|authori[sz]e|is_(?:allowed|authori[sz]ed|authenticated|valid|trusted|admin)"
    r"|has_(?:permission|access|role)|can_|may_|allow|require)"
    r"|_(?:ok|valid|allowed|verified|trusted|authori[sz]ed|authenticated|matches)$",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"signature|token|secret|passw|auth|permission|access|admin|hmac|csrf|webhook|session|credential|api_?key|role|user"
    r"|certificate|login|otp|jwt",
    re.IGNORECASE,
)
_SECRET = re.compile(r"secret|token|key|passw|signature|credential", re.IGNORECASE)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Ways through a yes-or-no security check that say yes without having looked."""
    del project
    if module.test:
        return
    for qualname, function in module.functions:
        words = f"{function.name} {' '.join(a.arg for a in function.args.args)}"
        if not _CHECKS.search(function.name) or not _ABOUT.search(words) or not _denies(function):
            continue
        for node in ast.walk(function):
            found = _allowed(node)
            if found is not None and module.enclosing_function(found[0]) is function:
                statement, reason = found
                yield module.claim(
                    RULE,
                    statement,
                    scenario=f"`{qualname}` answers yes {reason}: whoever can bring that about passes the check.",
                    fix="Refuse (raise, or return False) when the check cannot be made.",
                    facts={"function": qualname, "why": "exception" if "exception" in reason else "missing"},
                )


def _denies(function: FunctionNode) -> bool:
    returns = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)]
    return any(r is not None and not (isinstance(r, ast.Constant) and r.value is True) for r in returns)


def _allowed(node: ast.AST) -> tuple[ast.Return, str] | None:
    """A `return True` of an exception handler, or where a secret is missing, with the reason in words."""
    if isinstance(node, ast.ExceptHandler):
        last = node.body[-1]
        if _yes(last):
            caught = ast.unparse(node.type) if node.type else "any exception"
            return last, f"after an exception ({caught})"
    if isinstance(node, ast.If):
        last = node.body[-1]
        missing = _missing(node.test)
        if _yes(last) and missing and _SECRET.search(missing):
            return last, f"when `{missing}` is missing"
    return None


def _yes(node: ast.stmt) -> TypeGuard[ast.Return]:
    return isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and node.value.value is True


def _missing(test: ast.expr) -> str | None:
    """`x` of `not x`, `x is None`, `x == ""`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return ast.unparse(test.operand)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Is | ast.Eq):
        right = test.comparators[0]
        if isinstance(right, ast.Constant) and not right.value:
            return ast.unparse(test.left)
    return None


CHECK = Check(rules=(RULE,), module=check)
