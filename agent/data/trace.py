r"""Which numbers a report prints, and which of them come from nowhere.

A number is traced when a quantity says it (rounded to the digits printed, or with another prefix of the same unit), or
when it stands as a number in a text of the material. Not looked at: the preamble but for its title and the texts of its
commands that the document uses, comments, arguments that are no text (labels, keys, file names of figures, lengths), indices
and exponents of formulas, and numbers that are part of a name (`Cs137`, `R_2`). Numbers in words are not found.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from agent.readers.numbers import times_ten
from agent.readers.units import base_of
from agent.records import Quantity

_SILENT = (
    "label|ref|eqref|pageref|autoref|nameref|cref|Cref|cite[a-z]*|includegraphics|bibliography|bibliographystyle|input|include|usepackage"
    "|documentclass|vspace|hspace|setlength|addtolength|setcounter|addtocounter|hypersetup|graphicspath|newcommand|renewcommand|sisetup"
    "|begin|end|url|href|rule|addlinespace|cmidrule|cline|multicolumn|multirow|resizebox|scalebox|fontsize|geometry|pagestyle|captionsetup"
    "|textcolor|color|linespread|extrafloats|bibitem|tag|hyperref|cellcolor|rowcolor|definecolor|vskip|hskip|kern"
)
_COMMAND = re.compile(
    rf"\\(?:{_SILENT})\*?(?![A-Za-z])(?:\s*\[[^\]]*\])?(?:\s*\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}})?(?:\s*\[[^\]]*\])?"
)
_COLUMNS = re.compile(r"\\begin\{(?:tabular|tabularx|longtable|array|tabu|minipage|wrapfigure)\*?\}(?:\s*\[[^\]]*\])?")
_COMMENT = re.compile(r"(?<!\\)%.*")
_LENGTH = re.compile(
    r"(?<![\w.])-?\d*\.?\d+\s*(?:\\(?:text|line|column|paper)(?:width|height)|\\baselineskip|(?:pt|em|ex|mu|bp)\b)"
)
_SPACING = re.compile(r"\\\\\s*\[[^\]]*\]")
_TIMES = r"\s*(?:\\times|\\cdot|×|·|x)\s*"
_POWER = re.compile(r"10\s*(?:\^|\\textsuperscript)\s*\{?\s*([+\-−–]?\d{1,3})\s*\}?")
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w}\d)])[+\-−–]|(?<=--)-)?(?P<whole>\d{1,3}(?:(?:\\,|\{,\}|~|\u2009|\u202f)\d{3})+|\d+)?"
    r"(?P<fraction>[.]\d+)?(?P<error>\(\d+(?:\.\d+)?\))?(?P<exponent>[eE][+\-]?\d{1,3})?"
)
_INDEX = re.compile(r"[_^]\s*(?:\{[^{}]*\}|\\[A-Za-z]+|.)")
_MATHS = re.compile(r"\$[^$]*\$|\\\([^)]*?\\\)|\\\[.*?\\\]", re.DOTALL)
_TEXT_NUMBER = re.compile(r"(?<![A-Za-z_])[+\-−]?\d+(?:[.,]\d+)?(?:[eE][+\-]?\d+)?")
_QTY = re.compile(r"\\(?:qty|SI)\s*(?:\[[^\]]*\])?\{([^{}]*)\}\s*\{((?:[^{}]|\{[^{}]*\})*)\}")


_TITLE = re.compile(r"\\(?:title|subtitle|author|date)\s*(?:\[[^\]]*\])?\s*(?=\{)")
_DEFINED = re.compile(
    r"\\(?:(?:re|provide)?newcommand|providecommand|renewcommand|def|gdef|edef|xdef)\*?\s*\{?\s*\\(?P<name>[A-Za-z@]+)\s*\}?"
    r"\s*(?:\[\d\]\s*(?:\[[^\]]*\]\s*)?)?(?:#\d\s*)*(?=\{)"
)
_PLACE = r"\place"


class Printed(NamedTuple):
    """A number as a report prints it."""

    line: int
    """1-based."""
    text: str
    """As it stands there."""
    value: float
    error: str = ""
    """Its uncertainty in brackets, without them."""
    unit: str = ""
    """Of `\\qty`, as LaTeX; `\\place` for a number within that command, which says where something stands."""


def untraced(tex: str, quantities: Sequence[Quantity], material_texts: Iterable[str]) -> tuple[tuple[int, str], ...]:
    """Line and text of every number that nothing accounts for."""
    known = _Known(quantities, material_texts)
    return tuple((n.line, n.text) for n in numbers_in(tex) if not known.accounts_for(n))


def numbers_in(tex: str) -> tuple[Printed, ...]:
    """Every number that a reader of the report sees as one, in order."""
    begin = tex.find(r"\begin{document}")
    start = begin + len(r"\begin{document}") if begin >= 0 else 0
    end = tex.find(r"\end{document}", start)
    body = tex[start : end if end >= 0 else len(tex)]
    shown = _silenced(_printed_above(tex[:start], body) + body)
    return tuple(printed._replace(line=1 + tex.count("\n", 0, position)) for printed, position in _numbers(shown))


def _printed_above(preamble: str, body: str) -> str:
    """The preamble with all but its title and what its commands put into the document blanked out."""
    preamble = _COMMENT.sub(_blank, preamble)
    spans = [(found.end(), _closing(preamble, found.end())) for found in _TITLE.finditer(preamble)]
    for found in _DEFINED.finditer(preamble):
        if re.search(rf"\\{found['name']}(?![A-Za-z@])", body):
            spans.append((found.end(), _closing(preamble, found.end())))
    shown = [c if c == "\n" else " " for c in preamble]
    for first, last in spans:
        shown[first:last] = re.sub(r"#\d", "  ", preamble[first:last])
    return "".join(shown)


def _silenced(body: str) -> str:
    """The same text with what is not printed blanked out, so that every position stays."""
    text = _COMMENT.sub(_blank, body)
    text = _column_arguments(text)
    text = _SPACING.sub(_blank, text)
    text = _COMMAND.sub(_blank, text)
    text = _LENGTH.sub(_blank, text)
    return _MATHS.sub(lambda m: _INDEX.sub(_index, m[0]), text)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _index(found: re.Match[str]) -> str:
    """Indices and exponents of formulas, but not the exponent of a power of ten."""
    before = found.string[max(0, found.start() - 2) : found.start()]
    return found[0] if found[0][0] == "^" and before.rstrip().endswith("10") else _blank(found)


def _column_arguments(text: str) -> str:
    """The column specification of a table may nest braces deeply."""
    pieces, position = [], 0
    for found in _COLUMNS.finditer(text):
        if found.start() < position:
            continue
        at = found.end()
        while at < len(text) and text[at] in " \n":
            at += 1
        end = _closing(text, at) if at < len(text) and text[at] == "{" else found.end()
        pieces += [text[position : found.start()], re.sub(r"[^\n]", " ", text[found.start() : end])]
        position = end
    return "".join([*pieces, text[position:]])


def _closing(text: str, start: int) -> int:
    depth = 0
    for i in range(start, min(len(text), start + 4000)):
        if text[i] == "{" and text[i - 1] != "\\":
            depth += 1
        elif text[i] == "}" and text[i - 1] != "\\":
            depth -= 1
            if depth == 0:
                return i + 1
    return start + 1


def _numbers(text: str) -> Iterator[tuple[Printed, int]]:
    spans = [((found.start(1), found.end(1)), found[2]) for found in _QTY.finditer(text)]
    for place in re.finditer(r"\\place\s*(?=\{)", text):
        spans.append(((place.end(), _closing(text, place.end())), _PLACE))
    masked = _QTY.sub(
        lambda m: m[0][: m.start(2) - m.start()] + re.sub(r"[^\n]", " ", m[2]) + m[0][m.end(2) - m.start() :], text
    )
    masked = re.sub(r"\\(?:unit|si)\s*\{(?:[^{}]|\{[^{}]*\})*\}", _blank, masked)
    position = 0
    while position < len(masked):
        digit = _next_digit(masked, position)
        if digit is None:
            return
        found = _NUMBER.match(masked, digit)
        if found is None or found.end() == digit:
            position = digit + 1
            continue
        position = found.end()
        if _in_name(masked, digit, found.end()):
            position = _end_of_name(masked, found.end())
            continue
        text_of = masked[digit : found.end()]
        value = _value(found)
        scale = re.compile(_TIMES).match(masked, position)
        power = _POWER.match(masked, scale.end()) if scale else None
        if power is None and text_of == "10":
            power = _POWER.match(masked, digit)
            if power is not None:
                value = 1.0
        if power is not None:
            value = times_ten(value, int(power[1].translate(_MINUS)))
            text_of, position = masked[digit : power.end()], power.end()
        unit = next((u for (a, b), u in spans if a <= digit < b), "")
        yield Printed(0, " ".join(text_of.split()), value, (found["error"] or "").strip("()"), unit), digit


_MINUS = str.maketrans("−–", "--")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean."""


