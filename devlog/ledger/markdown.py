"""The ledger as Markdown. Text from outside stands in code spans, where no link, mention, image or HTML acts."""

import re
from collections.abc import Iterable, Iterator

from devlog.ledger.figures import dollars
from devlog.ledger.period import bins
from devlog.ledger.record import Ledger
from devlog.ledger.text import made_by, span
from harness.files import displayable

ROWS = 60
"""Rows of a table of days."""
LISTED = 200
"""Rows of any other table."""


def render(ledger: Ledger) -> str:
    """The document."""
    return "\n".join(_lines(ledger)) + "\n"


def _lines(ledger: Ledger) -> Iterator[str]:
    yield f"# Ledger of {code(ledger.target)}"
    yield ""
    yield f"{span(ledger)}{f', code at {ledger.head[:12]}' if ledger.head else ''}"
    yield ""
    yield from _table(
        ("", "figure", "counted as"), ((f.name, f"**{f.shown}**", code(f.counted_as)) for f in ledger.figures)
    )
    cut = bins(ledger.days, ledger.first, ledger.last, ROWS)
    yield from _section(
        f"By {cut.unit}", (cut.unit, "commits", "devlog entries", "runs"),
        ((b.label, f"{b.commits:,}", f"{b.entries:,}", f"{b.runs:,}") for b in cut.bins if b.commits or b.entries or b.runs),
    )  # fmt: skip
    flow = ledger.flow
    rows = [("raised", flow.raised), ("refused at admission", flow.refused), ("merged or not of the change", flow.merged),
            ("CONFIRMED", flow.confirmed), ("UNCERTAIN", flow.uncertain), ("DISMISSED", flow.dismissed),
            ("UNVERIFIED", flow.unverified)]  # fmt: skip
    if flow.runs:
        yield from _section("What became of the claims", ("", "claims"), ((name, f"{n:,}") for name, n in rows))
    yield from _section(
        "Models", ("stage", "model", "calls", "in", "cached", "out", "cost"),
        ((code(t.stage), code(t.model), f"{t.calls:,}", f"{t.input_tokens:,}", f"{t.cached_tokens:,}", f"{t.output_tokens:,}",
          dollars(t.known_cost) if not t.unpriced else f"unknown for {t.unpriced:,}") for t in ledger.models),
    )  # fmt: skip
    yield from _section(
        "Decided not to fix", ("kind", "finding", "reason", "who", "when", "until"),
        ((d.kind.value, code(f"{d.rule} {d.path}"), code(d.reason), code(d.author), str(d.date),
          f"{d.until or ''}{' (expired)' if d.expired else ''}") for d in ledger.decisions),
    )  # fmt: skip
    yield from _section(
        "Never verified", ("since", "run", "finding", "why"),
        ((str(d.day), code(d.run), code(f"{d.rule} {d.path}:{d.line}"), code(d.reason)) for d in ledger.debt),
    )  # fmt: skip
    yield from _section(
        "Checkpoints", ("day", "commit", "subject", "links"),
        ((str(c.day), c.commit[:12], code(c.subject), code(c.trailer)) for c in reversed(ledger.checkpoints)),
    )  # fmt: skip
    if ledger.missing:
        yield from ("", "## Not counted", "")
        yield from (f"- {code(text)}" for text in ledger.missing)
    yield from ("", f"Made by {code(made_by(ledger))}; days are UTC.")


def code(text: str) -> str:
    """An inline code span that nothing in the text can end; empty for empty text."""
    text = " ".join(displayable(text, keep="").split())
    if not text:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _section(title: str, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    found = list(rows)
    if found:
        yield from ("", f"## {title}", "")
        yield from _table(head, found[:LISTED])
        if found[LISTED:]:
            yield from ("", f"{len(found) - LISTED:,} more in the JSON form.")


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        # In a table a backslash before a bar is taken away also inside a code span.
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
