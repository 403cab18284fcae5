"""Which columns belong together in a plot: what is x, what is y, which axes are logarithmic.

A series is one or more columns against the first column that runs in one direction. Left out are columns that say the same
again: constants, copies of x, multiples of an earlier y, whole series that another file holds as well.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from agent.data.rounding import EXACT
from agent.readers.records import Column, Table

Shape = Literal["spectrum", "curve", "points"]
LEAST_POINTS, MOST_PER_TABLE = 5, 3
_ERROR = re.compile(
    r"uncertainty (?:in|of)|uncertainty|\berr(?:or)?\b|^delta_|^sigma_?|σ|^u_|±|погрешность|不确定度|误差",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"count|cts|intensit|events|计数|счёт|импульс|отсч", re.IGNORECASE)
_CHANNEL = re.compile(r"chan|bin|канал|道|energy|энерг|能量", re.IGNORECASE)
_SECOND = re.compile(r"\[bwd\]|backward|\bbwd\b|retrace", re.IGNORECASE)
_FILTERED = re.compile(r"\[filt\]", re.IGNORECASE)
_PREFERRED = re.compile(r"^current$|demod 1 x$|^li.*1.*x$", re.IGNORECASE)


class Series(NamedTuple):
    """One plot."""

    table: Table
    x: Column
    y: Column
    others: tuple[Column, ...] = ()
    """Drawn into the same axes: the way back of a sweep."""
    error: Column | None = None
    """Uncertainty of `y`."""
    shape: Shape = "curve"
    log_x: bool = False
    log_y: bool = False

    @property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs in which both are numbers."""
        return pairs(self.x, self.y)


class Recognised(NamedTuple):
    """What a set of tables is to a report."""

    series: tuple[Series, ...]
    copies: dict[int, int]
    """Index of a table that holds the numbers of an earlier one, and of that one."""
    left_out: dict[int, tuple[str, ...]]
    """By index of a table: why columns of it are not drawn."""


def recognise(tables: Sequence[Table]) -> Recognised:
    """Series of all tables, in their order."""
    seen: dict[tuple[bytes, ...], int] = {}
    drawn: dict[tuple[bytes, bytes], str] = {}
    """By x and by y over its own largest value, so that a normalised copy is one as well."""
    copies: dict[int, int] = {}
    left_out: dict[int, tuple[str, ...]] = {}
    series: list[Series] = []
    for i, table in enumerate(tables):
        key = tuple(_bytes(c) for c in table.columns if c.numeric)
        if key in seen:
            copies[i] = seen[key]
            continue
        seen[key] = i
        found, reasons = _of_table(table)
        for one in found:
            x, y = one.points
            same = (x.tobytes(), np.round(y / np.abs(y).max(), 6).tobytes())
            if same in drawn:
                reasons.append(f"{one.y.name}: the same values, or a multiple, as in {drawn[same]}")
                continue
            drawn[same] = " ".join(p for p in (table.path, table.name) if p)
            series.append(one)
        left_out[i] = tuple(reasons)
    return Recognised(tuple(series), copies, left_out)


def pairs(x: Column, y: Column) -> tuple[np.ndarray, np.ndarray]:
    """Values of two columns where both have one."""
    both = [(a, b) for a, b in zip(x.values, y.values, strict=True) if a is not None and b is not None]
    values = np.asarray(both, dtype=float).reshape(-1, 2)
    return values[:, 0], values[:, 1]


def _of_table(table: Table) -> tuple[list[Series], list[str]]:
    reasons: list[str] = []
    columns = [c for c in table.columns if c.numeric]
    errors = _errors(columns)
    x = _abscissa(columns, errors)
    if x is None:
        return [], (["no column runs in one direction"] if len(columns) > 1 else [])
    found: list[Series] = []
    candidates = [c for c in columns if c is not x and c not in errors and not _FILTERED.search(c.name)]
    backward = [c for c in candidates if _SECOND.search(c.name)]
    forward = [c for c in candidates if c not in backward]
    taken: list[np.ndarray] = []
    for y in sorted(forward, key=lambda c: not _PREFERRED.search(c.name)):
        xs, ys = pairs(x, y)
        reason = _pointless(xs, ys, taken)
        if reason is None and len(found) >= MOST_PER_TABLE:
            reason = "more columns than plots"
        if reason == "copy":
            continue
        if reason:
            reasons.append(f"{y.name}: {reason}")
            continue
        taken.append(ys)
        way_back = tuple(c for c in backward if _SECOND.sub("", c.name).split() == y.name.split() and c.unit == y.unit)
        found.append(_series(table, x, y, way_back, _error_of(y, columns, errors), xs, ys))
    return found, reasons


