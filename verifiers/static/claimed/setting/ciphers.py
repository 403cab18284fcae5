"""Broken ciphers, hash functions and TLS settings: which is it, and what is it for? (327, 328, 326, 916, 757, 310, 759)"""

import ast
import re
from collections.abc import Iterator

from harness.source.module import Module
from verifiers.static.claimed.setting import secrets
from verifiers.static.claimed.setting.place import Scene, Sight
from verifiers.static.claimed.setting.words import PASSWORD, constant, texts
from verifiers.static.security.purpose import HASHED_SECRET, intended, made_up, secret_use

THING = "a cipher, hash function or TLS setting"
SLOW_THING = "a hash function"
_BROKEN = re.compile(r"(?:.*\.)?(?:md[245]|sha1?|ripemd(?:160)?)(?:\.new)?", re.IGNORECASE)
_FAST = re.compile(r"hashlib\.(?:sha\w+|blake2\w)|(?:.*\.)?Hash\.(?:SHA\w+|BLAKE\w+)\.new")
_SLOW = re.compile(
    r"(?:.*\.)?(?:pbkdf2_hmac|PBKDF2\w*|scrypt|Scrypt|bcrypt\.\w+|argon2\w*(?:\.\w+)*|generate_password_hash|check_password_hash"
    r"|make_password|check_password|PasswordHasher|CryptContext|hashpw|checkpw)"
)
_CIPHER = re.compile(
    r"(?:.*\.)?(?:Cipher\.)?(?:DES3?|ARC2|ARC4|Blowfish|CAST)\.new|(?:.*\.)?algorithms\.(?:ARC4|TripleDES|Blowfish|IDEA|CAST5|SEED)"
)
_MODE = re.compile(r"(?:.*\.)?(?:MODE_ECB|modes\.ECB)")
_OLD = re.compile(r"ssl\.(?:PROTOCOL_(?:SSLv2|SSLv3|TLSv1|TLSv1_1)|TLSVersion\.(?:SSLv3|TLSv1|TLSv1_1))")
_CLEARED = re.compile(r"ssl\.OP_NO_(?:SSLv2|SSLv3|COMPRESSION|TLSv1|TLSv1_1)|ssl\.OP_CIPHER_SERVER_PREFERENCE")
_CACHE = re.compile(r"etag|cache|checksum|fingerprint|dedup|avatar|gravatar", re.IGNORECASE)
_CRYPTOGRAPHY = frozenset(
    {"cryptography", "Crypto", "Cryptodome", "nacl", "ssl", "OpenSSL", "passlib", "hashlib", "hmac"}
)
_LOW_LEVEL = frozenset({"cryptography", "Crypto", "Cryptodome", "nacl"})
"""Where a call is a cipher of its own, so that a claim in its line is about it."""
_SIGNS = frozenset({"jwt.encode", "jwt.decode", "jose.jwt.encode", "jose.jwt.decode"})
_SOUND = re.compile(r"(?:HS|RS|ES|PS)(?:256|384|512)|EdDSA")
_CURRENT = re.compile(r"ssl\.(?:PROTOCOL_TLSv1_2|TLSVersion\.TLSv1_[23])")
STRENGTH = 326
"""The CWE that keys may be about as well."""
_NAMED = re.compile(r"crypt|cipher|(?:^|_)hash|obfuscat|scramble", re.IGNORECASE)
_SLOWNESS = frozenset({916, 759, 760})
"""CWEs of password hashes alone."""


def look(scene: Scene) -> Iterator[Sight]:
    """Every hash, cipher and TLS setting of the module."""
    for call in scene.module.nodes(ast.Call):
        yield from _call(scene, call)
    for _, function in scene.module.functions:
        if _NAMED.search(function.name):
            says = f"`{function.name}` is named after cryptography; what it does by itself does not show"
            yield Sight(scene.module.location(function), None, says, faint=True)
    if scene.cwe == STRENGTH:
        for sight in secrets.look(scene):
            yield Sight(sight.at, None, "a key stands here; whether it is long enough does not show", faint=True)
    if scene.cwe in _SLOWNESS:
        return
    for attribute in scene.module.nodes(ast.Attribute):
        yield from _constant(scene.module, attribute)
    for change in scene.module.nodes(ast.AugAssign):
        yield from _switched(scene.module, change)


