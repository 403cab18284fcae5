"""Documents taken apart: code blocks, code spans, links and headings, with their lines. Markdown and reStructuredText.

Line-based and forgiving: what it does not understand it leaves out.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple


class Block(NamedTuple):
    """A code block."""

    language: str
    """As written, in lower case; `''` when none is given."""
    line: int
    """Number of its first content line."""
    lines: tuple[str, ...]
    """Content, dedented by the block's own indentation."""


class Span(NamedTuple):
    """A piece of code inside prose."""

    text: str
    line: int
    column: int
    role: str = ""
    """Sphinx role (`func`, `class`, ...), `''` for plain code."""


class Link(NamedTuple):
    """A link or image with its target as written."""

    target: str
    line: int
    column: int


class Document(NamedTuple):
    """One document taken apart."""

    path: str
    blocks: tuple[Block, ...]
    spans: tuple[Span, ...]
    links: tuple[Link, ...]
    headings: tuple[str, ...]
    """Texts of headings (Markdown only)."""
    ids: frozenset[str]
    """Explicit anchors."""


# The bounds keep the time linear on lines that open thousands of brackets and close none.
_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*\{?\.?([\w+#.-]*)[^`]*$")
_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)(.{1,300}?)(?<!`)\1(?!`)")
_ROLE = re.compile(r":(?:\w+:)?(func|meth|class|attr|mod|exc|data|obj|const|option|envvar|program|file):`([^`]+)`")
_LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]\[]{0,200}\]){0,500}\]\(\s*<?([^)\s>]{1,1000})>?(?:\s+[\"'(][^)]{0,500})?\)")
_DEFINITION = re.compile(r"^\s{0,3}\[[^\]^][^\]]*\]:\s+<?([^\s>]+)>?")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s|\[\^")
_ID = re.compile(r"""(?:\b(?:id|name)\s*=\s*["']([^"']+)["'])|\{#([\w.:-]+)[^}]*\}""")
_DIRECTIVE = re.compile(r"^(\s*)\.\. (?:code-block|code|sourcecode|highlight)::\s*([\w+#.-]*)")
_FILE_DIRECTIVE = re.compile(r"^\s*\.\. (?:include|image|figure|literalinclude)::\s*(\S+)\s*$")


def read(path: str, lines: list[str], language: str) -> Document:
    """The document, by its language (`markdown`, or anything else for reStructuredText and plain text)."""
    return _markdown(path, lines) if language == "markdown" else _rst(path, lines)


def _markdown(path: str, lines: list[str]) -> Document:
    blocks, prose = _fenced(lines)
    indented, prose = _set_off(prose)
    blocks = sorted([*blocks, *indented], key=lambda block: block.line)
    spans, links, headings, ids = [], [], [], set()
    for number, line in prose:
        text = re.sub(r"<!--.*?-->", lambda m: " " * len(m.group()), line)
        plain = _SPAN.sub(lambda m: " " * len(m.group()), text)
        spans += [Span(m.group(2).strip(), number, m.start(2) + 1) for m in _SPAN.finditer(text)]
        links += [Link(m.group(1), number, m.start(1) + 1) for m in _LINK.finditer(plain)]
        if definition := _DEFINITION.match(plain):
            links.append(Link(definition.group(1), number, definition.start(1) + 1))
        if heading := _HEADING.match(line):
            headings.append(heading.group(1))
        ids |= {a or b for a, b in _ID.findall(line)}
    for (_, above), (_, below) in pairwise(prose):
        if re.fullmatch(r"\s{0,3}(?:=+|-{2,})\s*", below) and above.strip():
            headings.append(above.strip())
    return Document(path, tuple(blocks), tuple(spans), tuple(links), tuple(headings), frozenset(ids))


def _fenced(lines: list[str]) -> tuple[list[Block], list[tuple[int, str]]]:
    """Fenced blocks, and the numbered lines outside of them and of comments."""
    blocks: list[Block] = []
    prose: list[tuple[int, str]] = []
    at, comment = 0, False
    while at < len(lines):
        line = lines[at]
        fence = None if comment else _FENCE.match(line)
        if fence is None:
            if not comment and "<!--" in line and "-->" not in line.split("<!--")[-1]:
                comment = True
            elif comment and "-->" in line:
                comment = False
            elif not comment:
                prose.append((at + 1, line))
            at += 1
            continue
        indent, mark, language = fence.groups()
        first = at + 1
        at += 1
        while at < len(lines) and not re.fullmatch(rf"\s*{re.escape(mark[0])}{{{len(mark)},}}\s*", lines[at]):
            at += 1
        content = tuple(text[len(indent) :] if text.startswith(indent) else text.lstrip() for text in lines[first:at])
        blocks.append(Block(language.lower(), first + 1, content))
        at += 1
    return blocks, prose


def _set_off(prose: list[tuple[int, str]]) -> tuple[list[Block], list[tuple[int, str]]]:
    """Blocks that four spaces make, and the lines that are left. Below a list item such lines are taken for its text."""
    blocks: list[Block] = []
    left: list[tuple[int, str]] = []
    at, listed = 0, False
    while at < len(prose):
        number, line = prose[at]
        after_blank = not left or not left[-1][1].strip() or left[-1][0] != number - 1
        if not (line.startswith("    ") and line.strip() and after_blank and not listed):
            left.append(prose[at])
            if line.strip() and not line.startswith((" ", "\t")):
                listed = bool(_ITEM.match(line))
            at += 1
            continue
        content: list[str] = []
        while at < len(prose) and prose[at][0] == number + len(content):
            text = prose[at][1]
            if text.strip() and not text.startswith("    "):
                break
            content.append(text[4:])
            at += 1
        while not content[-1].strip():
            content.pop()
        blocks.append(Block("", number, tuple(content)))
    return blocks, left


def _rst(path: str, lines: list[str]) -> Document:
    blocks, spans, links = [], [], []
    inside = set()
    for block, covered in _indented(lines):
        blocks.append(block)
        inside |= covered
    for number, line in enumerate(lines, 1):
        if number in inside:
            continue
        roles = list(_ROLE.finditer(line))
        spans += [Span(_role_target(m.group(2)), number, m.start(2) + 1, m.group(1)) for m in roles]
        spans += [Span(m.group(1), number, m.start(1) + 1) for m in re.finditer(r"``([^`]+)``", line)]
        if file := _FILE_DIRECTIVE.match(line):
            links.append(Link(file.group(1), number, file.start(1) + 1))
    return Document(path, tuple(blocks), tuple(spans), tuple(links), (), frozenset())


def _role_target(text: str) -> str:
    explicit = re.search(r"<([^>]+)>\s*$", text)
    return (explicit.group(1) if explicit else text).lstrip("~!.").strip()


def _indented(lines: list[str]) -> Iterator[tuple[Block, set[int]]]:
    """Blocks under code directives, with the numbers of the lines they cover."""
    at = 0
    while at < len(lines):
        directive = _DIRECTIVE.match(lines[at])
        at += 1
        if directive is None or "highlight::" in lines[at - 1]:
            continue
        margin = len(directive.group(1))
        start = at
        while at < len(lines) and (not lines[at].strip() or len(lines[at]) - len(lines[at].lstrip()) > margin):
            at += 1
        body = lines[start:at]
        skipped = 0
        while skipped < len(body) and (not body[skipped].strip() or re.match(r"\s*:[\w-]+:", body[skipped])):
            skipped += 1
        content = body[skipped:]
        while content and not content[-1].strip():
            content.pop()
        if content:
            indent = min(len(t) - len(t.lstrip()) for t in content if t.strip())
            block = Block(directive.group(2).lower(), start + skipped + 1, tuple(t[indent:] for t in content))
            yield block, set(range(start + 1, at + 1))
