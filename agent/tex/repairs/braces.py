"""Braces that do not close, close too often, or that a percent sign hides."""

import re

from agent.tex.balance import imbalance
from agent.tex.repairs.rule import Broken, Rule
from agent.tex.source import Span, argument, body, closing, line_of, line_span, mask

_PERCENT = re.compile(r"(?<=\d)([ \t]?)%(?=[ \t]+[A-Za-z(]|[.,;:)}\]]|[ \t]*\\\\|[ \t]*&|\s*\$)")
_FONTS = {
    "textbf": "bfseries",
    "textit": "itshape",
    "emph": "em",
    "texttt": "ttfamily",
    "textsc": "scshape",
    "textsf": "sffamily",
}
_HEADINGS = "section|subsection|subsubsection|chapter|paragraph|caption|title|footnote"


def _escape_percent(broken: Broken) -> str | None:
    """A percent sign behind a number that words follow is no comment."""
    tex, masked = broken.tex, mask(broken.tex)
    inside = body(tex)
    for found in reversed(list(_PERCENT.finditer(tex, inside.start, inside.end))):
        at = found.end() - 1
        if not masked[found.start() - 1].isspace() and tex[at - 1] != "\\":
            tex = tex[:at] + "\\" + tex[at:]
    return tex


def _close_group(broken: Broken) -> str | None:
    """The first paragraph with an open brace, up to where TeX noticed, gets its end; a heading at the end of its line."""
    tex, masked = broken.tex, mask(broken.tex)
    inside = body(tex)
    for found in re.compile(r"[^\n](?:.|\n(?![ \t]*\n))*").finditer(masked, inside.start, inside.end):
        opening = _open_brace(masked, Span(*found.span()))
        if opening is None:
            continue
        if re.search(rf"\\(?:{_HEADINGS})\*?\s*(?:\[[^\]]*\])?$", masked[max(0, opening - 60) : opening]):
            end = line_span(tex, line_of(tex, opening)).end
        else:
            end = _before_end(masked, opening, found.end())
        while masked[end - 1].isspace() and end > opening + 1:
            end -= 1
        return tex[:end] + "}" + tex[end:]
    return None


def _before_end(masked: str, opening: int, end: int) -> int:
    """Before an `\\end`, a row's end or a heading that the brace must not hold."""
    found = re.compile(
        r"\\end\s*\{|\\(?:sub)*section|\\item(?![A-Za-z])|\\\\|\\begin\s*\{(?:figure|table|equation|align|itemize|enumerate)"
    ).search(masked, opening, end)
    return found.start() if found else end


def _open_brace(masked: str, span: Span) -> int | None:
    """The last brace of a stretch that stays open in it."""
    stack: list[int] = []
    at = span.start
    while at < span.end:
        c = masked[at]
        if c == "\\":
            at += 2
            continue
        if c == "{":
            stack.append(at)
        elif c == "}" and stack:
            stack.pop()
        at += 1
    return stack[-1] if stack else None


def _paragraph_in_font(broken: Broken) -> str | None:
    r"""`\textbf` may not hold a paragraph's end; `\bfseries` may."""
    tex = broken.tex
    for found in re.finditer(r"\\(" + "|".join(_FONTS) + r")\s*\{", mask(tex)):
        end = closing(mask(tex), found.end() - 1)
        if end > 0 and re.search(r"\n[ \t]*\n", mask(tex)[found.end() : end]):
            return f"{tex[: found.start()]}{{\\{_FONTS[found[1]]} {tex[found.end() : end]}\\par}}{tex[end + 1 :]}"
    return None


def _paragraph_in_heading(broken: Broken) -> str | None:
    tex = broken.tex
    for found in re.finditer(rf"\\(?:{_HEADINGS})\*?\s*(?:\[[^\]]*\])?(?=\{{)", mask(tex)):
        text = argument(mask(tex), found.end())
        if text and re.search(r"\n[ \t]*\n", mask(tex)[text.start : text.end]):
            return tex[: text.start] + re.sub(r"\n(?:[ \t]*\n)+", "\n", tex[text.start : text.end]) + tex[text.end :]
    return None


def _drop_brace(broken: Broken) -> str | None:
    """The first closing brace that closes nothing."""
    if not imbalance(broken.tex).startswith("a brace too many"):
        return None
    masked = mask(broken.tex)
    depth = at = 0
    while at < len(masked):
        c = masked[at]
        if c == "\\":
            at += 2
            continue
        depth += (c == "{") - (c == "}")
        if depth < 0:
            return broken.tex[:at] + broken.tex[at + 1 :]
        at += 1
    return None


_OPEN = ("runaway-argument", "missing-brace", "extra-brace", "emergency-stop", "environment-mismatch", "missing-dollar")
RULES = (
    Rule(
        "paragraph-in-font",
        ("runaway-argument",),
        "Wrote a font command over paragraphs as a switch",
        _paragraph_in_font,
    ),
    Rule(
        "percent-sign",
        (*_OPEN, "extra-alignment-tab", "misplaced-omit"),
        "Escaped a percent sign behind a number",
        _escape_percent,
    ),
    Rule(
        "paragraph-in-heading",
        ("runaway-argument",),
        "Closed a blank line in a heading or caption",
        _paragraph_in_heading,
    ),
    Rule("open-brace", _OPEN, "Closed a brace", _close_group),
    Rule(
        "extra-brace",
        ("extra-brace", "environment-mismatch", "runaway-argument"),
        "Took out a brace that closes nothing",
        _drop_brace,
    ),
)
