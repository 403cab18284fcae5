"""What describes a column: how many, from where to where, mean and scatter."""

import math
from typing import NamedTuple

import numpy as np

from agent.data.rounding import EXACT, decimals, shortest, significant
from agent.readers.records import Column


class Summary(NamedTuple):
    """Of the numbers of a column; `sd` is that of a sample (n - 1), None for one number."""

    n: int
    least: float
    most: float
    mean: float
    sd: float | None


def summary(column: Column) -> Summary | None:
    """None for a column without numbers."""
    if not column.numbers:
        return None
    values = np.asarray(column.numbers, dtype=float)
    size = float(np.abs(values).max())
    unit = size if size > 1e100 or 0 < size < 1e-100 else 1.0  # squares of others stay within a double
    near = values / unit
    sd = float(near.std(ddof=1)) * unit if len(values) > 1 else None
    return Summary(len(values), float(values.min()), float(values.max()), float(near.mean()) * unit, sd)


def rescaled(found: Summary, unit: float) -> Summary:
    """The same in another unit: all but the number of values divided by `unit`."""
    sd = None if found.sd is None else found.sd / unit
    return Summary(found.n, found.least / unit, found.most / unit, found.mean / unit, sd)


def mean_text(found: Summary) -> tuple[str, str]:
    """Mean and standard deviation as printed: the deviation with three digits, the mean to the same place, and neither finer
    than double precision means. '' for a deviation that is not there: of one value, or beyond a double."""
    if found.sd is None:
        return shortest(found.mean), ""
    if not math.isfinite(found.sd) or found.sd <= EXACT * abs(found.mean):
        return shortest(found.mean), "0" if math.isfinite(found.sd) else ""
    deviation = significant(found.sd, 3)
    if "e" in deviation or abs(found.mean) >= 1e6:
        return significant(found.mean), deviation
    _, _, fraction = deviation.partition(".")
    return decimals(found.mean, len(fraction)), deviation
