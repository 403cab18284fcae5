"""Takes credentials out of text before it is logged, stored, shown or sent."""

import re
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
REDACTED = "[redacted]"
_FILES = re.compile(
    r"(?i)\.env(?:\..+)?|.+\.env|\.?netrc|_netrc|\.pypirc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:pem|key|p12|pfx|jks|keystore)"
)
_TEMPLATES = re.compile(r"(?i).*\.(?:example|sample|template|dist)")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without the given secrets (of four characters or more) and without anything shaped like a known credential."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, REDACTED)
    return _ASSIGNED.sub(rf"\1{REDACTED}", _SHAPES.sub(REDACTED, text))


def keeps_secrets(path: str) -> bool:
    """Whether a file of this name is where people keep credentials; a template of one (`.env.example`) is not."""
    name = PurePosixPath(path).name
    return _FILES.fullmatch(name) is not None and _TEMPLATES.fullmatch(name) is None