def _call(scene: Scene, call: ast.Call) -> Iterator[Sight]:
    module = scene.module
    name = _algorithm(module, call)
    at = module.location(call)
    if _SLOW.fullmatch(name):
        yield Sight(at, False, f"`{name}` is made for passwords: slow and salted")
    elif _CIPHER.fullmatch(name):
        yield Sight(at, None if scene.cwe in _SLOWNESS else True, f"`{name}` is a broken or outdated cipher")
    elif _BROKEN.fullmatch(name) or _FAST.fullmatch(name):
        yield Sight(at, *_digest(scene, call, name))
    elif name in _SIGNS:
        yield from _signed(module, call)
    elif name.partition(".")[0] in _CRYPTOGRAPHY or _NAMED.search(name.rpartition(".")[2]):
        says = f"whether `{name}` is used as it should be is another question"
        yield Sight(at, None, says, faint=name.partition(".")[0] not in _LOW_LEVEL)


def _signed(module: Module, call: ast.Call) -> Iterator[Sight]:
    """A token: by no algorithm, by ones that are named and sound, or by what does not show."""
    given = [k.value for k in call.keywords if k.arg in {"algorithm", "algorithms"}]
    named = [constant(n) for g in given for n in ast.walk(g) if isinstance(n, ast.Constant)]
    if any((n or "none").lower() == "none" for n in named):
        yield Sight(module.location(call), True, "the token is signed by no algorithm, so that anybody writes one")
    elif named and all(_SOUND.fullmatch(n or "") for n in named):
        yield Sight(
            module.location(call), None, "the token is signed by a sound algorithm; its key is another question"
        )
    else:
        yield Sight(module.location(call), None, "by which algorithm the token is signed does not show", faint=True)


def _algorithm(module: Module, call: ast.Call) -> str:
    name = module.resolve(call.func) or ""
    if name == "hashlib.new" and call.args:
        return f"hashlib.{(constant(call.args[0]) or '?').lower()}"
    if name in {"hashlib.pbkdf2_hmac", "hashlib.scrypt"} or not name.startswith(module.name + ".") or not module.name:
        return name
    return ""


def _digest(scene: Scene, call: ast.Call, name: str) -> tuple[bool | None, str]:
    module = scene.module
    options = {k.arg: k.value for k in call.keywords}
    told = options.get("usedforsecurity")
    if isinstance(told, ast.Constant) and told.value is False:
        return False, "`usedforsecurity=False`: the digest protects nothing"
    if made_up(module, call):
        return False, "what is hashed is made up by a library of example data"
    if intended(module, call):
        return None, "its documentation says that it is weak and kept on purpose"
    broken = _BROKEN.fullmatch(name) is not None
    use = secret_use(module, call, HASHED_SECRET, backwards=True)
    password = use is not None and PASSWORD.search(use.word) is not None
    if not broken and scene.cwe not in _SLOWNESS:
        if use is not None:
            return None, f"`{name}` is not broken; whether it is slow enough for a password is another question"
        return False, f"`{name}` is no broken hash function"
    if scene.cwe in _SLOWNESS:
        if not password:
            return None, "whether it is a password that is hashed does not show"
        if scene.cwe != 916 and any("salt" in word.lower() for argument in call.args for word in texts(argument)):
            return False, "a salt goes into the digest"
    if use is None:
        return _unnamed(module, call)
    what = "is broken" if broken else "is fast, so that passwords are guessed by the billion"
    return True, f"a secret goes into `{name}`, which {what}: `{use.word[:50]}`"


def _unnamed(module: Module, call: ast.Call) -> tuple[bool | None, str]:
    around = module.enclosing_function(call)
    named = [*texts(around or module.statement(call)), *([around.name] if around else [])]
    if any(_CACHE.search(word) for word in named):
        return False, "the digest tells contents apart and protects nothing"
    return None, "nothing on the way of the digest says what it protects"


def _constant(module: Module, attribute: ast.Attribute) -> Iterator[Sight]:
    name = module.resolve(attribute) or ""
    if _OLD.fullmatch(name):
        yield Sight(module.location(attribute), True, f"`{name}` is a version of the protocol that is broken")
    elif _CURRENT.fullmatch(name):
        yield Sight(module.location(attribute), False, f"`{name}` is a sound version of the protocol")
    elif _MODE.fullmatch(name):
        yield Sight(module.location(attribute), True, f"`{name}` shows which blocks of the text are equal")


def _switched(module: Module, change: ast.AugAssign) -> Iterator[Sight]:
    """`context.options &= ~ssl.OP_NO_SSLv3`."""
    if not isinstance(change.op, ast.BitAnd) or "options" not in texts(change.target):
        return
    for part in ast.walk(change.value):
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Invert):
            named = [module.resolve(n) or "" for n in ast.walk(part.operand) if isinstance(n, ast.Attribute)]
            off = [n for n in named if _CLEARED.fullmatch(n)]
            if off:
                yield Sight(
                    module.location(change), True, f"`{off[0]}` is switched off, which protects connections by default"
                )
