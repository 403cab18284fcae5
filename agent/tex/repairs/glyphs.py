"""Characters no font of the document has: as commands, or with a font that has them."""

import re

from agent.tex.characters import (
    IN_TEXT_FONT,
    INVISIBLE,
    MATH,
    NEEDS_AMSSYMB,
    SPACES,
    SUBSCRIPT,
    SUPERSCRIPT,
    in_math,
    in_text,
)
from agent.tex.fonts import preamble
from agent.tex.repairs.rule import Broken, Rule
from agent.tex.source import insert_package, mask, math, packages, within

_KNOWN = MATH.keys() | SUPERSCRIPT.keys() | SUBSCRIPT.keys() | INVISIBLE.keys() | SPACES.keys()
_RUN = re.compile("[" + "".join(map(re.escape, sorted(_KNOWN))) + "]+")
_ENCODINGS = re.compile(r"\\usepackage\s*(?:\[[^\]]*\])?\s*\{(?:inputenc|fontenc)\}")


def _as_commands(broken: Broken) -> str | None:
    if broken.error.token not in _KNOWN:
        return None
    tex = broken.tex
    masked, spans = mask(tex), math(tex)
    parts: list[str] = []
    at = 0
    for found in _RUN.finditer(masked):
        formula = within(spans, found.start())
        if not formula and not set(found[0]) - IN_TEXT_FONT:
            continue
        parts += (tex[at : found.start()], in_math(found[0]) if formula else in_text(found[0]))
        at = found.end()
    new = "".join([*parts, tex[at:]])
    if set(tex) & NEEDS_AMSSYMB and "amssymb" not in packages(tex):
        new = insert_package(new, "\\usepackage{amssymb}")
    return new


def _unicode_encoding(broken: Broken) -> str | None:
    """Encodings of 8-bit engines hide the Unicode font that xelatex starts with."""
    masked = mask(broken.tex)
    new = broken.tex
    for found in reversed(list(_ENCODINGS.finditer(masked))):
        new = new[: found.start()] + new[found.end() :]
    return new


def _with_font(broken: Broken) -> str | None:
    lines = preamble(broken.tex)
    if not lines or all(line in broken.tex for line in lines):
        return None
    text = _unicode_encoding(broken) or broken.tex
    for line in lines:
        if line not in text:
            text = insert_package(text, line)
    return text


_KINDS = ("missing-character",)
RULES = (
    Rule("character-as-command", _KINDS, "Wrote characters without a glyph as commands", _as_commands),
    Rule("font-by-coverage", _KINDS, "Chose a font that has the characters", _with_font),
    Rule("unicode-encoding", _KINDS, "Took out encodings of 8-bit engines", _unicode_encoding),
)
