"""What each line of a file holds besides code: comments, docstrings, strings, prose."""

import io
import re
import tokenize
from collections.abc import Mapping, Sequence
from typing import Literal

Kind = Literal["comment", "docstring", "string", "text", "example", "code"]

_PROSE = frozenset({"markdown", "rst", "text"})
_COMMENTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("javascript", "typescript"), ("//", "/*", "* ", "*/")),
    **dict.fromkeys(("shell", "dockerfile", "make", "yaml", "toml", "ini"), ("#",)),
    "css": ("/*",), "html": ("<!--",), "sql": ("--",),
}  # fmt: skip
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_INLINE = re.compile(r"`[^`]+`|\"[^\"]{12,}\"|“[^”]{12,}”")
_STARTS = frozenset(
    {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.NL, tokenize.COMMENT}
)
_STRINGS = frozenset(
    t
    for t in (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", None), getattr(tokenize, "TSTRING_MIDDLE", None))
    if t is not None
)


def kinds(language: str, lines: Sequence[str]) -> dict[int, Kind]:
    """Line (from 1) -> what text in it is; lines of nothing but code are left out.

    Only Python is told apart exactly. In documents, quoted and fenced lines are examples; of other languages every line is
    text, since words of a sentence in a row are no code there either.
    """
    if language == "python":
        return _python(lines)
    if language in _PROSE:
        return _document(lines)
    return dict.fromkeys(range(1, len(lines) + 1), "text")


def only_words(language: str, lines: Sequence[str], line: int) -> bool:
    """Whether a line is a comment, part of a docstring or prose, and nothing else.

    Exact for Python; elsewhere, a line inside a comment of several lines may be taken for code.
    """
    if language in _PROSE:
        return True
    if language != "python":
        return lines[line - 1].strip().startswith(_COMMENTS.get(language, ()))
    held = _python(lines)
    stripped = lines[line - 1].strip()
    return held.get(line) == "docstring" or (held.get(line) == "comment" and stripped.startswith("#"))


def _python(lines: Sequence[str]) -> dict[int, Kind]:
    found: dict[int, Kind] = {}
    start = True
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
            if token.type == tokenize.COMMENT:
                found.setdefault(token.start[0], "comment")
            elif token.type in _STRINGS:
                alone = start and token.line.rstrip().endswith(token.string[-1:])
                for line in range(token.start[0], token.end[0] + 1):
                    found[line] = "docstring" if alone else "string"
            if token.type not in (tokenize.NL, tokenize.COMMENT):
                start = token.type in _STARTS
    except (tokenize.TokenError, SyntaxError):
        last = max(found, default=0)
        found |= dict.fromkeys(range(last + 1, len(lines) + 1), "text")
    return found


def _document(lines: Sequence[str]) -> dict[int, Kind]:
    found: dict[int, Kind] = {}
    fenced = False
    for number, line in enumerate(lines, 1):
        if _FENCE.match(line):
            fenced = not fenced
        quoted = fenced or line.startswith(("    ", "\t", ">")) or bool(_INLINE.search(line))
        found[number] = "example" if quoted else "text"
    return found
