"""Fits that data ask for: a model is offered only where it describes them, with standard errors and its shortcomings.

Least squares with equal weights; standard errors from the scatter of the residuals. The model with the lowest corrected
Akaike criterion is taken, and none where it explains less than 98 % of the variance, or less than 80 % of that of the
logarithms where these are drawn. Resonance is the amplitude of a
driven series circuit, A / sqrt(1 + Q^2 (x/x0 - x0/x)^2).
"""

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from agent.data.series import Series

LEAST_EXPLAINED, LEAST_EXPLAINED_LOG, MOST_POINTS = 0.98, 0.8, 20_000
Model = Callable[..., np.ndarray]


class Parameter(NamedTuple):
    """One fitted number."""

    name: str
    """Key of the texts: `slope`, `centre`, `quality` ..."""
    value: float
    error: float
    unit: str


class Fit(NamedTuple):
    """A model that describes a series."""

    model: str
    """`linear`, `exponential`, `power`, `gaussian`, `lorentz`, `resonance`."""
    parameters: tuple[Parameter, ...]
    raw: tuple[float, ...]
    """Arguments of the model, for drawing."""
    explained: float
    """Coefficient of determination."""
    scatter: float
    """Standard deviation of the residuals, in units of y."""
    points: int
    systematic: bool
    """Whether residuals keep their sign longer than chance would let them: the model misses something."""


def linear(x: np.ndarray, slope: float, offset: float) -> np.ndarray:
    """A line."""
    return slope * x + offset


def exponential(x: np.ndarray, size: float, rate: float, offset: float) -> np.ndarray:
    """Decay or growth towards or from an offset."""
    return size * np.exp(np.clip(rate * x, -700, 700)) + offset


def power(x: np.ndarray, size: float, exponent: float) -> np.ndarray:
    """For positive x."""
    return size * x**exponent


def gaussian(x: np.ndarray, size: float, centre: float, sigma: float, offset: float) -> np.ndarray:
    """A peak on a constant."""
    return size * np.exp(-0.5 * ((x - centre) / sigma) ** 2) + offset


def lorentz(x: np.ndarray, size: float, centre: float, half: float, offset: float) -> np.ndarray:
    """A peak on a constant; `half` is its half width."""
    return size / (1 + ((x - centre) / half) ** 2) + offset


def resonance(x: np.ndarray, size: float, centre: float, quality: float) -> np.ndarray:
    """Amplitude of a driven series circuit."""
    return size / np.sqrt(1 + quality**2 * (x / centre - centre / x) ** 2)


MODELS: dict[str, Model] = {
    "linear": linear,
    "exponential": exponential,
    "power": power,
    "gaussian": gaussian,
    "lorentz": lorentz,
    "resonance": resonance,
}


class _Try(NamedTuple):
    model: str
    start: tuple[float, ...]


def best_fit(series: Series) -> Fit | None:
    """The model that describes a series, None where none does."""
    x, y = series.points
    if not 5 <= len(x) <= MOST_POINTS or series.shape == "spectrum" or len(np.unique(x)) < 5:
        return None
    total = float(((y - y.mean()) ** 2).sum())
    if not (np.isfinite(total) and total > 0):
        return None
    best: tuple[float, Fit] | None = None
    for attempt in _tries(x, y):
        found = _fitted(attempt, x, y, total, series)
        if found is not None and (best is None or found[0] < best[0] - 2):
            best = found
    return best[1] if best else None


def _tries(x: np.ndarray, y: np.ndarray) -> list[_Try]:
    """Models worth a try, simple ones first: a later one must be clearly better."""
    slope, offset = np.polyfit(x, y, 1)
    tries = [_Try("linear", (float(slope), float(offset)))]
    span_x, span_y = float(np.ptp(x)), float(np.ptp(y))
    if (x > 0).all() and (y > 0).all() and x.max() / x.min() > 3:
        exponent, size = np.polyfit(np.log(x), np.log(y), 1)
        tries.append(_Try("power", (float(np.exp(size)), float(exponent))))
    peak = _peak(x, y)
    if peak is not None:
        centre, width, size, offset = peak
        if size > 0 and (x > 0).all() and (y >= 0).all():
            tries.append(_Try("resonance", (float(y.max()), centre, max(0.5, centre / width))))
        tries.append(_Try("lorentz", (size, centre, width / 2, offset)))
        tries.append(_Try("gaussian", (size, centre, width / 2.355, offset)))
    elif len(x) >= 6 and _monotone(y):
        order = np.argsort(x)
        first, last = float(y[order][0]), float(y[order][-1])
        middle = float(np.interp((x.min() + x.max()) / 2, x[order], y[order]))
        decays = abs(first - middle) > abs(middle - last)
        rate = (-2 if decays else 2) / span_x
        anchor = last if decays else first
        size = (first - anchor) * np.exp(-rate * x.min()) if decays else (last - anchor) * np.exp(-rate * x.max())
        if np.isfinite(size) and size != 0 and span_y > 0:
            tries.append(_Try("exponential", (float(size), float(rate), anchor)))
    return tries