def _next_digit(text: str, position: int) -> int | None:
    found = re.compile(r"[+\-−–]?\.?\d").search(text, position)
    if found is None:
        return None
    at = found.start()
    if text[at] in "+-−–" and at and (text[at - 1].isalnum() or text[at - 1] in ")}]-"):
        at += 1
    return at


def _in_name(text: str, start: int, end: int) -> bool:
    """Whether the digits are part of a word: a letter, underscore or another part of a dotted name touches them."""
    before = text[start - 1] if start else " "
    if (
        _letter(before)
        or before == "_"
        or (before == "}" and re.search(r"allowbreak\{\}$", text[max(0, start - 14) : start]))
    ):
        return True
    after = text[end] if end < len(text) else " "
    return (
        after.isalpha()
        and after.isascii()
        and not re.match(r"(?:[a-zA-Zµ]{1,3}|keV|MeV|mbar)(?![A-Za-z0-9_])", text[end:])
    )


def _end_of_name(text: str, end: int) -> int:
    while end < len(text) and (_letter(text[end]) or text[end].isdigit() or text[end] == "_"):
        end += 1
    return end


def _letter(c: str) -> bool:
    """Whether a digit beside it is part of a name. Scripts that set no blanks between words touch every number."""
    return c.isalpha() and not _UNSPACED.match(c)


