"""hardcoded-secret: a password or signing key that is written into the code.

Why: whoever reads the source, now or in its history, logs in with it or signs what they like, and it is the same in every
installation.

Example:

    if username == "admin" and password == "letmein": ...
    app.secret_key = "my-key"
    app.secret_key = os.environ["SECRET_KEY"]   # instead; passwords are compared as salted hashes

What it cannot see: secrets in configuration files and templates, and names that do not say what they hold.
"""

import ast
import re
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="hardcoded-secret",
    group="security",
    title="Password or signing key in the code",
    severity=Severity.MEDIUM,
    cwe=798,
    page=__doc__,
)

_PASSWORD = re.compile(r"(?:user_?|my_?|admin_?)?(?:pass|passwd|password|pwd|passphrase|passcode)", re.IGNORECASE)
_KEY = re.compile(r"(?:jwt_?|flask_?|session_?|signing_?)?secret_?key", re.IGNORECASE)
_SIGNS = frozenset({"jwt.encode", "jwt.decode", "jose.jwt.encode", "jose.jwt.decode"})
SHORTEST = 3


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Comparisons of a password with text, and keys that are text."""
    del project
    if module.test:
        return
    for compare in module.nodes(ast.Compare):
        if len(compare.ops) == 1 and isinstance(compare.ops[0], ast.Eq) and _compared(compare):
            yield _claim(
                module, compare, "logs in with the password in this line", "Compare a salted hash from a store."
            )
    for assign in module.nodes(ast.Assign):
        if _text(assign.value) and any(_is_key(t) for t in assign.targets):
            yield _claim(module, assign, "signs sessions and tokens with the key in this line", _FIX)
    for call in module.nodes(ast.Call):
        if module.resolve(call.func) in _SIGNS and len(call.args) > 1 and _text(call.args[1]):
            yield _claim(module, call, "signs tokens with the key in this line", _FIX)


_FIX = "Read the key from the environment or a secret store, and stop at the start when it is missing."


def _compared(node: ast.Compare) -> bool:
    sides = (node.left, node.comparators[0])
    return any(_text(a) and _PASSWORD.fullmatch(last_name(b)) for a, b in (sides, sides[::-1]))


def _is_key(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute | ast.Subscript) and _KEY.fullmatch(last_name(target)) is not None


def _text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) >= SHORTEST


def last_name(node: ast.expr) -> str:
    """`password` of `password`, `form.password`, `form["password"]` and `form.get("password")`; '' for anything else."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return key
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str() as key), *_]):
            return key
    return ""


def _claim(module: Module, node: ast.AST, consequence: str, fix: str) -> Claim:
    return module.claim(
        RULE, node, fix=fix,
        scenario=f"Whoever has read `{module.line_text(getattr(node, 'lineno', 1))[:100]}` {consequence}, in every installation.",
    )  # fmt: skip


CHECK = Check(rules=(RULE,), module=check)
