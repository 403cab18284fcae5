"""default-secret: a secret that falls back to a value printed in the source.

Why: where the variable is not set, everybody who has read the code knows the key and signs sessions or tokens with it.

Example:

    SECRET_KEY = os.environ.get("SECRET_KEY", "change-me")
    SECRET_KEY = os.environ["SECRET_KEY"]   # stops at the start instead

What it cannot see: fallbacks in configuration files, and code that refuses the default far from here.
"""

import ast
import re
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="default-secret",
    group="security",
    title="Secret with a default that is in the source",
    severity=Severity.MEDIUM,
    cwe=1188,
    page=__doc__,
)

_NAME = re.compile(
    r"secret|passw|token|api_?key|private_?key|signing_?key|encryption_?key|session_?key|jwt_?key|hmac_?key|cookie_?key",
    re.IGNORECASE,
)
_SWITCH = re.compile(r"true|false|yes|no|on|off|none|null|[\d.]+", re.IGNORECASE)
_READS = frozenset({"os.environ.get", "os.getenv", "environ.get", "decouple.config"})


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Reads of the environment whose name is a secret's and whose default is text."""
    del project
    if module.test:
        return
    for call in module.nodes(ast.Call):
        if module.resolve(call.func) not in _READS or not call.args:
            continue
        name = call.args[0]
        default = (
            call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "default"), None)
        )
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str) or not _NAME.search(name.value):
            continue
        if not isinstance(default, ast.Constant) or not isinstance(default.value, str) or not default.value:
            continue
        if _SWITCH.fullmatch(default.value):
            continue
        yield module.claim(
            RULE,
            call,
            scenario=f"Started without `{name.value}` in the environment, `{module.symbol(call) or module.path}` works with "
            "the default in this line, which every reader of the source knows.",
            fix=f'Use os.environ["{name.value}"], or stop at the start when it is missing.',
            facts={"variable": name.value},
        )


CHECK = Check(rules=(RULE,), module=check)
