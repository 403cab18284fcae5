"""The ledger as one HTML file: no network, no script, no style but its own, nothing of the record ever markup.

The template escapes everything (jinja2 autoescape), every text passes through `displayable`, and a content security
policy that names the hash of the one style keeps whatever might slip through from acting.
"""

import base64
import hashlib
from pathlib import Path

from markupsafe import Markup

from devlog.ledger.charts import HEIGHT, day_charts, flow_bars, price, token_bars
from devlog.ledger.period import bins
from devlog.ledger.record import Ledger
from devlog.ledger.text import made_by, span
from harness.files import displayable

_HERE = Path(__file__).parent
COLUMNS = 120
"""Columns of a chart over time; a phone is 320 pixels wide."""
ROWS = 500
"""Rows of a table."""


def render(ledger: Ledger) -> str:
    """The whole file."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_safe,
    )
    style = (_HERE / "page.css").read_text("utf-8")
    cut = bins(ledger.days, ledger.first, ledger.last, COLUMNS)
    return environment.from_string((_HERE / "page.html").read_text("utf-8")).render(
        ledger=ledger,
        span=span(ledger),
        made_by=made_by(ledger),
        cut=cut,
        busy=[b for b in cut.bins if b.commits or b.entries or b.runs],
        charts=day_charts(cut),
        height=HEIGHT,
        flow=flow_bars(ledger.flow),
        tokens=token_bars(ledger.models),
        price=price,
        rows=ROWS,
        policy=f"default-src 'none'; style-src '{_digest(style)}'; img-src data:; base-uri 'none'; form-action 'none'",
        style=Markup(style),  # our own file, not to be escaped
    )


def _safe(value: object) -> object:
    return displayable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
