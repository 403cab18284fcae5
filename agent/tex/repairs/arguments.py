"""What cannot stand in an argument: verbatim material, footnotes, commands that break when they are written to a file."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent.tex.escape import escape_line
from agent.tex.repairs.rule import Broken, Rule
from agent.tex.source import Span, argument, closing, line_of, mask, option

_MOVING = re.compile(
    r"\\(caption|captionof\s*\{\w+\}|section|subsection|subsubsection|chapter|paragraph|title|todo|addcontentsline)\*?(?![A-Za-z])"
)
_VERB = re.compile(r"\\(?:verb|lstinline)\*?(?:\[[^\]]*\])?([^\sA-Za-z*{])(.*?)\1")
_HOLDS = re.compile(
    r"\\(?:caption|section|subsection|subsubsection|chapter|footnote|textbf|textit|emph|title|item|href\s*\{[^{}]*\}|mbox|parbox\s*\{[^{}]*\}|text|todo)\*?\s*(?:\[[^\]]*\])?\s*(?=\{)"
)
_ROBUST_NAMES = """
protect label ref cite emph textbf textit texttt textsc textrm textsf frac sqrt mathrm mathbf mathcal mathit left right alpha beta
gamma delta epsilon theta lambda mu nu pi rho sigma tau phi chi psi omega Gamma Delta Theta Lambda Sigma Phi Psi Omega times cdot pm
approx leq geq neq infty partial circ ldots quad qquad ensuremath text SI si num qty unit degree url href hat bar vec dot
"""
_ROBUST = frozenset(_ROBUST_NAMES.split())


class _Moving(NamedTuple):
    name: str
    command: int
    """Offset behind the command."""
    short: Span | None
    """Its optional argument."""
    text: Span
    """Its argument."""


def _moving(tex: str) -> Iterator[_Moving]:
    masked = mask(tex)
    for found in _MOVING.finditer(masked):
        short = option(masked, found.end())
        text = argument(masked, short.end + 1 if short else found.end())
        if text is not None:
            yield _Moving(found[1], found.end(), short, text)


def _verbatim(broken: Broken) -> str | None:
    r"""`\verb` in an argument becomes escaped text in a typewriter font."""
    tex = broken.tex
    masked = mask(tex)
    for found in reversed(list(_VERB.finditer(tex))):
        if not masked.startswith("\\", found.start()) or not _in_argument(masked, found.start()):
            continue
        tex = f"{tex[: found.start()]}\\texttt{{{escape_line(found[2])}}}{tex[found.end() :]}"
    return tex


def _in_argument(masked: str, at: int) -> bool:
    for found in _HOLDS.finditer(masked, 0, at):
        end = closing(masked, found.end())
        if found.end() < at and (end < 0 or end > at):
            return True
    return False


def _short_caption(broken: Broken) -> str | None:
    """A caption or heading with a footnote or a paragraph gets a short form without them for the lists."""
    tex = broken.tex
    for one in _moving(tex):
        text = tex[one.text.start : one.text.end]
        footnote = "\\footnote" in text
        if (
            one.short is not None
            or one.name in ("title", "paragraph", "addcontentsline", "todo")
            or not (footnote or "\n\n" in text)
        ):
            continue
        short = " ".join(_without_footnotes(text).split())
        return f"{tex[: one.command]}[{{{short}}}]{tex[one.command :]}"
    return None


def _without_footnotes(text: str) -> str:
    while found := re.search(r"\s*\\footnote\s*(?:\[[^\]]*\])?\s*\{", mask(text)):
        end = closing(mask(text), found.end() - 1)
        if end < 0:
            return text[: found.start()]
        text = text[: found.start()] + text[end + 1 :]
    return text


def _protect(broken: Broken) -> str | None:
    """Commands in headings, captions and notes near the mistake are kept from being expanded too early."""
    tex = broken.tex
    line = broken.line
    for one in reversed(list(_moving(tex))):
        if line is not None and not line_of(tex, one.command) <= line <= line_of(tex, one.text.end) + 1:
            continue
        text = tex[one.text.start : one.text.end]
        new = re.sub(
            r"(?<!\\protect)(?<!\\)\\([A-Za-z]+)", lambda m: m[0] if m[1] in _ROBUST else f"\\protect{m[0]}", text
        )
        if new != text:
            tex = tex[: one.text.start] + new + tex[one.text.end :]
    return tex


def _note_with_paragraph(broken: Broken) -> str | None:
    r"""A `\todo` of several paragraphs needs a caption of one line for its list."""
    tex = broken.tex
    for one in _moving(tex):
        text = tex[one.text.start : one.text.end]
        if one.name != "todo" or not re.search(r"\n[ \t]*\n", text) or "caption" in tex[one.command : one.text.start]:
            continue
        first = next((line.strip().rstrip("%:") for line in text.split("\n") if line.strip(" %\t")), "note")
        words = " ".join(re.sub(r"[^\w ]", " ", first).split()[:8])
        if one.short is None:
            return f"{tex[: one.command]}[caption={{{words}}}]{tex[one.command :]}"
        return f"{tex[: one.short.end]}, caption={{{words}}}{tex[one.short.end :]}"
    return None


_MOVED = (
    "runaway-argument",
    "undefined-control-sequence",
    "missing-dollar",
    "extra-brace",
    "missing-brace",
    "verb-in-argument",
    "tex-error",
    "wrong-use",
    "capacity-exceeded",
    "illegal-parameter-number",
)
RULES = (
    Rule(
        "verbatim-in-argument",
        (*_MOVED, "environment-mismatch"),
        "Wrote verbatim words in an argument as typewriter text",
        _verbatim,
    ),
    Rule(
        "footnote-in-caption",
        ("runaway-argument", "missing-brace", "extra-brace"),
        "Gave a caption a short form for the lists",
        _short_caption,
    ),
    Rule("note-with-paragraph", ("runaway-argument",), "Gave a note a caption of one line", _note_with_paragraph),
    Rule("protect", _MOVED, "Protected commands in a heading, caption or note", _protect),
)
