"""Numbers as people and instruments write them."""

import math
import re
from collections.abc import Iterable
from typing import NamedTuple

_SPACES = str.maketrans(dict.fromkeys(" \u00a0\u2009\u202f'’", ""))
_MINUS = str.maketrans({"−": "-", "–": "-", "‐": "-", "＋": "+", "．": ".", "，": ","})
_POWER = re.compile(r"\s*(?:[x×·*]|\\times|\\cdot)\s*10\s*(?:\^|\*\*)?\s*\{?\s*([+-]?\d{1,3})\s*\}?$")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT = re.compile(r"(?<=10)[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d{1,4})?$")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:[ \u00a0\u2009\u202f'’]\d{3})+(?:[.,]\d*)?$")
_ERRORS = frozenset({"#n/a", "#div/0!", "#value!", "#ref!"})
_ABSENT = _ERRORS | {"", "-", "--", "—", "n/a", "na", "nan", "inf", "-inf", "+inf", "infinity", "null", "none", "?"}
_LEADING = re.compile(r"\s*([+\-−]?\s*\d[\d.,  ']*(?:[eE][+-]?\d+)?)\s*(.*)$", re.DOTALL)


class Marks(NamedTuple):
    """Which sign is the decimal mark, and which may group thousands ('' for none but spaces and apostrophes)."""

    decimal: str = "."
    group: str = ""


PLAIN = Marks()


def absent(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.strip().lower() in _ABSENT


def number(cell: str, marks: Marks = PLAIN) -> float | None:
    """The number that the whole cell is, None when it is none or not finite."""
    text = cell.strip()
    if not text or len(text) > 60 or text[0] not in "+-−–‐＋.,0123456789":
        return None
    try:  # most cells are plain, and this is the fast way
        if marks.decimal == "." and text.isascii() and "_" not in text:
            value = float(text)
            return value if math.isfinite(value) else None
    except ValueError:
        pass
    text = _SUPERSCRIPT.sub(lambda m: "^" + m[0].translate(_SUPERSCRIPTS), text.translate(_MINUS))
    exponent = _POWER.search(text)
    if exponent:
        text = text[: exponent.start()]
    if _GROUPED.match(text):
        text = text.translate(_SPACES)
    if marks.group and marks.group in text:
        whole, mark, rest = text.partition(marks.decimal)
        if not re.fullmatch(rf"[+-]?\d{{1,3}}(?:{re.escape(marks.group)}\d{{3}})+", whole):
            return None
        text = whole.replace(marks.group, "") + mark + rest
    if marks.decimal != ".":
        if "." in text:
            return None
        text = text.replace(marks.decimal, ".")
    if not _PLAIN.match(text):
        return None
    value = float(text.replace("d", "e").replace("D", "e"))
    value = times_ten(value, int(exponent[1]) if exponent else 0)
    return value if math.isfinite(value) else None


def times_ten(value: float, power: int) -> float:
    """`value` times that power of ten; infinite beyond what a double holds."""
    try:
        return value * 10.0**power
    except OverflowError:
        return math.copysign(math.inf, value) if value else 0.0


def leading(cell: str) -> tuple[float, str] | None:
    """A number and what follows it (`10kΩ` -> 10, `kΩ`), None when the cell does not begin with one."""
    found = _LEADING.match(cell)
    if not found:
        return None
    text = re.sub(r"\s+", "", found[1]).rstrip(".,")
    value = number(text, marks_of([text]))
    return None if value is None else (value, found[2].strip())


def marks_of(cells: Iterable[str], *, delimiter: str = "") -> Marks:
    """The marks of a table from its cells. `delimiter` is what separates them: a comma there is no decimal mark, and a
    semicolon makes a lone comma one (that is why such files use it)."""
    comma = point = grouping_comma = grouping_point = False
    lone_comma = 0
    for raw in cells:
        cell = raw.strip().translate(_MINUS)
        if not cell or not (cell[0].isdigit() or cell[0] in "+-.,") or len(cell) > 40:
            continue
        commas, points = cell.count(","), cell.count(".")
        if commas and points:
            if cell.rfind(",") > cell.rfind("."):
                comma, grouping_point = True, True
            else:
                point, grouping_comma = True, True
        elif commas > 1:
            grouping_comma = True
        elif points > 1:
            grouping_point = True
        elif commas:
            if re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", cell):
                lone_comma += 1
            elif re.fullmatch(r"[+-]?\d*,\d*(?:[eE][+-]?\d+)?", cell):
                comma = True
        elif points:
            point = True
    if delimiter == ",":
        return Marks(".", "")
    if comma and not (point and not grouping_point):
        return Marks(",", "." if grouping_point else "")
    if grouping_comma or (lone_comma and point):
        return Marks(".", ",")
    if lone_comma and not point:
        return Marks(",", "")
    return Marks(".", "")
