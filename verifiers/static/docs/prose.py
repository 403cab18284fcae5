"""A document read again by a CommonMark parser, and the paragraph around a place: is this about the project as it is now?"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.project import Project

_OTHER_TIMES = re.compile(
    r"\b(?:should|shall|will be|let's|remov|renam|deprecat|no longer|used to|former|previous|legacy|obsolete|older|before|replac|"
    r"instead of|moved|dropped|was called|versionchanged|versionadded|backward|histor|planned|future|roadmap|propos|would|could|"
    r"might|imagin|suppose|hypothe|fictional|create|generat|produc|written to|output|ignored|optional)",
    re.IGNORECASE,
)


class Heading(NamedTuple):
    """A heading as the parser sees it."""

    text: str
    line: int


def tokens(text: str) -> list[Token]:
    """The document's block tokens; inline ones have children."""
    return MarkdownIt("commonmark").enable("table").parse(text)


def links(text: str) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, target) of every link and image that is one for the parser; lines of its block, from 1."""
    for token in tokens(text):
        if token.type == "inline" and token.map:
            for child in token.children or []:
                target = child.attrGet("href") or child.attrGet("src")
                if child.type in {"link_open", "image"} and isinstance(target, str):
                    yield token.map[0] + 1, token.map[1], target


def headings(text: str) -> list[Heading]:
    """Headings with the text that a reader sees."""
    found = []
    stream = tokens(text)
    for at, token in enumerate(stream):
        if token.type == "heading_open" and token.map and stream[at + 1].type == "inline":
            words = "".join(c.content for c in stream[at + 1].children or [] if c.type in {"text", "code_inline"})
            found.append(Heading(words, token.map[0] + 1))
    return found


def other_times(finding: Finding, project: Project) -> Location | None:
    """A line near the finding that says the passage is not about the project as it is; None when none does."""
    lines = project.lines(finding.path)
    first = last = finding.line - 1
    while first > 0 and lines[first - 1].strip() and finding.line - first < 12:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip() and last - finding.line < 6:
        last += 1
    for number in (*range(first, last + 1), *range(max(0, first - 3), first)):
        if _OTHER_TIMES.search(lines[number]):
            return Location(path=finding.path, line=number + 1, end_line=number + 1)
    return None


def first_line(project: Project, pattern: re.Pattern[str], *languages: str, having: str = "") -> Location | None:
    """The first line of files in these languages that matches; files without the text `having` are passed over quickly."""
    raw = having.encode()
    for path in project.paths(*languages, test=None):
        if raw and raw not in project.read_bytes(path):
            continue
        text = project.text(path)
        match = pattern.search(text)
        if match:
            line = text.count("\n", 0, match.start()) + 1
            return Location(path=path, line=line, end_line=line)
    return None
