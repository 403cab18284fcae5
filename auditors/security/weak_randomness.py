"""weak-randomness: a secret made with the predictable generator of the module `random`.

Why: after 624 outputs of 32 bits the Mersenne Twister is known, past and future values included.

Example:

    token = "".join(random.choice(string.ascii_letters) for _ in range(32))
    token = secrets.token_urlsafe(32)   # instead

What it cannot see: secrets whose name does not say so, and generators passed in from elsewhere.
"""

import ast
from collections.abc import Iterator

from auditors.security.secret_words import mentions_secret
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="weak-randomness",
    group="security",
    title="Predictable generator makes a secret",
    severity=Severity.MEDIUM,
    cwe=330,
    page=__doc__,
)

_FUNCTIONS = frozenset(
    {
        "random", "randint", "randrange", "getrandbits", "randbytes", "choice", "choices", "sample", "shuffle", "uniform",
        "normalvariate", "gauss", "betavariate", "triangular", "expovariate", "lognormvariate", "vonmisesvariate",
        "gammavariate", "paretovariate", "weibullvariate",
    }
)  # fmt: skip


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Calls of the module's functions, or of `random.Random`, in functions that name a secret."""
    del project
    if module.test:
        return
    for call in module.nodes(ast.Call):
        name = module.resolve(call.func) or ""
        head, _, function = name.rpartition(".")
        if head not in {"random", "numpy.random"} or function not in _FUNCTIONS or not mentions_secret(module, call):
            continue
        yield module.claim(
            RULE,
            call,
            scenario=f"`{name}` makes a value that is used as a secret in `{module.symbol(call) or module.path}`; "
            "whoever sees enough of its outputs computes the next ones.",
            fix="Use the module secrets: secrets.token_urlsafe, secrets.choice, secrets.randbelow.",
            facts={"call": name},
        )


CHECK = Check(rules=(RULE,), module=check)
