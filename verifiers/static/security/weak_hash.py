"""weak-hash: which algorithm is it really, and does the digest protect anything?"""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.security.observe import constants, observed
from verifiers.static.security.purpose import HASHED_SECRET, intended, made_up, secret_use

_STRONG = frozenset({"sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512", "blake2b", "blake2s", "sha3_384"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses strong algorithms, digests declared harmless and dead code; confirms where the way names a secret."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    at = (module.location(call),)
    seen = observed(module, call, project)
    if seen is not None and not seen:
        return falls("the call is never reached", kind="unreachable", at=at)
    name = module.resolve(call.func) or ""
    if name == "hashlib.new":
        found = [constants(s.arguments[0]) for s in seen or () if s.arguments]
        known = {str(v).lower() for values in found if values is not None for v in values}
        if None in found or not found:
            return cannot_tell("the name of the algorithm is not known")
        if known <= _STRONG:
            return falls(f"the algorithm is {', '.join(sorted(known))}", kind="constant", at=at)
        if known & _STRONG:
            return cannot_tell("the algorithm is weak on some ways only")
    elif name.rpartition(".")[2] not in {"md5", "sha1", "new", "MD5", "SHA1"}:
        if finding.cwe == 916 or secret_use(module, call, HASHED_SECRET, backwards=True) is not None:
            return cannot_tell(
                "the function is not broken; whether it is slow enough for a password is another question"
            )
        return falls(f"`{name}` is no weak hash function", kind="definition", at=at)
    for arrival in seen or ():
        values = constants(arrival.keywords["usedforsecurity"]) if "usedforsecurity" in arrival.keywords else None
        if values is not None and not any(values):
            return falls("`usedforsecurity=False`: the digest protects nothing", kind="constant", at=at)
    if made_up(module, call):
        return falls("what is hashed is made up by a library of example data", kind="constant", at=at)
    if intended(module, call):
        return cannot_tell("its documentation says that it is weak and kept on purpose")
    use = secret_use(module, call, HASHED_SECRET, backwards=True)
    if use is None:
        return cannot_tell("nothing on the way of the digest says what it protects")
    where = module.location(use.node)
    return stands(f"the digest is about a secret: `{use.word[:60]}`", kind="flow", at=(*at, where))
