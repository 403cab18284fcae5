"""certificate-check-off: TLS without looking at the other side's certificate.

Why: anybody on the way answers in the server's name, reads everything and changes it.

Example:

    requests.get(url, verify=False)
    requests.get(url, verify="/etc/ssl/company-ca.pem")   # instead

What it cannot see: sessions whose `verify` is changed elsewhere, and options passed on as `**kwargs`.
"""

import ast
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="certificate-check-off",
    group="security",
    title="Certificate is not checked",
    severity=Severity.MEDIUM,
    cwe=295,
    page=__doc__,
)

_CLIENTS = frozenset({"requests", "httpx", "aiohttp", "urllib3"})
_OFF = frozenset({"verify", "ssl", "verify_ssl", "check_hostname"})


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`verify=False` in HTTP clients, unverified contexts, `CERT_NONE`, `check_hostname = False`."""
    del project
    if module.test:
        return
    for call in module.nodes(ast.Call):
        name = module.resolve(call.func) or ""
        if name == "ssl._create_unverified_context":
            yield _claim(module, call, name)
        elif name.partition(".")[0] in _CLIENTS:
            for keyword in call.keywords:
                if keyword.arg in _OFF and isinstance(keyword.value, ast.Constant) and keyword.value.value is False:
                    yield _claim(module, call, f"{keyword.arg}=False")
    for statement in module.nodes(ast.Assign):
        target = statement.targets[0]
        mode = isinstance(target, ast.Attribute) and target.attr == "verify_mode"
        if mode and module.resolve(statement.value) == "ssl.CERT_NONE":
            yield _claim(module, statement, "verify_mode = CERT_NONE")


def _claim(module: Module, node: ast.AST, how: str) -> Claim:
    return module.claim(
        RULE,
        node,
        scenario=f"`{how}` in `{module.symbol(node) or module.path}` accepts any certificate: a machine on the way answers in "
        "the server's name and reads and changes what is sent.",
        fix="Leave the check on; for a private authority pass its certificate as `verify` or `cafile`.",
        facts={"how": how},
    )


CHECK = Check(rules=(RULE,), module=check)
