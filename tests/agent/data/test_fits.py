"""Series, fits, statistics and rounding: planted parameters come back, and nothing is fitted to what has no shape."""

import numpy as np
import pytest

from agent.data.fits import best_fit, spectrum_peaks
from agent.data.rounding import measured, shortest, significant
from agent.data.series import Series, recognise
from agent.data.statistics import mean_text, summary
from agent.readers.records import Column, Table

RANDOM = np.random.default_rng(3)


def table(path: str = "a.csv", **columns: np.ndarray) -> Table:
    made = tuple(Column(name=n.replace("_", " "), values=tuple(map(float, v))) for n, v in columns.items())
    return Table(path=path, columns=made, rows=tuple(range(2, 2 + len(made[0].values))))


def only(**columns: np.ndarray) -> Series:
    (series,) = recognise([table(**columns)]).series
    return series


X = np.linspace(1, 10, 40)


@pytest.mark.parametrize(
    ("model", "y", "expected"),
    [
        ("linear", 2.5 * X - 1, {"slope": 2.5, "intercept": -1}),
        ("exponential", 5 * np.exp(-X / 2.2) + 0.4, {"constant": 2.2, "offset": 0.4}),
        ("power", 3 * X**-1.5, {"exponent": -1.5}),
        ("resonance", 13 / np.sqrt(1 + 9 * (X / 4.3 - 4.3 / X) ** 2), {"centre": 4.3, "quality": 3, "amplitude": 13}),
        ("lorentz", 4 / (1 + ((X - 6) / 0.8) ** 2) + 1, {"centre": 6, "width": 1.6}),
        ("gaussian", -4 * np.exp(-0.5 * ((X - 6) / 0.8) ** 2) + 9, {"centre": 6, "width": 2.3548 * 0.8}),
    ],
)
def test_planted_parameters_come_back(model: str, y: np.ndarray, expected: dict[str, float]) -> None:
    noise = RANDOM.normal(0, 0.002 * np.ptp(y), len(X))
    fit = best_fit(only(x=X, y=y + noise))
    assert fit is not None
    assert fit.model == model
    found = {p.name: p for p in fit.parameters}
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, abs=6 * found[name].error + 1e-9)
        assert found[name].error < 0.1 * abs(value) + 0.05


def test_nothing_is_fitted_to_noise_or_steps() -> None:
    assert best_fit(only(x=X, y=RANDOM.normal(0, 1, 40))) is None
    assert best_fit(only(x=X, y=np.where(X < 5, 0.0, 1.0) + RANDOM.normal(0, 0.01, 40))) is None


def test_what_misses_most_of_a_logarithmic_axis_is_no_fit() -> None:
    series = only(i=np.arange(1.0, 6), value=np.array([8, 1.297, 3.268e-6, 1.808e-3, 6.39e-4]))
    assert series.log_y
    assert best_fit(series) is None
    decay = best_fit(only(t=X, U=9 * np.exp(-X)))
    assert decay is not None
    assert decay.model == "exponential"


def test_values_that_differ_by_rounding_alone_are_constant() -> None:
    noise = RANDOM.choice([-1.0, 0.0, 1.0], 40) * 4e-19
    found = recognise([table(i=X, square=0.0025 + noise), table(i=X, huge=np.where(X > 5, 1.7e308, -1.7e308))])
    assert found.series == ()
    assert found.left_out == {0: ("square: constant",), 1: ("huge: values beyond what can be drawn",)}


def test_a_model_that_misses_something_says_so() -> None:
    fit = best_fit(only(x=X, y=X + 0.25 * np.sin(X * 1.5)))
    assert fit is not None
    assert fit.systematic


def test_lines_of_a_spectrum() -> None:
    channel = np.arange(1, 1025)
    rate = 200 * np.exp(-channel / 300) + 20
    for area, centre, sigma in ((9000, 200, 6), (4000, 640, 12)):
        rate = rate + area / (sigma * np.sqrt(2 * np.pi)) * np.exp(-0.5 * ((channel - centre) / sigma) ** 2)
    series = only(Channel=channel, Counts=RANDOM.poisson(rate))
    assert (series.shape, series.log_y) == ("spectrum", True)
    peaks = spectrum_peaks(series)
    assert [round(p.centre.value) for p in peaks] == pytest.approx([200, 640], abs=2)
    assert [p.area.value for p in peaks] == pytest.approx([9000, 4000], rel=0.1)
    assert [p.width.value for p in peaks] == pytest.approx([2.355 * 6, 2.355 * 12], rel=0.1)
    flat = only(Channel=channel, Counts=RANDOM.poisson(np.full(1024, 50.0)))
    assert len(spectrum_peaks(flat)) <= 1


