"""Plans of figures: what each series and each map looks like on paper."""

from importlib.resources import files

import numpy as np
from pydantic import JsonValue

from agent.data.fits import curve
from agent.data.quantities import column_source
from agent.data.series import Series, pairs
from agent.drafts.study import Studied, Study
from agent.drafts.words import Words
from agent.figures.draw import Plan
from agent.readers.records import Column, Grid, Readings
from agent.readers.units import scaled
from agent.records import Source

MOST_POINTS, MOST_MAPS = 6000, 12


def plans(study: Study, readings: Readings, words: Words) -> tuple[Plan, ...]:
    """Figures of a report, series first."""
    made = [_series(one, words) for one in study.studied]
    made += [_map(grid, number, words) for number, grid in enumerate(drawn_maps(readings), 1)]
    return tuple(made)


def drawn_maps(readings: Readings) -> tuple[Grid, ...]:
    """Maps worth a figure: not the same one from a second file."""
    seen, kept = set(), []
    for grid in readings.grids:
        key = (grid.name, grid.values[:8])
        if key not in seen:
            seen.add(key)
            kept.append(grid)
    return tuple(kept[:MOST_MAPS])


def map_label(number: int) -> str:
    """Of the figure of a map."""
    return f"fig:map-{number}"


def axis(column: Column, largest: float) -> tuple[str, float]:
    """Label of an axis and what its values are divided by."""
    unit, exponent = scaled(column.unit, largest)
    name = column.name.replace("$", r"\$")
    return (f"{name} ({unit})" if unit else name), 10.0**exponent


def _series(one: Studied, words: Words) -> Plan:
    series = one.series
    x, y = series.points
    x_label, x_unit = axis(series.x, float(np.abs(x).max()))
    y_label, y_unit = axis(series.y, float(np.abs(y).max()))
    keep = slice(None, None, max(1, len(x) // MOST_POINTS))
    data: dict[str, JsonValue] = {
        "x": (x[keep] / x_unit).tolist(),
        "y": (y[keep] / y_unit).tolist(),
        "x_label": x_label,
        "y_label": y_label,
        "shape": series.shape,
        "log_x": series.log_x,
        "log_y": series.log_y,
    }
    if series.error is not None and len(series.error.numbers) == len(x):
        data["error"] = [e / y_unit for e in series.error.numbers]
    if series.others:
        data["names"] = [series.y.name.replace("$", r"\$")]
        data["others"] = [_other(series, o, keep, x_unit, y_unit) for o in series.others]
    if one.fit is not None:
        at, model = curve(one.fit, series)
        data["fit"] = [[v / x_unit for v in at], [v / y_unit for v in model]]
        data["fit_name"] = words.plot_fit[one.fit.model]
    if one.peaks:
        data["lines"] = [[p.centre.value, float(np.interp(p.centre.value, *_sorted(x, y)))] for p in one.peaks]
    caption = words.caption_series.format(y=series.y.name, x=series.x.name, where=where(series))
    if one.fit is not None:
        caption += words.caption_fit.format(model=words.model[one.fit.model])
    if one.peaks:
        caption += words.caption_lines
    code = files("agent.figures.programs").joinpath("series.py").read_text("utf-8")
    sources = tuple(column_source(series.table, c) for c in (series.x, series.y, *series.others))
    return Plan(one.label, caption, code, data, sources)


def _other(series: Series, other: Column, keep: slice, x_unit: float, y_unit: float) -> dict[str, JsonValue]:
    x, y = pairs(series.x, other)
    return {"x": (x[keep] / x_unit).tolist(), "y": (y[keep] / y_unit).tolist(), "name": other.name.replace("$", r"\$")}


def _sorted(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(x)
    return x[order], y[order]


def where(series: Series) -> str:
    """File and sheet of a series."""
    return f"{series.table.path}, {series.table.name}" if series.table.name else series.table.path


def bar_of(grid: Grid) -> float:
    """A round length of about a quarter of the width, metres."""
    aim = grid.width_m / 4
    size = 10.0 ** np.floor(np.log10(aim))
    return float(size * max(m for m in (1, 2, 5) if m * size <= aim * 1.001))


def _map(grid: Grid, number: int, words: Words) -> Plan:
    unit, exponent = scaled("m", grid.width_m)
    length = 10.0**exponent
    span = max(abs(grid.most - grid.least), 1e-300)
    value_unit, value_exponent = scaled(grid.unit, span if grid.unit == "m" else max(abs(grid.least), abs(grid.most)))
    factor = 10.0**value_exponent
    bar = bar_of(grid)
    level = grid.unit == "m"
    data: dict[str, JsonValue] = {
        "values": [[None if v is None else v / factor for v in line] for line in grid.values],
        "width": grid.width_m / length,
        "height": grid.height_m / length,
        "bar": bar / length,
        "bar_name": f"{bar / length:g} {unit}",
        "value_label": f"{grid.name} ({value_unit})",
        "level": level,
    }
    caption = words.caption_map.format(name=grid.name, where=grid.path)
    if level:
        caption += words.caption_level
    code = files("agent.figures.programs").joinpath("map.py").read_text("utf-8")
    return Plan(map_label(number), caption, code, data, (Source(path=grid.path, place=f"channel {grid.name}"),))
