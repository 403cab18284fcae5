"""Markdown in which text from outside shows as itself: no link, image, mention, HTML, heading or closing fence of its own.

Every ASCII punctuation character is escaped; words that a forge would turn into links or mentions stand in code spans,
where nothing is turned into anything. Parts that were already between backticks stay code.
"""

import html
import re
from typing import NamedTuple

from harness.files import displayable

_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_ACTIVE = re.compile(r"@|://|\bwww\.|(?:^|\W)#\d|\bGH-\d|\bjavascript:|\bmailto:", re.IGNORECASE)
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_HARMLESS = frozenset(",;'\"/?%$=.:()")
"""Punctuation that means nothing in Markdown once brackets and angle brackets are escaped."""


class Part(NamedTuple):
    """A piece of a sentence."""

    code: bool
    """Whether it stood between backticks."""
    text: str
    """The piece, without them."""


def parts(text: str) -> list[Part]:
    """A sentence taken apart at its code spans; white space is collapsed, odd characters are escaped."""
    text = " ".join(displayable(text).split())
    found = []
    last = 0
    for match in _CODE.finditer(text):
        found += [Part(False, text[last : match.start()]), Part(True, match.group(2))]
        last = match.end()
    return [part for part in (*found, Part(False, text[last:])) if part.text]


def is_sentence(text: str) -> bool:
    """Whether a proposed change is a sentence rather than code."""
    return "\n" not in text.strip() and ("`" in text or text.rstrip().endswith("."))


def prose(text: str) -> str:
    """A paragraph, on one line."""
    shown = ""
    for part in parts(text):
        piece = code(part.text) if part.code else _words(part.text)
        # Two spans that touch would become one, with what was inside them outside.
        shown += f" {piece}" if shown.endswith("`") and piece.startswith("`") else piece
    return shown


def code(text: str) -> str:
    """An inline code span; empty for empty text."""
    text = " ".join(displayable(text).split())
    if not text:
        return ""
    fence = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def cell(markdown: str) -> str:
    """Inert Markdown for a cell of a table."""
    return markdown.replace("\\|", "|").replace("|", "\\|")


def block(lines: list[str], language: str = "") -> str:
    """A fenced block of lines that are already displayable; its fence is longer than any run of backticks inside."""
    fence = "`" * max(3, _longest_run("\n".join(lines)) + 1)
    return "\n".join([f"{fence}{language}", *lines, fence])


def tag(text: str) -> str:
    """Text for a raw HTML element, in `<code>`, where forges look for no mention."""
    return f"<code>{html.escape(displayable(text, keep=''))}</code>"


def _words(text: str) -> str:
    return " ".join(code(word) if _ACTIVE.search(word) else _escaped(word) for word in text.split(" "))


def _escaped(word: str) -> str:
    return _PUNCTUATION.sub(lambda m: m[1] if m[1] in _HARMLESS else f"\\{m[1]}", word)


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