def _fitted(attempt: _Try, x: np.ndarray, y: np.ndarray, total: float, series: Series) -> tuple[float, Fit] | None:
    from scipy.optimize import OptimizeWarning, curve_fit

    n, k = len(x), len(attempt.start)
    if n < k + 2:
        return None
    model = MODELS[attempt.model]
    scale = float(np.abs(y).max())
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error", OptimizeWarning)
        try:
            linear_in = _LINEAR_IN[attempt.model]
            start = [v / scale if i in linear_in else v for i, v in enumerate(attempt.start)]
            found, covariance = curve_fit(model, x, y / scale, p0=start, maxfev=4000)
        except (RuntimeError, ValueError, OptimizeWarning, TypeError):
            return None
        units = np.asarray([scale if i in linear_in else 1.0 for i in range(k)])
        raw = np.asarray(found) * units
        errors = np.sqrt(np.diag(covariance)) * units
        residuals = y - model(x, *raw)
    squares = float((residuals**2).sum())
    explained = 1 - squares / total
    if not (np.isfinite(errors).all() and np.isfinite(explained)) or explained < LEAST_EXPLAINED:
        return None
    if series.log_y and not _on_log_axis(y, model(x, *raw)):
        return None
    if attempt.model in ("gaussian", "lorentz", "resonance") and not x.min() < raw[1] < x.max():
        return None
    if attempt.model == "exponential" and (errors[1] > 0.3 * abs(raw[1]) or abs(raw[1]) * np.ptp(x) < 0.3):
        return None
    systematic = _systematic(residuals[np.argsort(x)]) and explained < 1 - 1e-9
    if attempt.model in ("gaussian", "lorentz") and systematic and explained < 0.995:
        return None
    if attempt.model in ("exponential", "gaussian", "lorentz", "resonance") and errors[0] > 0.5 * abs(raw[0]):
        return None
    floor = max(squares, total * 1e-14)
    criterion = n * float(np.log(floor / n)) + 2 * (k + 1) + 2 * (k + 1) * (k + 2) / max(1, n - k - 2)
    return criterion, Fit(
        model=attempt.model,
        parameters=_named(attempt.model, raw, errors, series),
        raw=tuple(float(v) for v in raw),
        explained=explained,
        scatter=float(np.sqrt(squares / (n - k))),
        points=n,
        systematic=systematic,
    )


_LINEAR_IN = {
    "linear": (0, 1),
    "exponential": (0, 2),
    "power": (0,),
    "gaussian": (0, 3),
    "lorentz": (0, 3),
    "resonance": (0,),
}


def _named(model: str, raw: np.ndarray, errors: np.ndarray, series: Series) -> tuple[Parameter, ...]:
    x, y = series.x.unit, series.y.unit
    if model == "linear":
        return (Parameter("slope", raw[0], errors[0], _ratio(y, x)), Parameter("intercept", raw[1], errors[1], y))
    if model == "exponential":
        constant = abs(1 / raw[1])
        return (
            Parameter("constant", constant, errors[1] / raw[1] ** 2, x),
            Parameter("amplitude", raw[0], errors[0], y),
            Parameter("offset", raw[2], errors[2], y),
        )
    if model == "power":
        return (Parameter("exponent", raw[1], errors[1], ""),)
    if model == "resonance":
        return (
            Parameter("centre", raw[1], errors[1], x),
            Parameter("quality", abs(raw[2]), errors[2], ""),
            Parameter("amplitude", raw[0], errors[0], y),
        )
    width = 2.0 if model == "lorentz" else 2.354820045
    return (
        Parameter("centre", raw[1], errors[1], x),
        Parameter("width", abs(raw[2]) * width, errors[2] * width, x),
        Parameter("amplitude", raw[0], errors[0], y),
        Parameter("offset", raw[3], errors[3], y),
    )


def _ratio(y: str, x: str) -> str:
    if y and x:
        return "" if y == x else f"{y}/{x}" if "/" not in y + x and " " not in y + x else ""
    return y if y else f"1/{x}" if x and "/" not in x and " " not in x else ""


def _peak(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float, float] | None:
    """Centre, full width, height and base of a peak (or dip) within the range, None when there is none."""
    order = np.argsort(x)
    x, y = x[order], y[order]
    for sign in (1, -1):
        z = sign * y
        top = int(z.argmax())
        base = float(min(z[0], z[-1]))
        height = float(z[top]) - base
        if not 0 < top < len(z) - 1 or height <= 0:
            continue
        if max(z[0], z[-1]) - base > 0.6 * height:
            continue
        above = np.nonzero(z > base + height / 2)[0]
        width = float(x[above[-1]] - x[above[0]]) or float(np.median(np.diff(x)))
        return float(x[top]), width, sign * height, sign * base
    return None


def _monotone(y: np.ndarray) -> bool:
    steps = np.diff(y)
    return max(float((steps > 0).mean()), float((steps < 0).mean())) > 0.7


