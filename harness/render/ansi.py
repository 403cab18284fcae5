"""The few styles of terminal output; whether to use them is decided in `harness.terminal`.

Styles are put around text that has already been made displayable, so no text of a finding can bring its own.
"""

import re
import textwrap
import unicodedata
from typing import NamedTuple

_STYLES = {
    "bold": "1",
    "dim": "2",
    "high": "1;31",
    "medium": "1;33",
    "low": "1;36",
    "good": "32",
    "bad": "31",
    "mark": "1;31",
    "place": "1",
}
_SEQUENCE = re.compile("\x1b\\[[0-9;]*m")


class Paint(NamedTuple):
    """Puts styles around text, or leaves it alone."""

    color: bool

    def __call__(self, style: str, text: str) -> str:
        """`text` in a style of the table; unchanged without colour or text."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.color and text else text


def columns(text: str) -> int:
    """Terminal columns that a line takes: two for wide characters, none for combining ones and for our own styles."""
    plain = _SEQUENCE.sub("", text)
    if plain.isascii():
        return len(plain)
    return sum(_width(c) for c in plain)


def _width(c: str) -> int:
    if unicodedata.combining(c):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def wrap(text: str, width: int, indent: str) -> list[str]:
    """`text` as indented lines of at most `width` columns where words allow; white space is collapsed."""
    room = max(width - len(indent), 20)
    lines = []
    if text.isascii():
        lines = textwrap.wrap(" ".join(text.split()), room, break_long_words=False, break_on_hyphens=False)
    else:
        current = ""
        for word in text.split():
            if current and columns(current) + 1 + columns(word) > room:
                lines.append(current)
                current = word
            else:
                current = f"{current} {word}" if current else word
        lines += [current] if current else []
    return [indent + line for line in lines]
