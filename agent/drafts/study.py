"""What can be said of the data without a model: series, fits, lines; the same for a draft of ours and for a model's facts."""

import warnings
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from agent.data.fits import Fit, Peak, best_fit, spectrum_peaks
from agent.data.series import Series, recognise
from agent.readers.records import Readings, Table

MOST_SERIES = 24
"""Plots of one report."""


class Studied(NamedTuple):
    """A series and what describes it."""

    series: Series
    label: str
    """Of its figure."""
    fit: Fit | None
    peaks: tuple[Peak, ...]


class Study(NamedTuple):
    """The data of a folder."""

    tables: tuple[Table, ...]
    studied: tuple[Studied, ...]
    copies: Mapping[int, int]
    left_out: Mapping[int, tuple[str, ...]]
    beyond: int
    """Series that are not drawn because there are too many."""

    def of(self, table: Table) -> tuple[Studied, ...]:
        """The series of a table."""
        return tuple(s for s in self.studied if s.series.table is table)


def study(readings: Readings) -> Study:
    """Series of all tables, each with what describes it. Deterministic."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of values near the end of a double; what is not finite is not used
        return _study(readings)


def _study(readings: Readings) -> Study:
    found = recognise(readings.tables)
    studied = []
    for number, series in enumerate(found.series[:MOST_SERIES], 1):
        spectrum = series.shape == "spectrum"
        studied.append(
            Studied(
                series,
                f"fig:series-{number}",
                None if spectrum else best_fit(series),
                spectrum_peaks(series) if spectrum else (),
            )
        )
    beyond = max(0, len(found.series) - MOST_SERIES)
    return Study(readings.tables, tuple(studied), found.copies, found.left_out, beyond)
