"""Takes credentials out of text before it is logged, stored, shown or sent."""

import re
from collections.abc import Iterable

_SHAPES = re.compile(
    r"""(?ix)
    \b(?: sk-[a-z0-9_-]{8,} | gh[pousr]_[a-z0-9]{20,} | xox[abpr]-[a-z0-9-]{8,} | AKIA[0-9A-Z]{16} | AIza[0-9a-z_-]{30,} )
    | (?<=bearer\s)[a-z0-9._~+/=-]{8,}
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)
    """
)
REDACTED = "[redacted]"


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without the given secrets (of four characters or more) and without anything shaped like a known credential."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, REDACTED)
    return _SHAPES.sub(REDACTED, text)
