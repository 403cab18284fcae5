"""Lengths without a unit, counters without \\value, files of the wrong kind."""

import re

from agent.tex.repairs.rule import Broken, Rule
from agent.tex.source import mask

_LENGTH = re.compile(
    r"(\\(?:vspace|hspace|vskip|hskip|kern|rule|parbox|makebox|raisebox)\*?\s*(?:\[[^\]]*\])?\s*\{\s*)(-?\d*\.?\d+)(\s*\})"
)
_SET_LENGTH = re.compile(r"(\\(?:setlength|addtolength)\s*\{?\s*\\\w+\s*\}?\s*\{\s*)(-?\d*\.?\d+)(\s*\})")
_KEY = re.compile(
    r"((?:^|[\[,])\s*(?:width|height|totalheight|scale|xshift|yshift)\s*=\s*)(-?\d*\.?\d+)(%?)(\s*(?=[,\]]))",
    re.MULTILINE,
)
_MINIPAGE = re.compile(
    r"(\\begin\s*\{(?:minipage|wrapfigure|adjustbox|subfigure|tabularx)\}\s*(?:\[[^\]]*\])*\s*\{\s*)(\d*\.?\d+)(\s*\})"
)
_COUNTER = re.compile(r"(\\(?:setcounter|addtocounter)\s*\{[^{}]*\}\s*\{)\s*([A-Za-z]\w*)\s*(\})")
_MARK = re.compile(r"\\includegraphics\s*\*?\s*(\[[^\]]*\])")


def _units(broken: Broken) -> str | None:
    """Numbers where TeX wants lengths: points, or a share of the line where a width is at most one."""
    at = broken.span
    if at is None:
        return None
    masked = mask(broken.tex)[at.start : at.end]
    line = broken.tex[at.start : at.end]
    new = line
    for pattern, share in ((_LENGTH, False), (_SET_LENGTH, False), (_MINIPAGE, True)):
        new = pattern.sub(_shared if share else _in_points, new)
    new = _MARK.sub(lambda m: m[0][: m.start(1) - m.start()] + _KEY.sub(_keyed, m[1]), new)
    return broken.tex[: at.start] + new + broken.tex[at.end :] if masked.strip() else None


def _shared(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}{_unit(found[2], share=True)}{found[3]}"


def _in_points(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}pt{found[3]}"


def _keyed(found: re.Match[str]) -> str:
    if "scale" in found[1]:
        return found[0]
    if found[3]:
        return f"{found[1]}{float(found[2]) / 100:g}\\linewidth{found[4]}"
    return f"{found[1]}{found[2]}{_unit(found[2], share=True)}{found[4]}"


def _unit(number: str, *, share: bool) -> str:
    return "\\linewidth" if share and 0 < float(number) <= 1 else "pt"


def _counter_value(broken: Broken) -> str | None:
    new, count = _COUNTER.subn(r"\1\\value{\2}\3", broken.tex)
    return new if count else None


RULES = (
    Rule("unit-of-length", ("illegal-unit", "missing-number"), "Gave a length its unit", _units),
    Rule("value-of-counter", ("missing-number",), "Used the value of a counter", _counter_value),
)
