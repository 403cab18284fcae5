"""Texts that are secrets by their form, whatever they are called: addresses with a password, private keys, tokens."""

import ast
import re
from collections.abc import Iterator

from harness.source.module import Module
from verifiers.static.claimed.setting.place import Scene, Sight
from verifiers.static.claimed.setting.words import DEVELOPMENT, SECRET, is_made_up, is_placeholder, last_name
from verifiers.static.reading import comments

ADDRESS = re.compile(r"\b[\w+.-]+://[^\s/:@{}]+:(?P<password>[^\s/:@{}]+)@(?P<host>[\w.-]+)")
_LOCAL = re.compile(r"localhost|127\.0\.0\.1|db|postgres|mysql|redis|host")
_PEM = re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----")
_ISSUED = re.compile(
    r"(?:AKIA|ASIA)[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{36,}|sk_live_[A-Za-z0-9]{16,}|xox[abpr]-[A-Za-z0-9-]{20,}"
)
LONG_TEXT = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[A-Za-z0-9+=_.!#$%^&*-]{20,}(?<!\.\w\w)(?<!\.\w\w\w)")
"""What a key or token may look like; no address and no name of a file."""
_KEYED = re.compile(
    r"hmac\.new|(?:.*\.)?Fernet|(?:.*\.)?(?:AES|DES3?|ARC4|Blowfish)\.new|itsdangerous\.(?:\w+\.)*\w*(?:Serializer|Signer)"
)
_TOLD = re.compile(r"(?:passw\w*|secret\w*|token|api.?key|credentials?)\b.{0,12}?(?:=|:|->|is)\s*\S{4,}", re.IGNORECASE)


def look(scene: Scene) -> Iterator[Sight]:
    """Texts of the module that are secrets by their form, or may be."""
    module = scene.module
    example = DEVELOPMENT.search(module.path) is not None
    for text in module.nodes(ast.Constant):
        value = text.value.decode("latin-1") if isinstance(text.value, bytes) else text.value
        for bad, says in _formed(value) if isinstance(value, str) else ():
            yield Sight(module.location(text), None if example else bad, says, faint=bad is None)
    for call in module.nodes(ast.Call):
        given = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "key"), None)
        if _KEYED.fullmatch(module.resolve(call.func) or "") and isinstance(given, ast.Constant) and given.value:
            says = f"`{ast.unparse(call.func)}` is given a key of the source"
            yield Sight(module.location(call), None if example else True, says)
    for node, says in (*_handed_on(module), *_named(module)):
        yield Sight(module.location(node), None, says, faint=True)
    for line, comment in comments(module).items():
        if _TOLD.search(comment):
            at = scene.location.model_copy(update={"line": line, "end_line": line, "column": 1, "end_column": None})
            yield Sight(at, None, "a comment speaks of a secret; whether it opens anything does not show", faint=True)


def _handed_on(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """What a request is authorised with, written out."""
    for call in module.nodes(ast.Call):
        for keyword in call.keywords:
            pair = keyword.value.elts if keyword.arg == "auth" and isinstance(keyword.value, ast.Tuple) else []
            if pair and all(isinstance(e, ast.Constant) for e in pair):
                yield keyword.value, "a name and a password are handed on from the source"
    for table in module.nodes(ast.Dict):
        for key, entry in zip(table.keys, table.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "Authorization" and isinstance(entry, ast.Constant):
                yield entry, "a header that lets somebody in is written out; to what does not show"


def _named(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Texts, also put together ones, under a name that speaks of a secret."""
    for assign in module.nodes(ast.Assign):
        secret = any(SECRET.search(last_name(target)) for target in assign.targets)
        if secret and isinstance(assign.value, ast.Constant | ast.JoinedStr | ast.BinOp):
            yield assign, "what is named after a secret is set here; whether it is one does not show"


def _formed(text: str) -> Iterator[tuple[bool | None, str]]:
    address = ADDRESS.search(text)
    if address is not None:
        real = not (is_placeholder(address["password"]) or is_made_up(text) or _LOCAL.fullmatch(address["host"]))
        yield True if real else None, f"the address of `{address['host']}` holds a password"
    elif _PEM.search(text):
        yield True if len(text) > 100 else None, "a private key stands in the source"
    elif _ISSUED.search(text):
        yield None if is_made_up(text) else True, "a key in the form that a provider issues stands in the source"
    elif LONG_TEXT.fullmatch(text):
        yield None, "a long text of letters and digits stands here; whether it opens anything does not show"