def _series(
    table: Table, x: Column, y: Column, others: tuple[Column, ...], error: Column | None, xs: np.ndarray, ys: np.ndarray
) -> Series:
    if _is_spectrum(x, y, xs, ys):
        return Series(table, x, y, others, None, "spectrum", log_y=float(ys.max()) > 100)
    log_y = bool((ys > 0).all()) and float(ys.max() / ys.min()) > 1000
    log_x = bool((xs > 0).all()) and float(xs.max() / xs.min()) > 300 and _even(np.log(xs))
    ordered = bool((np.diff(xs) > 0).all() or (np.diff(xs) < 0).all())
    return Series(table, x, y, others, error, "curve" if ordered else "points", log_x, log_y)


def _errors(columns: Sequence[Column]) -> list[Column]:
    """Columns named like an uncertainty, where there is something for it to belong to: `u_V` alone beside a time is a voltage."""
    named = [c for c in columns if _ERROR.search(c.name)]
    others = [c.name.lower() for c in columns if c not in named]
    return named if len(others) > 1 else [c for c in named if _bare(c) in others]


def _bare(error: Column) -> str:
    return _ERROR.sub("", error.name).strip(" _()").lower()


def _abscissa(columns: Sequence[Column], errors: Sequence[Column]) -> Column | None:
    """The first column that runs in one direction; failing that, the first with many different values."""
    usable = [c for c in columns if len(c.numbers) >= LEAST_POINTS and c not in errors]
    if len(usable) < 2:
        return None
    for column in usable:
        steps = np.diff(np.asarray(column.numbers))
        if (steps > 0).all() or (steps < 0).all():
            return column
    for column in usable:
        if len(set(column.numbers)) >= 3 and _repeats(np.asarray(column.numbers)):
            return column
    first = usable[0]
    return first if len(set(first.numbers)) * 2 >= len(first.numbers) else None


def _repeats(values: np.ndarray) -> bool:
    """Whether values run through the same range again and again, at least three steps at a time."""
    steps = np.sign(np.diff(values))
    if (steps == 0).any():
        return False
    way = 1.0 if (steps > 0).sum() >= (steps < 0).sum() else -1.0
    turns = int((steps == -way).sum())
    return len(values) / (turns + 1) >= 3


def _pointless(xs: np.ndarray, ys: np.ndarray, taken: Sequence[np.ndarray]) -> str | None:
    if len(xs) < LEAST_POINTS:
        return "too few values"
    span = float(ys.max()) - float(ys.min())
    if not span < np.inf:
        return "values beyond what can be drawn"
    if span <= EXACT * float(np.abs(ys).max()):
        return "constant"
    if np.allclose(xs, ys, rtol=1e-6, atol=float(np.abs(xs).max()) * 1e-6):
        return "copy"
    for other in taken:
        if len(other) == len(ys):
            size = float(np.dot(other, other))
            factor = float(np.dot(other, ys)) / size if size else 0.0
            if np.allclose(ys, factor * other, rtol=2e-3, atol=float(np.abs(ys).max()) * 2e-3):
                return "a multiple of a column that is drawn"
    return None


def _error_of(y: Column, columns: Sequence[Column], errors: Sequence[Column]) -> Column | None:
    named = [e for e in errors if _bare(e) == y.name.lower() and e.unit == y.unit]
    following = columns[columns.index(y) + 1 :][:1]
    return named[0] if named else next((e for e in following if e in errors and e.unit == y.unit), None)


def _is_spectrum(x: Column, y: Column, xs: np.ndarray, ys: np.ndarray) -> bool:
    """Counts in many equal bins."""
    if len(xs) < 64 or (ys < 0).any() or (ys != np.round(ys)).any():
        return False
    named = bool(_COUNTS.search(y.name) or _CHANNEL.search(x.name) or y.unit in ("counts", "cts"))
    return named and _even(xs)


def _even(values: np.ndarray) -> bool:
    steps = np.diff(values)
    return float(np.ptp(steps)) <= 0.5 * float(np.abs(steps).mean())


def _bytes(column: Column) -> bytes:
    return np.asarray([np.nan if v is None else v for v in column.values], dtype=float).tobytes()
