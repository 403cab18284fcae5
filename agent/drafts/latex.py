"""Material as LaTeX: text that is no command, numbers and units for siunitx, names that may break over lines."""

import re
import unicodedata

from agent.readers.units import latex_unit
from agent.records import Quantity
from harness.files import displayable

# brackets and stars in braces are no argument of what stands before them
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "°": r"\textdegree{}", "±": r"\ensuremath{\pm}", "×": r"\ensuremath{\times}", "µ": r"\textmu{}", "Ω": r"\ensuremath{\Omega}",
    "\u2126": r"\ensuremath{\Omega}", "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}", "¹": r"\textsuperscript{1}",
    "−": r"\ensuremath{-}", "·": r"\textperiodcentered{}", "–": "--", "—": "---", "’": "'", "‘": "`", "“": "``", "”": "''",
    "…": r"\ldots{}", "\u00a0": "~", "Å": r"\AA{}", "\u212b": r"\AA{}", "→": r"\ensuremath{\rightarrow}",
    "∞": r"\ensuremath{\infty}",
    "≤": r"\ensuremath{\leq}", "≥": r"\ensuremath{\geq}", "≈": r"\ensuremath{\approx}", "√": r"\ensuremath{\surd}", "\t": " ",
    '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "[": "{[}", "]": "{]}", "*": "{*}",
}  # fmt: skip
_SUBSCRIPT = {chr(0x2080 + i): rf"\textsubscript{{{i}}}" for i in range(10)}
_SUPERSCRIPT = {chr(0x2070 + i): rf"\textsuperscript{{{i}}}" for i in (0, *range(4, 10))} | {
    "⁻": r"\textsuperscript{-}"
}
_BREAKS = re.compile(r"((?:\\_|\\textbackslash\{\}|[/.\-]))(?=\S)")
_ALPHABETS = re.compile("[\U0001d400-\U0001d7ff]+")
"""Letters of formulas, bold and italic ones of their own."""
CJK = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u30ff\uac00-\ud7a3]")
_OTHER = re.compile(r"[\u0180-\u02af\u0370-\u1eff\u2000-\u2bff]+")


def escaped(text: str) -> str:
    """One line of `text` as LaTeX. Scripts beyond Latin are set in a font that has them; what no font of the report has is
    printed as its code point."""
    line = " ".join(displayable(_ALPHABETS.sub(lambda m: unicodedata.normalize("NFKC", m[0]), text), keep="\t").split())
    parts = []
    position = 0
    while position < len(line):
        run = _OTHER.match(line, position)
        if run and not (run[0][0] in _SPECIAL or run[0][0] in _SUBSCRIPT or run[0][0] in _SUPERSCRIPT):
            word = re.split(f"[{''.join(map(re.escape, _KNOWN))}]", run[0])[0]
            parts.append(rf"\otherscript{{{word}}}")
            position += len(word)
            continue
        c = line[position]
        parts.append(_one(c))
        position += 1
    return "".join(parts)


def _one(c: str) -> str:
    for table in (_SPECIAL, _SUBSCRIPT, _SUPERSCRIPT):
        if c in table:
            return table[c]
    if c.isascii() or "\u00a1" <= c <= "\u017f" or CJK.match(c):
        return c
    return f"{{[}}U+{ord(c):04X}{{]}}"


_KNOWN = "".join(c for c in (*_SPECIAL, *_SUBSCRIPT, *_SUPERSCRIPT) if not c.isascii())


def name(text: str) -> str:
    r"""A file name or key, in typewriter, that may break after `/`, `.`, `-` and `_`."""
    return rf"\file{{{_broken(escaped(text))}}}"


def breakable(text: str) -> str:
    """`escaped`, with breaks allowed inside words that are paths or keys."""
    words = " ".join(displayable(text).split()).split(" ")
    return " ".join(_broken(escaped(w)) if "/" in w or "_" in w or len(w) > 30 else escaped(w) for w in words)


def _broken(tex: str) -> str:
    return _BREAKS.sub(lambda m: m[1] + r"\allowbreak{}", tex)


def number(q: Quantity) -> str:
    r"""`\num{...}`."""
    return rf"\num{{{q.text}}}"


def quantity(q: Quantity) -> str:
    r"""`\qty{...}{...}`, `\num` for one without a unit."""
    return rf"\qty{{{q.text}}}{{{latex_unit(q.unit)}}}" if q.unit else number(q)


def heading(label: str, unit: str) -> str:
    r"""`U / \unit{\volt}`, as a heading of a column."""
    return rf"{escaped(label)} / \unit{{{latex_unit(unit)}}}" if unit else escaped(label)


def short_path(path: str, most: int = 76) -> str:
    """A path whose leading folders are left out when it is long; names themselves stay whole."""
    parts = path.split("/")
    while len(parts) > 1 and sum(len(p) + 1 for p in parts) > most:
        parts = parts[1:]
    short = "/".join(parts)
    return short if short == path else f"…/{short}"


def place(text: str) -> str:
    r"""Where something stands: its numbers are no values, and `\place` says so."""
    return rf"\place{{{breakable(text)}}}"


def shortened(text: str, most: int = 60) -> str:
    """A name that fits into a line, its middle left out."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most // 2 - 1]}…{line[-(most // 2) :]}"