def _value(found: re.Match[str]) -> float:
    whole = re.sub(r"\\,|\{,\}|~|\s", "", found["whole"] or "")
    sign = "-" if (found["sign"] or "") in ("-", "−", "–") and found["sign"] else ""
    return float(f"{sign}{whole or '0'}{found['fraction'] or ''}{(found['exponent'] or '').lower()}")


class _Known:
    """Values that may be printed."""

    def __init__(self, quantities: Sequence[Quantity], texts: Iterable[str]) -> None:
        self._texts = {q.text for q in quantities}
        values: set[float] = set()
        errors: set[str] = set()
        based: dict[str, set[float]] = {}
        for q in quantities:
            values.add(abs(q.value))
            printed = _number_of(q.text)
            if printed is not None:
                values.add(abs(printed))
            bracket = re.search(r"\((\d+)\)", q.text)
            if bracket:
                errors.add(bracket[1])
            base, exponent = base_of(q.unit)
            if q.unit:
                value = printed if printed is not None else q.value
                based.setdefault(base, set()).add(abs(value) * 10.0**exponent)
        for text in texts:
            for number in _TEXT_NUMBER.findall(text[:400_000]):
                for form in {number.replace(",", "."), number.replace(",", "")}:
                    try:
                        values.add(abs(float(form.replace("−", "-"))))
                    except ValueError:
                        continue
        told = (text for q in quantities for text in (q.formula, *(t for s in q.sources for t in (s.path, s.place))))
        self._places = {number for text in told for number in re.findall(r"\d+(?:\.\d+)?", text)}
        self._values = sorted(values)
        self._errors = errors
        self._based = {base: sorted(found) for base, found in based.items()}

    def accounts_for(self, printed: Printed) -> bool:
        """Exactly, or rounded as printed; an uncertainty in brackets must be one of a quantity."""
        if printed.unit == _PLACE:
            return printed.text.lstrip("-") in self._places
        if printed.text in self._texts:
            return True
        if printed.error and printed.error not in self._errors:
            return False
        half = _half_unit(printed.text, printed.value)
        if _near(self._values, abs(printed.value), half):
            return True
        if printed.unit:
            base, exponent = _base_of_tex(printed.unit)
            factor = 10.0**exponent
            return _near(self._based.get(base, []), abs(printed.value) * factor, half * factor)
        return False


def _near(values: Sequence[float], value: float, half: float) -> bool:
    reach = half * (1 + 1e-9) + abs(value) * 1e-12
    i = bisect_left(values, value - reach)
    return i < len(values) and values[i] <= value + reach


def _half_unit(text: str, value: float) -> float:
    """Half a unit of the last digit printed; nothing for whole numbers, which are meant exactly."""
    mantissa = re.split(r"[eE(×]|\\times|\\cdot|\s", text)[0]
    _, mark, fraction = mantissa.partition(".")
    plain = abs(float(re.sub(r"[^\d.]", "", mantissa) or 0))
    scale = abs(value) / plain if plain else 1.0
    scaled_number = abs(scale - 1) > 1e-9
    if not mark:
        return 0.5 * scale if scaled_number else 0.0
    return 0.5 * 10.0 ** -len(fraction) * scale


def _number_of(text: str) -> float | None:
    try:
        return float(re.sub(r"\(\d+\)", "", text))
    except ValueError:
        return None


_PREFIX = {"kilo": 3, "mega": 6, "giga": 9, "tera": 12, "deci": -1, "centi": -2, "milli": -3, "micro": -6}
_PREFIX |= {"nano": -9, "pico": -12, "femto": -15}


def _base_of_tex(unit: str) -> tuple[str, int]:
    """As `base_of`, of a unit that is LaTeX already or plain text."""
    macros = re.findall(r"\\[A-Za-z]+", unit)
    if not macros:
        return base_of(unit.strip())
    if len(macros) == 2 and macros[0][1:] in _PREFIX:
        return macros[1], _PREFIX[macros[0][1:]]
    return "".join(macros), 0
