r"""Inline suppressions: `# harness: ignore[RULE] reason` in a comment, in the comment style of the file.

The rule and the reason are required; there is no blanket form. A comment behind code speaks for the finding whose lines
hold it; a comment alone on its line speaks for the next line of code. In Python a line is a logical one: the whole of a
statement that is broken over lines, and a function or class with its decorators. Text in strings is no comment.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

from harness.source.project import Project

MARK = b"harness:"
_DIRECTIVE = re.compile(
    r"(?:^|[#/*;%-]\s*)harness:\s*ignore\b\s*(?P<list>\[(?P<rules>[^\]]*)\])?(?P<reason>.*)", re.DOTALL
)
_QUOTED = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
_HASH = re.compile(rf"(?:\"\"\".*?\"\"\"|'''.*?'''|{_QUOTED})|(?<!\S)#(?P<line>[^\n]*)", re.DOTALL)
_SLASHES = re.compile(rf"{_QUOTED}|`(?:\\.|[^`\\])*`|//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/", re.DOTALL)
_MARKUP = re.compile(r"<!--(?P<block>.*?)-->|\{#(?P<line>.*?)#\}", re.DOTALL)
_SQL = re.compile(r"'(?:''|[^'])*'|--(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/", re.DOTALL)
_PERCENT = re.compile(r"\\%|%(?P<line>[^\n]*)")
_INI = re.compile(r"^[ \t]*[#;](?P<line>[^\n]*)", re.MULTILINE)
_STYLES = {
    "python": _HASH, "yaml": _HASH, "toml": _HASH, "shell": _HASH, "dockerfile": _HASH, "make": _HASH, "ini": _INI,
    "javascript": _SLASHES, "typescript": _SLASHES, "css": _SLASHES, "html": _MARKUP, "xml": _MARKUP, "markdown": _MARKUP,
    "sql": _SQL, "latex": _PERCENT,
}  # fmt: skip


_LAYOUT = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


class Comment(NamedTuple):
    """One comment."""

    line: int
    """Its first line."""
    text: str
    """What stands between the marks of the comment."""
    alone: bool
    """Whether nothing but white space stands before it on its line."""


class Suppression(NamedTuple):
    """One well-formed `harness: ignore`."""

    path: str
    """File."""
    line: int
    """Line of the comment."""
    target: int
    """First line that it speaks for."""
    last: int
    """Last line that it speaks for."""
    rules: tuple[str, ...]
    """The rules it names."""
    reason: str
    """Why."""


class Malformed(NamedTuple):
    """A `harness: ignore` that suppresses nothing."""

    path: str
    """File."""
    line: int
    """Line of the comment."""
    problem: str
    """What is wrong, and how to write it."""


def suppressions(project: Project) -> Iterator[Suppression | Malformed]:
    """Every directive of the project, by path and line. Files that cannot be read have none."""
    for path, entry in project.entries.items():
        if entry.language not in _STYLES:
            continue
        try:
            if MARK not in project.read_bytes(path):
                continue
            text = project.text(path).replace("\r\n", "\n").replace("\r", "\n")
        except OSError:
            continue
        yield from in_text(path, text, entry.language)


def in_text(path: str, text: str, language: str) -> Iterator[Suppression | Malformed]:
    """The directives of one text, in order of lines."""
    found = list(comments(text, language))
    alone = {comment.line for comment in found if comment.alone}
    lines = text.split("\n")
    logical = _logical_lines(text) if language == "python" else {}
    for comment in found:
        match = _DIRECTIVE.search(comment.text)
        if match is None:
            continue
        rules = tuple(rule.strip() for rule in (match["rules"] or "").split(",") if rule.strip())
        reason = " ".join(match["reason"].split()).lstrip("-:–— ")
        if not rules:
            yield Malformed(path, comment.line, "names no rule: write `harness: ignore[RULE] reason`")
        elif not re.search(r"\w", reason):
            yield Malformed(path, comment.line, f"gives no reason: write `harness: ignore[{', '.join(rules)}] reason`")
        else:
            end = comment.line + comment.text.count("\n")
            target = _next_code(lines, end, alone) if comment.alone and comment.line not in logical else comment.line
            first, last = logical.get(target, (target, target))
            yield Suppression(path, comment.line, first, last, rules, reason)


def _next_code(lines: list[str], after: int, alone: set[int]) -> int:
    for number in range(after + 1, len(lines) + 1):
        if lines[number - 1].strip() and number not in alone:
            return number
    return after


def _logical_lines(text: str) -> dict[int, tuple[int, int]]:
    """Line -> (first, last) line of the statement around it, decorators joined to what they decorate; {} if it has none."""
    spans: dict[int, tuple[int, int]] = {}
    start = decorated = 0
    decorator = False
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NEWLINE:
                first = decorated or start
                spans.update((line, (first, token.start[0])) for line in range(first, token.start[0] + 1))
                decorated = first if decorator else 0
                start = 0
            elif not start and token.type not in _LAYOUT:
                start = token.start[0]
                decorator = token.string == "@"
    except (tokenize.TokenError, SyntaxError, ValueError):
        return spans
    return spans


def comments(text: str, language: str) -> Iterator[Comment]:
    """The comments of a text, in order. None for a language without comments that we know."""
    if language == "python":
        try:
            yield from list(_python(text))
            return
        except (tokenize.TokenError, SyntaxError, ValueError):
            pass  # newer grammar or broken code: the pattern below is less exact, and better than nothing
    style = _STYLES.get(language)
    for match in style.finditer(text) if style else ():
        body = next((part for part in match.groupdict().values() if part is not None), None)
        if body is not None:
            start = text.rfind("\n", 0, match.start()) + 1
            yield Comment(text.count("\n", 0, match.start()) + 1, body.strip(), not text[start : match.start()].strip())


def _python(text: str) -> Iterator[Comment]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield Comment(token.start[0], token.string[1:].strip(), not token.line[: token.start[1]].strip())
