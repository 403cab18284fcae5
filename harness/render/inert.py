"""Markdown in which text from outside shows as itself: no link, image, mention, HTML, heading or closing fence of its own.

Every ASCII punctuation character is escaped; words that a forge would turn into links or mentions stand in code spans,
where nothing is turned into anything. Parts that were already between backticks stay code.
"""

import html
import re

from harness.files import displayable

_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_ACTIVE = re.compile(r"@|://|\bwww\.|(?:^|\W)#\d|\bGH-\d|\bjavascript:|\bmailto:", re.IGNORECASE)
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_HARMLESS = frozenset(",;'\"/?%$=.:()")
"""Punctuation that means nothing in Markdown once brackets and angle brackets are escaped."""


def prose(text: str) -> str:
    """A paragraph, on one line."""
    text = " ".join(displayable(text).split())
    shown = ""
    last = 0
    for match in _CODE.finditer(text):
        for part in (_words(text[last : match.start()]), code(match.group(2))):
            # Two spans that touch would become one, with what was inside them outside.
            shown += f" {part}" if shown.endswith("`") and part.startswith("`") else part
        last = match.end()
    rest = _words(text[last:])
    return shown + (f" {rest}" if shown.endswith("`") and rest.startswith("`") else rest)


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