def _on_log_axis(y: np.ndarray, fitted: np.ndarray) -> bool:
    """Whether a model describes positive values over all powers of ten, and not only the greatest of them."""
    if not (fitted > 0).all():
        return False
    logs = np.log(y)
    missed = float(((logs - np.log(fitted)) ** 2).sum())
    return missed < (1 - LEAST_EXPLAINED_LOG) * float(((logs - logs.mean()) ** 2).sum())


def _systematic(residuals: np.ndarray) -> bool:
    """Runs test at three standard deviations."""
    signs = residuals[residuals != 0] > 0
    n = len(signs)
    plus = int(signs.sum())
    minus = n - plus
    if n < 8 or not plus or not minus:
        return False
    runs = 1 + int((signs[1:] != signs[:-1]).sum())
    expected = 1 + 2 * plus * minus / n
    variance = (expected - 1) * (expected - 2) / (n - 1)
    return variance > 0 and (runs - expected) / variance**0.5 < -2.5


class Peak(NamedTuple):
    """A line of a spectrum: a Gaussian on a straight background, fitted to counts with Poisson weights."""

    centre: Parameter
    width: Parameter
    """Full width at half maximum."""
    area: Parameter
    """Counts above the background."""


def spectrum_peaks(series: Series, most: int = 10) -> tuple[Peak, ...]:
    """Lines of a spectrum, in order of x: those that stand clearly above their background and that a Gaussian describes."""
    from scipy.signal import find_peaks, peak_widths, savgol_filter

    x, y = series.points
    window = max(7, len(x) // 130) | 1
    smooth = savgol_filter(y, window, 2)
    noise = np.sqrt(np.maximum(smooth, 1) / window) * 2
    tops, _ = find_peaks(smooth, prominence=np.maximum(5 * noise.max() * 0.02, 4 * noise), width=3)
    widths, *_ = peak_widths(smooth, tops, rel_height=0.5)
    found: list[Peak] = []
    for top, width in sorted(zip(tops, widths, strict=True), key=lambda p: -smooth[p[0]] * p[1])[: 3 * most]:
        reach = max(4, round(float(1.1 * width)))
        part = slice(max(0, top - reach), min(len(x), top + reach + 1))
        peak = _line(x[part], y[part], float(x[top]), float(width) * float(abs(x[1] - x[0])), series)
        if peak is not None and all(abs(p.centre.value - peak.centre.value) > peak.width.value / 2 for p in found):
            found.append(peak)
    strongest = sorted(found, key=lambda p: -p.area.value)[:most]
    return tuple(sorted(strongest, key=lambda p: p.centre.value))


def _line(x: np.ndarray, y: np.ndarray, centre: float, width: float, series: Series) -> Peak | None:
    from scipy.optimize import OptimizeWarning, curve_fit

    def shape(x: np.ndarray, area: float, centre: float, sigma: float, base: float, slope: float) -> np.ndarray:
        peak: np.ndarray = area * step / (abs(sigma) * np.sqrt(2 * np.pi)) * np.exp(-0.5 * ((x - centre) / sigma) ** 2)
        return peak + base + slope * (x - middle)

    step, middle = float(abs(x[1] - x[0])), float(x.mean())
    base = float(min(y[:3].mean(), y[-3:].mean()))
    height = max(float(y.max()) - base, 1.0)
    start = (height * width / step * 1.06, centre, width / 2.355, base, 0.0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error", OptimizeWarning)
        try:
            raw, covariance = curve_fit(
                shape, x, y, p0=start, sigma=np.sqrt(np.maximum(y, 1)), absolute_sigma=True, maxfev=3000
            )
        except (RuntimeError, ValueError, OptimizeWarning, TypeError):
            return None
        errors = np.sqrt(np.diag(covariance))
        chi2 = float((((y - shape(x, *raw)) ** 2) / np.maximum(y, 1)).sum()) / max(1, len(x) - 5)
        misfit = float(np.sqrt(np.mean((y - shape(x, *raw)) ** 2))) / height
    sigma = abs(float(raw[2]))
    if not np.isfinite(errors).all() or raw[0] < 6 * errors[0] or not x.min() < raw[1] < x.max():
        return None
    if not 1.5 * step < 2.355 * sigma < 1.2 * float(np.ptp(x)) or errors[1] > sigma / 2:
        return None
    if chi2 > 12 and misfit > 0.06:
        return None
    grow = max(1.0, chi2) ** 0.5
    unit = series.x.unit
    return Peak(
        Parameter("centre", float(raw[1]), float(errors[1]) * grow, unit),
        Parameter("width", 2.354820045 * sigma, 2.354820045 * float(errors[2]) * grow, unit),
        Parameter("area", float(raw[0]), float(errors[0]) * grow, ""),
    )


def curve(fit: Fit, series: Series, points: int = 300) -> tuple[Sequence[float], Sequence[float]]:
    """The fitted model over the range of the series."""
    x, _ = series.points
    low, high = float(x.min()), float(x.max())
    at = np.geomspace(low, high, points) if series.log_x and low > 0 else np.linspace(low, high, points)
    return at.tolist(), MODELS[fit.model](at, *fit.raw).tolist()
