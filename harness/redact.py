"""Takes credentials out of text before it is logged, stored, shown or sent."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

_SHAPES = re.compile(
    r"""(?ix)
    \b(?: sk-[a-z0-9_-]{8,} | [rs]k_live_[a-z0-9]{16,} | gh[pousr]_[a-z0-9]{20,} | github_pat_\w{20,} | glpat-[\w-]{16,}
        | xox[abprs]-[a-z0-9-]{8,} | AKIA[0-9A-Z]{16} | AIza[0-9a-z_-]{30,} | ya29\.[\w-]{20,} | npm_[a-z0-9]{30,}
        | hf_[a-z0-9]{30,} | pypi-AgE[\w-]{30,} | eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,} )
    | (?<=bearer\s)[a-z0-9._~+/=-]{8,}
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)
    | (?<=PRIVATE\ KEY-----)[0-9a-z+/=\s\\]{40,}
    """
)
_ASSIGNED = re.compile(
    r"""(?ix)
    ((?:password|passwd|secret|token|api_?key|access_?key|secret_?key|private_?key)["']?\s*[:=]\s*["'])
    (?=[^"'\s]*[0-9])(?=[^"'\s]*[a-z])[^"'\s]{12,}(?=["'])
    """
)
"""A literal of twelve characters or more, letters and digits, that is given to a name which says what it is."""
_TELLING = r"(?:password|passwd|passphrase|pwd|secret|token|api_?key|access_?key|secret_?key|private_?key|credentials?)"
_SHORTER = re.compile(
    rf"""(?ix)
    ({_TELLING}["']?\s*[:=]\s*["']) (?=[^"'\s]*[0-9])(?=[^"'\s]*[a-z]) [^"'\s{{}}$]{{8,}} (?=["'])
    """
)
_UNQUOTED = re.compile(
    rf"""(?imx)
    ^(\s*(?:\d+\s)?\s*(?:export\s+|set\s+|-\s+)?[\w.-]*{_TELLING}[ \t]*[=:][ \t]*)
    ([^\s"'$(){{}}\[\]<>,;#\\]{{8,}}) (?=\s*(?:\#.*)?$)
    """
)
"""A line of a `.env`, of YAML or of an ini file, also behind the number under which a model is shown it."""
_LITERAL = re.compile(r"""(?<=["'])[A-Za-z0-9+/_=-]{32,200}(?=["'])""")
BITS = 4.3
"""Of chance a character, by Shannon, from which a literal of letters of both cases and digits is taken for a secret. Of
random Base64 of 32 characters and more this finds about nineteen in twenty; hexadecimal has at most 4 bits and stays."""
REDACTED = "[redacted]"
_FILES = re.compile(
    r"(?i)\.env(?:\..+)?|.+\.env|\.?netrc|_netrc|\.pypirc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:pem|key|p12|pfx|jks|keystore)"
    r"|\.?(?:[\w-]+[._-])?(?:credentials?|secrets?|passwords?|passwd)(?:\.(?:ya?ml|json|toml|ini|cfg|conf|properties|xml|txt|[ct]sv|xlsx?|db))?"
    r"|\.htpasswd|\.git-credentials|service[_-]?account.*\.json"
)
_TEMPLATES = re.compile(r"(?i).*\.(?:example|sample|template|dist)")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without the given secrets (of four characters or more) and without anything shaped like a known credential."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, REDACTED)
    return _ASSIGNED.sub(rf"\1{REDACTED}", _SHAPES.sub(REDACTED, text))


def redact_outbound(text: str, secrets: Iterable[str] = ()) -> str:
    """As `redact`, for text on its way to a provider: also what only looks like a secret.

    Shorter passwords beside a name that says so, lines of settings, and long literals of chance whatever they are called.
    What is left alone: a secret of words or digits alone, one of less than 32 characters under a name that says nothing, and
    one without quotes that could be a name of code.
    """
    text = _SHORTER.sub(rf"\1{REDACTED}", redact(text, secrets))
    text = _UNQUOTED.sub(lambda m: m[1] + (REDACTED if _mixed(m[1], m[2]) else m[2]), text)
    return _LITERAL.sub(lambda m: REDACTED if _random(m[0]) else m[0], text)


def _mixed(name: str, value: str) -> bool:
    """Digits among letters, in what is no name that code could assign."""
    if name.endswith(" = ") and all(part.isidentifier() for part in value.split(".")):
        return False
    return re.search(r"[0-9].*[A-Za-z]|[A-Za-z].*[0-9].*[^\w.]|[^\w.:/-].*[0-9]", value) is not None


def _random(value: str) -> bool:
    if value.startswith(("sha256-", "sha384-", "sha512-")) or re.search("[a-z]{8}|[A-Z]{8}", value):
        return False
    if not all(re.search(kind, value) for kind in ("[a-z]", "[A-Z]", "[0-9]")):
        return False
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values()) >= BITS


def keeps_secrets(path: str) -> bool:
    """Whether a file of this name is where people keep credentials; a template of one (`.env.example`) is not."""
    name = PurePosixPath(path).name
    return _FILES.fullmatch(name) is not None and _TEMPLATES.fullmatch(name) is None
