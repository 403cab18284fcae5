"""The ledger for a terminal."""

from collections.abc import Iterator, Sequence

from devlog.ledger.figures import dollars, short
from devlog.ledger.period import bins
from devlog.ledger.record import Ledger
from harness.files import displayable

ROWS = 20
"""Bars of the histogram, and lines of a list."""
BAR = 24
"""Characters of the longest bar."""


def render(ledger: Ledger) -> str:
    """The table, then what lies behind it, as far as a person reads on."""
    return "\n".join(_safe(line) for line in _lines(ledger)) + "\n"


def span(ledger: Ledger) -> str:
    """`2026-06-10 .. 2026-07-06 · 27 days`."""
    days = (ledger.last - ledger.first).days + 1
    return f"{ledger.first} .. {ledger.last} · {days:,} day{'' if days == 1 else 's'}"


def made_by(ledger: Ledger) -> str:
    """The command, but for where it wrote to."""
    since = f" --since {ledger.since}" if ledger.since else ""
    return f"harness ledger{since}" + (f" --until {ledger.until}" if ledger.until else "")


def _lines(ledger: Ledger) -> Iterator[str]:
    yield f"{ledger.target}{f' @ {ledger.head[:12]}' if ledger.head else ''}"
    names = max(len(figure.name) for figure in ledger.figures)
    shown = max(6, *(len(figure.shown) for figure in ledger.figures))
    # The span may be longer than all names; the columns of the rows below start where they always do.
    yield f"{span(ledger):<{names}}  {'figure':>{shown}}   counted as"
    for figure in ledger.figures:
        yield f"{figure.name:<{names}}  {figure.shown:>{shown}}   {figure.counted_as}"
    for title, rows in _sections(ledger):
        if rows:
            yield ""
            yield title
            yield from (f"  {row}" for row in rows[:ROWS])
            if rows[ROWS:]:
                yield f"  {len(rows) - ROWS:,} more: --format json"


def _sections(ledger: Ledger) -> Iterator[tuple[str, Sequence[str]]]:
    cut = bins(ledger.days, ledger.first, ledger.last, ROWS)
    if len(cut.bins) > 1:
        most = max(b.commits for b in cut.bins) or 1
        width = max(len(b.label) for b in cut.bins)
        rows = [
            f"{b.label:<{width}}  {b.commits:>6,} {b.entries:>7,} {b.runs:>5,}  {'█' * -(-BAR * b.commits // most)}".rstrip()
            for b in cut.bins
        ]
        yield f"by {cut.unit:<{width + 1}}commits  devlog  runs", rows
    yield (
        "by stage and model",
        [
            f"{t.stage:<10} {t.model}: {t.calls:,} calls, {short(t.input_tokens)} in ({short(t.cached_tokens)} cached), "
            f"{short(t.output_tokens)} out, {dollars(t.known_cost) if not t.unpriced else f'unknown cost of {t.unpriced:,} calls'}"
            for t in ledger.models
        ],
    )
    yield (
        "decided not to fix",
        [
            f"{d.kind:<14} {d.rule} {d.path}: {d.reason} ({d.author}, {d.date}{_end(d.until, d.expired)})"
            for d in ledger.decisions
        ],
    )
    yield "never verified", [f"{d.day}  run {d.run}  {d.rule} {d.path}:{d.line}  {d.reason}" for d in ledger.debt]
    yield "checkpoints", [f"{c.day}  {c.commit[:12]}  {c.subject}  {c.trailer}" for c in reversed(ledger.checkpoints)]
    yield "not counted", ledger.missing


def _end(until: object, expired: bool) -> str:
    return "" if until is None else f", expired {until}" if expired else f", until {until}"


def _safe(line: str) -> str:
    return displayable(line, keep="").rstrip()
