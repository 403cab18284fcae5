"""What describes a column: how many, from where to where, mean and scatter."""

from typing import NamedTuple

import numpy as np

from agent.data.rounding import decimals, shortest, significant
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
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(values.mean())
        sd = float(values.std(ddof=1)) if len(values) > 1 else None
    return Summary(len(values), float(values.min()), float(values.max()), mean, sd)


def rescaled(found: Summary, unit: float) -> Summary:
    """The same in another unit: all but the number of values divided by `unit`."""
    sd = None if found.sd is None else found.sd / unit
    return Summary(found.n, found.least / unit, found.most / unit, found.mean / unit, sd)


def mean_text(found: Summary) -> tuple[str, str]:
    """Mean and standard deviation as printed: the deviation with two digits, the mean one place finer than its own error
    would need, and neither finer than double precision means."""
    if found.sd is None or found.sd <= 1e-9 * max(abs(found.mean), 1e-300):
        return shortest(found.mean), "0"
    deviation = significant(found.sd, 3)
    if "e" in deviation or abs(found.mean) >= 1e6:
        return significant(found.mean), deviation
    _, _, fraction = deviation.partition(".")
    return decimals(found.mean, len(fraction)), deviation
