"""Names that say what a value is, and texts that are no real secret."""

import ast
import re

from verifiers.static.reading import words

SECRET = re.compile(
    r"secret|passw|passphrase|passcode|(?:^|_)pass$|(?:^|_)pwd|token|credential|api_?key|(?:access|private|signing|encryption|session|jwt|hmac"
    r"|cookie)_?key",
    re.IGNORECASE,
)
"""Names of values that let somebody in or sign something."""
PASSWORD = re.compile(r"passw|passphrase|passcode|(?:^|_)pass$|(?:^|_)pwd", re.IGNORECASE)
"""Names of passwords."""
ABOUT = re.compile(
    r"_?(?:file|path|url|uri|name|header|field|id|env|prefix|type|algorithm|expir\w*|ttl|len\w*|size|hash\w*|param\w*|label|hint|help"
    r"|form|view|page|template|link|reset|regex|pattern|policy|validat\w*|min|max|error\w*|message\w*|count|context|storage|hasher\w*)\W*$",
    re.IGNORECASE,
)
"""Endings of names that say something about a secret."""
FRAMEWORK_KEY = re.compile(r"(?:jwt_?|flask_?|session_?|signing_?)?secret_?key", re.IGNORECASE)
"""Names under which frameworks look for the key that signs sessions."""
_PASSWORDS = frozenset({"password", "passwd", "passphrase", "passcode", "pass", "pwd", "passwort"})
_KEYS = frozenset({"secret", "token", "credential", "credentials", "apikey"})
_OPENS = frozenset(
    {"api", "secret", "access", "private", "signing", "encryption", "session", "jwt", "hmac", "cookie", "master"}
)
DEVELOPMENT = re.compile(
    r"(?:^|[/_.-])(?:dev|devel|development|local|test|testing|tests|example|examples|sample|samples|demo|docs|ci|fixtures?)(?:[/_.-]|$)"
)
"""Paths of files that no installation uses."""
_MADE_UP = re.compile(
    r"^(?:test|dummy|fake|sample|example)|(?:^|[\W_])(?:test|example|placeholder|dummy)(?:$|[\W_])|x{4,}|\*{3,}|\.{3}",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"change[-_ ]?(?:me|this|it)|replace[-_ ]?(?:me|this)|^(?:your|my|the|some|insert)[-_ ].*|.*(?:[-_ ]here)$"
    r"|^x{3,}$|^\*{3,}|^\.{3}"
    r"|^<.*>$|^\$\{?\w+\}?$|^\{\{.*\}\}$|^%\(?\w+\)?s?%?$|^__\w+__$|^(?:todo|tbd|none|null|true|false|required|optional|unset|empty|missing)$",
    re.IGNORECASE,
)
_DIGEST = re.compile(
    r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})|\$(?:2[aby]|argon2\w*|5|6|y)\$.*|pbkdf2.*\$.*"
    r"|scrypt:.*"
)
SHORTEST = 3
LONG = 12
"""Characters of the shortest keys and tokens."""


def credential(name: str) -> str:
    """`password` or `key` where the last word of a name says that the value is one, '' for names about something else.

    `db_password` is one; `PasswordChange`, `token_source` and `tokenizer` are not.
    """
    found = words(name)
    last = found[-1].rstrip("0123456789") if found else ""
    if last in _PASSWORDS:
        return "password"
    if last in _KEYS or (last == "key" and len(found) > 1 and not _OPENS.isdisjoint(found[:-1])):
        return "key"
    return ""


def opens(name: str, text: str) -> bool:
    """Whether a text may be the credential that its name says, and not an identifier, a caption or the name of a field.

    A password may be any word; a key or token is long, and mixes letters with digits.
    """
    if re.search(r"\s|^(?:/|https?:)", text) or set(words(text)) <= set(words(name)):
        return False
    if credential(name) == "password":
        return True
    return len(text) >= LONG and re.search(r"\d", text) is not None and re.search(r"[A-Za-z]", text) is not None


def is_placeholder(text: str) -> bool:
    """`<your key>`, `${KEY}`, `change-me`, `__KEY__`: something to be filled in."""
    return len(text) < SHORTEST or len(set(text)) == 1 or _PLACEHOLDER.search(text) is not None


def is_made_up(text: str) -> bool:
    """A text that calls itself a test's or an example's."""
    return _MADE_UP.search(text) is not None


def is_digest(text: str) -> bool:
    """The form of a hash: whoever reads it does not have the password yet."""
    return _DIGEST.fullmatch(text) is not None


def last_name(node: ast.AST | None) -> str:
    """`password` of `password`, `form.password`, `form["password"]` and `form.get("password")`; '' for anything else."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return key
        case ast.Call(func=ast.Attribute(attr="get" | "pop" | "getlist"), args=[ast.Constant(value=str() as key), *_]):
            return key
        case ast.Await():
            return last_name(node.value)
    return ""


def texts(node: ast.AST) -> list[str]:
    """Names and short texts below `node`."""
    found: list[str] = []
    for part in ast.walk(node):
        match part:
            case ast.Name():
                found.append(part.id)
            case ast.Attribute():
                found.append(part.attr)
            case ast.Constant(value=str() as text) if len(text) < 120:
                found.append(text)
    return found


def constant(node: ast.AST | None) -> str | None:
    """The text of a constant."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
