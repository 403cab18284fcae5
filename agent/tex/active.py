"""What a finished PDF would do on the machine of a reader: start programs, run scripts, carry files, send forms.

It looks at the objects of the PDF, so it does not matter which command of TeX wrote them. Links to the web are no matter of
it, nor the place at which a document opens.
"""

import re
import zlib

_STREAM = re.compile(
    rb"(?P<head><<(?:(?!>>\s*stream)(?!endobj).)*>>)\s*stream\r?\n(?P<content>.*?)endstream", re.DOTALL
)
_ACTIVE = re.compile(
    rb"/(Launch|JavaScript|JS|EmbeddedFiles?|RichMedia|XFA|SubmitForm|ImportData|GoToE|Movie|Sound|Rendition)"
    rb"(?![A-Za-z0-9_.+-])"
)
_SCRIPT = re.compile(rb"/URI\s*\(\s*(javascript):", re.IGNORECASE)
_STRING = re.compile(rb"\((?:\\.|[^()\\])*\)", re.DOTALL)
_ESCAPED = re.compile(rb"#([0-9A-Fa-f]{2})")
_MOST = 64 << 20


def active_in(pdf: bytes) -> tuple[str, ...]:
    """Names of what acts, sorted; empty for a PDF that is only read."""
    parts: list[bytes] = []

    def aside(found: re.Match[bytes]) -> bytes:
        if b"/ObjStm" in found["head"]:
            try:
                parts.append(zlib.decompressobj().decompress(found["content"], _MOST))
            except zlib.error:
                parts.append(found["content"])
        return found["head"]

    parts.append(_STREAM.sub(aside, pdf))
    names = [_ESCAPED.sub(lambda m: bytes.fromhex(m[1].decode()), _without_strings(part)) for part in parts]
    found = [m for part in parts for m in _SCRIPT.finditer(part)] + [
        m for part in names for m in _ACTIVE.finditer(part)
    ]
    return tuple(sorted({m[1].decode() for m in found}))


def _without_strings(part: bytes) -> bytes:
    """Addresses and titles are no names of the PDF; brackets inside of them may nest."""
    for _ in range(8):
        part, changed = _STRING.subn(b" ", part)
        if not changed:
            break
    return part
