"""JSON text that is readable, lossless and safe to print."""

import json
import re

from pydantic import JsonValue

_UNSAFE = re.compile(
    "[\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\u3164\ud800-\uf8ff"
    "\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f\U000e0100-\U000e01ef"
    "\U000f0000-\U000ffffd\U00100000-\U0010fffd]"
)
"""What `harness.files.displayable` would escape and `json.dumps` leaves as it is."""


def dumps(value: JsonValue, *, indent: int | None = 2) -> str:
    r"""JSON with keys in the order given; characters that steer terminals or deceive readers are `\u` escapes."""
    separators = (",", ": ") if indent else (",", ":")
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, allow_nan=False)
    return safe(text)


def safe(text: str) -> str:
    r"""JSON text with characters that steer or deceive as `\u` escapes; it means the same."""
    return text if text.isascii() and "\x7f" not in text else _UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1] if match.group() != "\x7f" else "\\u007f"
