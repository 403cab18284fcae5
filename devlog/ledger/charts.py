"""Charts as numbers: what the page's template turns into SVG. Places and widths are per cent, heights are pixels."""

from collections.abc import Sequence
from typing import NamedTuple

from devlog.ledger.figures import dollars, short
from devlog.ledger.period import Bin, Bins
from devlog.ledger.record import Flow, Taken

HEIGHT = 96
"""Pixels of the tallest column."""
WIDEST = 4.5
"""Per cent of the widest column, so that a few days do not become a wall."""


class Column(NamedTuple):
    """One bar that stands."""

    x: float
    width: float
    y: float
    height: float
    said: str
    """What it says when pointed at."""


class DayChart(NamedTuple):
    """One kind of event over time."""

    id: str
    name: str
    total: str
    peak: str
    """The largest number, which the upper line stands for."""
    said: str
    """The chart in one sentence."""
    columns: tuple[Column, ...]


def day_charts(cut: Bins) -> tuple[DayChart, ...]:
    """Commits, devlog entries and runs, each on its own scale; one without any is left out."""
    kinds = (("commits", "Commits"), ("entries", "Devlog entries"), ("runs", "Runs"))
    charts = (_day_chart(cut, id_, name) for id_, name in kinds)
    return tuple(chart for chart in charts if chart.columns)


def _day_chart(cut: Bins, id_: str, name: str) -> DayChart:
    numbers: list[int] = [getattr(b, id_) for b in cut.bins]
    peak = max(numbers)
    pairs = zip(cut.bins, numbers, strict=True)
    columns = [_column(place, b, n, peak, len(numbers)) for place, (b, n) in enumerate(pairs) if n]
    busiest = cut.bins[numbers.index(peak)].label
    said = f"{name} by {cut.unit}: {sum(numbers):,} in all, most in {busiest} with {peak:,}."
    return DayChart(id_, name, f"{sum(numbers):,}", f"{peak:,}", said, tuple(columns))


def _column(place: int, bin_: Bin, number: int, peak: int, count: int) -> Column:
    slot = 100 / count
    width = min(WIDEST, slot * (0.86 if count < 60 else 0.94))
    height = max(2.0, HEIGHT * number / peak)
    return Column(
        round(slot * place + (slot - width) / 2, 3), round(width, 3), round(HEIGHT - height, 2), round(height, 2),
        f"{bin_.label}: {number:,}",
    )  # fmt: skip


class Piece(NamedTuple):
    """A part of a bar that lies."""

    kind: str
    """Its colour."""
    x: float
    width: float
    said: str


class Bar(NamedTuple):
    """One row."""

    name: str
    note: str
    """The number, for people."""
    pieces: tuple[Piece, ...]
    said: str
    """The row in one sentence."""


def flow_bars(flow: Flow) -> tuple[Bar, ...]:
    """A waterfall: what is left of the claims after each stage, and where the rest went."""
    whole = max(flow.raised, flow.findings, 1)
    left = max(flow.raised - flow.refused - flow.merged, flow.findings)
    rows = [("raised", "raised", 0, flow.raised), ("refused at admission", "refused", flow.raised - flow.refused, flow.refused),
            ("merged, or not of the change", "merged", left, flow.merged)]  # fmt: skip
    begin = 0
    for name in ("confirmed", "uncertain", "unverified", "dismissed"):
        number = getattr(flow, name)
        rows.append((_NAMES[name], name, begin, number))
        begin += number
    bars = []
    for title, kind, at, number in rows:
        piece = Piece(kind, _share(at, whole), max(0.5, _share(number, whole)), f"{title}: {number:,}")
        bars.append(Bar(title, f"{number:,}", (piece,) if number else (), f"{title}: {number:,} of {flow.raised:,}"))
    return tuple(bars)


_NAMES = {
    "confirmed": "confirmed",
    "uncertain": "open question",
    "unverified": "never verified",
    "dismissed": "overturned",
}


def token_bars(models: Sequence[Taken]) -> tuple[Bar, ...]:
    """A row for each stage and model: fresh input, cached input, output, on one scale."""
    whole = max((t.input_tokens + t.output_tokens for t in models), default=0) or 1
    return tuple(_token_bar(t, whole) for t in models)


def _token_bar(taken: Taken, whole: int) -> Bar:
    fresh = max(0, taken.input_tokens - taken.cached_tokens)
    parts = (("fresh", fresh), ("cached", taken.cached_tokens), ("output", taken.output_tokens))
    pieces = []
    begin = 0
    for kind, number in parts:
        if number:
            pieces.append(Piece(kind, _share(begin, whole), _share(number, whole), f"{kind}: {number:,} tokens"))
        begin += number
    said = ", ".join(f"{number:,} {kind}" for kind, number in parts)
    return Bar(f"{taken.stage} · {taken.model}", f"{short(begin)} tokens, {price(taken)}", tuple(pieces), said)


def price(taken: Taken) -> str:
    """What it cost, as far as that is known."""
    return (
        f"cost unknown for {taken.unpriced:,} of {taken.calls:,} calls" if taken.unpriced else dollars(taken.known_cost)
    )


def _share(number: int, whole: int) -> float:
    return round(100 * number / whole, 3)