def test_what_says_the_same_again_is_not_drawn() -> None:
    first = table("a.csv", f=X, U=X**2, ratio=X**2 / 100, again=X, flat=np.ones(40))
    copy = table("b.csv", f=X, U=X**2, ratio=X**2 / 100, again=X, flat=np.ones(40))
    scaled = table("c.csv", f=X, V=X**2 / 7)
    found = recognise([first, copy, scaled])
    assert [(s.table.path, s.y.name) for s in found.series] == [("a.csv", "U")]
    assert found.copies == {1: 0}
    assert any("multiple" in r for r in found.left_out[0])
    assert any("constant" in r for r in found.left_out[0])
    assert found.left_out[2] == ("V: the same values, or a multiple, as in a.csv",)


def test_ways_back_and_error_bars_join_their_series() -> None:
    made = table(V=X, Current=np.sin(X), **{"Current [bwd]": np.sin(X) + 0.1})
    (series,) = recognise([made]).series
    assert [c.name for c in series.others] == ["Current [bwd]"]
    (series,) = recognise([table(t=X, U=np.sin(X), **{"Uncertainty in U": np.full(40, 0.1)})]).series
    assert series.error is not None


def named(**columns: np.ndarray) -> Table:
    made = tuple(Column(name=n, values=tuple(map(float, v))) for n, v in columns.items())
    return Table(path="a.csv", columns=made, rows=tuple(range(2, 42)))


def test_what_is_named_like_an_uncertainty_of_nothing_is_a_quantity() -> None:
    (series,) = recognise([named(t_s=X, u_V=2 * X + np.sin(X))]).series
    assert (series.x.name, series.y.name) == ("t_s", "u_V")
    assert not recognise([named(V=X, u_V=np.cos(X))]).series, "the uncertainty of what stands beside it"
    (series,) = recognise([named(t=X, V=np.sin(X), u_V=np.full(40, 0.1))]).series
    assert series.error is not None


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (4.5123, 0.0131, "4.512(13)"),
        (4.5123, 0.031, "4.51(3)"),
        (12288.0, 658.0, "12300(700)"),
        (1.234e-11, 5e-14, "1.234(5)e-11"),
        (0.0, 0.02, "0.000(20)"),
        (5.0, 0.0, "5"),
        (2.0000000000000004, 9e-16, "2"),
        (0.49999999999999994, 4e-17, "0.5"),
    ],
)
def test_errors_have_one_or_two_digits(value: float, error: float, text: str) -> None:
    assert measured(value, error) == text


def test_digits() -> None:
    assert [significant(v) for v in (0, 1234, 0.123456, 1234567.8, 1.2e-7, 12.0)] == [
        "0",
        "1234",
        "0.1235",
        "1.235e6",
        "1.200e-7",
        "12",
    ]
    assert [shortest(v) for v in (0.1 + 0.2, 1e-12, 100)] == ["0.3", "1e-12", "100"]


def test_statistics() -> None:
    found = summary(Column(name="x", values=(1.0, None, 2.0, 4.5)))
    assert found is not None
    assert (found.n, found.least, found.most) == (3, 1.0, 4.5)
    assert mean_text(found) == ("2.50", "1.80")
    assert summary(Column(name="x", values=(None,))) is None


def test_a_single_value_has_no_deviation() -> None:
    found = summary(Column(name="x", values=(None, 2.0)))
    assert found is not None
    assert mean_text(found) == ("2", "")


@pytest.mark.parametrize("size", [1.6e308, 1.0, 1e-300])
def test_statistics_of_any_size(size: float) -> None:
    found = summary(Column(name="x", values=(size, -size, 0.5 * size, size)))
    assert found is not None
    assert found.mean / size == pytest.approx(0.375)
    assert found.sd is not None
    assert found.sd / size == pytest.approx(0.946485)
    mean, deviation = mean_text(found)
    assert float(mean) / size == pytest.approx(0.375, rel=0.01)
    assert float(deviation) / size == pytest.approx(0.946485, rel=0.01)
