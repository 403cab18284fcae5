"""Text of a repository that tells whoever reviews it to look away, in words or hidden from people.

A model that reads such text may obey it, and what it does not report afterwards says nothing. So whoever asks models must
know where it stands. Precise before complete: an address or a strong phrase is needed, not the word "reviewer" alone.

Not seen: what is split over several strings, enciphered, drawn in an image, or told in a language without a table here.
"""

import bisect
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from harness.source.phrases import LINE, STEMS, STRONG, VOICES
from harness.source.plain import plain
from harness.source.project import Project
from harness.source.spans import Kind, kinds

LANGUAGES = (
    "python", "javascript", "typescript", "css", "html", "markdown", "rst", "text", "toml", "yaml", "ini", "shell",
    "dockerfile", "make", "json", "sql",
)  # fmt: skip
REACH = 200
"""Characters behind an address within which it must say what to do."""

_MARGIN = re.compile(r"^\s*(?:\d{1,6} )?\s*(?:#+:?|//+|/\*+|\*+/?|<!--|--|;+|>+|%+|\"\"\"|''')?\s*")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f")
"""The flags of regions of a country are written with tag characters."""
_TAGS = re.compile("[\U000e0001-\U000e007f]")
_HIDDEN = re.compile("[\u200b-\u200d\u2060-\u2064\u180e\ufeff]{8,}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_ESCAPED_TAG = re.compile(r"\\U000e00[0-7][0-9a-f]")

How = Literal["words", "tag characters", "bidirectional controls", "invisible characters"]


class Address(NamedTuple):
    """One place that speaks to a reviewer."""

    line: int
    """From 1; of text in several lines, the one in which the address begins."""
    how: How
    """In words that can be read, or with characters that nobody sees."""
    end: int
    """Last line of what is said."""


def addresses(lines: Sequence[str]) -> list[Address]:
    """Places in a text, by line; one a line and way."""
    found = {Address(n, how, n) for n, line in enumerate(lines, 1) if not line.isascii() for how in _hidden(line)}
    for first, last in sorted(_spoken(lines)):
        if not any(one.how != "bidirectional controls" and one.line <= first <= one.end for one in found):
            found.add(Address(first, "words", last))
    return sorted(found)


def addresses_in(project: Project, path: str) -> list[tuple[Address, Kind]]:
    """Places in one file, each with what holds it.

    Left out: strings of test code, which are what a test feeds to the code under test; examples in documents; and
    bidirectional controls in Python and in tests, which bandit reports and which models are shown escaped.
    """
    entry = project.entries.get(path)
    if entry is None or entry.language not in LANGUAGES:
        return []
    lines = project.lines(path)
    found = addresses(lines)
    if not found:
        return []
    held = kinds(entry.language, lines)
    pairs: list[tuple[Address, Kind]] = []
    for one in found:
        if one.how == "bidirectional controls" and (entry.test or entry.language == "python"):
            continue
        kind = held.get(one.line, "code") if one.how == "words" else "text"
        if kind not in ("code", "example") and not (kind == "string" and entry.test):
            pairs.append((one, kind))
    return pairs


def _hidden(line: str) -> Iterator[How]:
    if _TAGS.search(_FLAG.sub("", line)):
        yield "tag characters"
    if _BIDI.search(line):
        yield "bidirectional controls"
    if _HIDDEN.search(line):
        yield "invisible characters"


def _spoken(lines: Sequence[str]) -> set[tuple[int, int]]:
    """(first line, last line) of each address in words."""
    parts: list[str] = []
    starts: list[int] = []
    size = 0
    for line in lines:
        # An empty line, or one with a mark of a comment and nothing else, ends a paragraph.
        part = _MARGIN.sub("", plain(line), count=1).rstrip() or "\n"
        parts.append(part)
        starts.append(size)
        size += len(part) + 1
    text = LINE.join(parts)
    words = text.replace(LINE, " ")
    if not any(stem in words for stem in STEMS):
        return set()
    at = [match.span() for phrase in STRONG for match in phrase.finditer(text)]
    for called, told in VOICES:
        for match in called.finditer(text):
            behind = text[match.end() : match.end() + REACH].split("\n", 1)[0]
            order = told.search(behind.lstrip())
            if order:
                at.append((match.end() - 1, match.end() + len(behind) - len(behind.lstrip()) + order.end()))
    return {(bisect.bisect_right(starts, begin), bisect.bisect_right(starts, end - 1)) for begin, end in at}
