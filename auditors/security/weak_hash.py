"""weak-hash: MD5 or SHA-1 where a secret is hashed or something is signed.

Why: both are broken. Collisions are made in seconds, and a graphics card tries billions of passwords a second.

Example:

    hashlib.md5(password.encode()).hexdigest()
    hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1)   # for passwords
    hashlib.sha256(data).hexdigest()                                  # for everything else

`usedforsecurity=False` says that the digest protects nothing, and is believed.

What it cannot see: algorithms that a configuration chooses, and digests whose purpose no name in the function tells.
"""

import ast
from collections.abc import Iterator

from auditors.security.secret_words import mentions_secret
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="weak-hash",
    group="security",
    title="Broken hash function protects a secret",
    severity=Severity.MEDIUM,
    cwe=328,
    page=__doc__,
)

WEAK = frozenset({"md5", "md4", "md2", "sha1", "sha", "sha-1", "ripemd160"})
_CALLS = {
    "hashlib.md5": "MD5",
    "hashlib.sha1": "SHA-1",
    "Crypto.Hash.MD5.new": "MD5",
    "Crypto.Hash.SHA.new": "SHA-1",
    "Crypto.Hash.SHA1.new": "SHA-1",
    "cryptography.hazmat.primitives.hashes.MD5": "MD5",
    "cryptography.hazmat.primitives.hashes.SHA1": "SHA-1",
}


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Weak digests in functions that name a secret."""
    del project
    if module.test:
        return
    for call in module.nodes(ast.Call):
        algorithm = _algorithm(module, call)
        if algorithm is None or _declared_harmless(call) or not mentions_secret(module, call):
            continue
        yield module.claim(
            RULE,
            call,
            scenario=f"`{module.symbol(call) or module.path}` relies on {algorithm} to protect a secret; whoever gets the "
            "digest finds an input for it at the speed of a graphics card, or makes two inputs with one digest.",
            fix="Use hashlib.scrypt or argon2 for passwords, hashlib.sha256 or blake2b elsewhere; "
            "usedforsecurity=False when it protects nothing.",
            facts={"algorithm": algorithm},
        )


def _algorithm(module: Module, call: ast.Call) -> str | None:
    name = module.resolve(call.func)
    if name in _CALLS:
        return _CALLS[name]
    if name == "hashlib.new" and call.args:
        first = call.args[0]
        if isinstance(first, ast.Constant):
            return str(first.value).upper() if str(first.value).lower() in WEAK else None
        return "an algorithm chosen by a variable"
    return None


def _declared_harmless(call: ast.Call) -> bool:
    return any(
        k.arg == "usedforsecurity" and isinstance(k.value, ast.Constant) and not k.value.value for k in call.keywords
    )


CHECK = Check(rules=(RULE,), module=check)
