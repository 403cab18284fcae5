r"""Reading LaTeX without running it: what is a comment or verbatim, which brace closes which, where environments stand.

Everything works on offsets of one text. `mask` gives a twin of the same length in which comments and verbatim material
are blanks, so that a search in the twin finds markup only and its offsets hold in the text. This is not TeX: catcode changes and
macros that hide an environment's ends are not seen.
"""

import bisect
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

VERBATIM = ("verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "comment", "filecontents", "filecontents*")
_OPAQUE = re.compile(
    r"\\begin\s*\{(" + "|".join(map(re.escape, VERBATIM)) + r")\}"
    r"|\\(?:verb|lstinline)\*?(?:\[[^\]\n]*\])?([^\sA-Za-z*{\[])"
    r"|\\."
    r"|%",
    re.DOTALL,
)
CITE = re.compile(r"\\[A-Za-z]*[cC]ite[A-Za-z]*\*?\s*(?:\[[^\]]*\]\s*){0,2}\{([^{}]*)\}")
r"""A command of the `\cite` family; group 1 has its keys."""
_PLAIN = ("verbatim", "verbatim*", "comment")
_ARGUMENTS = re.compile(r"(?:\[[^\]\n]*\])?(?:\{[^}\n]*\})?")
_BEGIN_END = re.compile(r"\\(begin|end)\s*\{([^{}\n]*)\}")
_MATH_ENVIRONMENTS = frozenset(
    f"{name}{star}"
    for name in ("equation", "align", "gather", "multline", "eqnarray", "displaymath", "math", "flalign", "alignat",
                 "dmath", "subequations")
    for star in ("", "*")
)  # fmt: skip
_MATH_TOKEN = re.compile(
    r"\\\\|\\([\[\]()])|\$\$|\$|\\(begin|end)\s*\{([^{}\n]*)\}|\\text\w*\s*\{|\\mbox\s*\{|\\.", re.DOTALL
)


class Environment(NamedTuple):
    """A `\\begin` with its `\\end`."""

    name: str
    """As written, stars included."""
    start: int
    """Offset of `\\begin`."""
    inner: int
    """Offset behind `\\begin{name}`."""
    inner_end: int
    """Offset of `\\end`, of the end of the text when it is missing."""
    end: int
    """Offset behind `\\end{name}`."""
    closed: bool
    """Whether its own `\\end` was found."""


class Span(NamedTuple):
    """A piece of a text."""

    start: int
    """First offset."""
    end: int
    """Offset behind the last."""


@lru_cache(maxsize=64)
def mask(tex: str) -> str:
    """`tex` with comments and verbatim contents as blanks; line breaks stay, so offsets and lines agree."""
    parts: list[str] = []
    at = 0
    while found := _OPAQUE.search(tex, at):
        start, end = found.span()
        if found[0] == "%":
            stop = tex.find("\n", end)
            blank = Span(start, len(tex) if stop < 0 else stop)
        elif found[1]:
            over = re.compile(r"\\end\s*\{" + re.escape(found[1]) + r"\}").search(tex, end)
            start = end if found[1] in _PLAIN else _ARGUMENTS.match(tex, end).end()  # type: ignore[union-attr]  # matches ''
            blank = Span(start, over.start() if over else len(tex))
        elif found[2]:
            stop = _delimiter(tex, found[2], end)
            blank = Span(end, end if stop < 0 else stop)
        else:
            parts.append(tex[at:end])
            at = end
            continue
        parts += (tex[at : blank.start], re.sub(r"[^\n]", " ", tex[blank.start : blank.end]))
        at = blank.end + (1 if found[2] and blank.end > blank.start else 0)
        parts.append(tex[blank.end : at])
    parts.append(tex[at:])
    return "".join(parts)


def _delimiter(tex: str, mark: str, start: int) -> int:
    """Where the second delimiter of an inline verbatim stands, -1 when not on the same line."""
    line_end = tex.find("\n", start)
    return tex.find(mark, start, len(tex) if line_end < 0 else line_end)


@lru_cache(maxsize=16)
def _breaks(tex: str) -> tuple[int, ...]:
    return tuple(m.start() for m in re.finditer("\n", tex))


def line_of(tex: str, offset: int) -> int:
    """The 1-based line of an offset."""
    return bisect.bisect_left(_breaks(tex), offset) + 1


def line_span(tex: str, line: int) -> Span:
    """Offsets of a 1-based line without its line break; empty at the end of the text when there is no such line."""
    breaks = _breaks(tex)
    if line < 1 or line > len(breaks) + 1:
        return Span(len(tex), len(tex))
    start = 0 if line == 1 else breaks[line - 2] + 1
    return Span(start, breaks[line - 1] if line <= len(breaks) else len(tex))


def closing(masked: str, start: int, *, pair: str = "{}", limit: int | None = None) -> int:
    """Offset of the brace (or bracket) that closes the one at `start`, -1 when none does before `limit`."""
    depth = 0
    at = start
    stop = len(masked) if limit is None else limit
    opener, closer = pair[0], pair[1]
    while at < stop:
        c = masked[at]
        if c == "\\":
            at += 2
            continue
        if c == opener:
            depth += 1
        elif c == closer:
            depth -= 1
            if depth == 0:
                return at
        elif c == "{" and pair != "{}":
            inner = closing(masked, at, limit=stop)
            if inner < 0:
                return -1
            at = inner
        at += 1
    return -1


def argument(masked: str, start: int) -> Span | None:
    """The braced argument that begins at or after `start` (blanks and one line break skipped), without its braces."""
    found = re.compile(r"[ \t]*\n?[ \t]*\{").match(masked, start)
    if found is None:
        return None
    end = closing(masked, found.end() - 1)
    return Span(found.end(), end) if end >= 0 else None


def option(masked: str, start: int) -> Span | None:
    """The bracketed argument at `start` (blanks skipped), without its brackets."""
    found = re.compile(r"[ \t]*\[").match(masked, start)
    if found is None:
        return None
    end = closing(masked, found.end() - 1, pair="[]")
    return Span(found.end(), end) if end >= 0 else None


@lru_cache(maxsize=32)
def environments(tex: str) -> tuple[Environment, ...]:
    """All environments in order of their `\\begin`. An `\\end` that fits no open one closes nothing."""
    masked = mask(tex)
    open_: list[tuple[int, str, int, int]] = []
    done: dict[int, Environment] = {}
    order = 0
    for found in _BEGIN_END.finditer(masked):
        name = found[2].strip()
        if found[1] == "begin":
            open_.append((order, name, found.start(), found.end()))
            order += 1
        elif any(entry[1] == name for entry in open_):
            while open_:
                number, opened, start, inner = open_.pop()
                fits = opened == name
                done[number] = Environment(
                    opened, start, inner, found.start(), found.end() if fits else found.start(), fits
                )
                if fits:
                    break
    for number, opened, start, inner in open_:
        done[number] = Environment(opened, start, inner, len(tex), len(tex), False)
    return tuple(done[number] for number in sorted(done))


def body(tex: str) -> Span:
    """What stands between `\\begin{document}` and `\\end{document}`; the whole text when there is no beginning."""
    masked = mask(tex)
    begin = re.search(r"\\begin\s*\{document\}", masked)
    end = re.search(r"\\end\s*\{document\}", masked)
    return Span(begin.end() if begin else 0, end.start() if end else len(tex))


@lru_cache(maxsize=32)
def math(tex: str) -> tuple[Span, ...]:
    r"""Spans of math mode: between dollars, `\(`, `\[` and in math environments; `\text{...}` inside is cut out.

    An inline formula ends at a blank line whatever happens, as in TeX.
    """
    masked = mask(tex)
    return tuple(_math(masked, body(tex)))


def _math(masked: str, inside: Span) -> Iterator[Span]:
    opened: tuple[str, int] | None = None
    at = inside.start
    ends = {"$": "$", "$$": "$$", "(": ")", "[": "]"}
    while found := _MATH_TOKEN.search(masked, at, inside.end):
        at = found.end()
        token = found[1] or (f"{found[2]} {found[3]}" if found[2] else found[0])
        if (
            opened is not None
            and opened[0] in ("$", ")")
            and (gap := _blank_line(masked, opened[1], found.start())) >= 0
        ):
            yield Span(opened[1], gap)
            opened = None
        if opened is None:
            if token in ends:
                opened = (ends[token], at)
            elif found[2] == "begin" and found[3] in _MATH_ENVIRONMENTS:
                opened = (f"end {found[3]}", at)
            continue
        if token == opened[0] or (opened[0] == "$" and token == "$$"):
            yield Span(opened[1], found.start())
            opened = None
        elif token.startswith(("\\text", "\\mbox")) and (end := closing(masked, at - 1, limit=inside.end)) >= 0:
            yield Span(opened[1], at)
            opened = (opened[0], end)
            at = end + 1
    if opened is not None:
        gap = _blank_line(masked, opened[1], inside.end)
        yield Span(opened[1], inside.end if gap < 0 else gap)


def _blank_line(masked: str, start: int, end: int) -> int:
    found = re.compile(r"\n[ \t]*\n").search(masked, start, end)
    return -1 if found is None else found.start()


def within(spans: tuple[Span, ...], offset: int) -> bool:
    """Whether `offset` lies in one of the ordered, disjoint spans."""
    at = bisect.bisect_right(spans, offset, key=lambda s: s.start) - 1
    return at >= 0 and spans[at].start <= offset < spans[at].end


def packages(tex: str) -> frozenset[str]:
    """Names of the packages the preamble loads."""
    found = re.findall(r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\])?\s*\{([^}]*)\}", mask(tex))
    return frozenset(name.strip() for names in found for name in names.split(",") if name.strip())


def insert_package(tex: str, line: str) -> str:
    """`tex` with a line put behind its last `\\usepackage` before the document, else behind `\\documentclass`, else first."""
    masked = mask(tex)
    begin = re.search(r"\\begin\s*\{document\}", masked)
    head = masked[: begin.start()] if begin else masked
    at = 0
    for found in re.finditer(r"\\(?:documentclass|usepackage|RequirePackage)\b", head):
        start = found.end()
        bracket = option(masked, start)
        name = argument(masked, bracket.end + 1 if bracket else start)
        if name is not None and _top_level(head, found.start()):
            at = name.end + 1
    return f"{tex[:at]}\n{line}{tex[at:]}" if at else f"{line}\n{tex}"


def _top_level(head: str, offset: int) -> bool:
    plain = re.sub(r"\\.", "  ", head[:offset], flags=re.DOTALL)
    return plain.count("{") == plain.count("}")
