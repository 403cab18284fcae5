"""One HTML file for a browser: no network, no script or style but its own, nothing of a finding ever markup.

The template escapes everything (jinja2 autoescape), every text passes through `displayable`, and a content security
policy that names the hashes of the one script and the one style keeps whatever might slip through from acting.
"""

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

from harness.files import displayable
from harness.render import summary
from harness.render.html_page import Page, page
from harness.render.inert import parts
from harness.render.view import View
from harness.schema.run import Report

_HERE = Path(__file__).parent
CARDS = 3000
"""Findings that get a card; a browser has to hold the page."""


def render(report: Report, view: View) -> str:
    """The whole file. Findings of every verdict are in it; the page's own filters choose among them."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_safe,
    )
    style, script = _asset("page.css"), _asset("page.js")
    template = environment.from_string(_asset("page.html"))
    shown: Page = page(report, view, CARDS)
    return template.render(
        page=shown,
        policy="; ".join(_policy(style, script)),
        style=Markup(style),  # our own file, not to be escaped
        script=Markup(script),  # our own file, not to be escaped
        summary=summary,
        parts=parts,
        report=report,
        view=view,
    )


def _safe(value: object) -> object:
    return displayable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asset(name: str) -> str:
    return (_HERE / name).read_text("utf-8")


def _policy(style: str, script: str) -> Iterator[str]:
    yield "default-src 'none'"
    yield f"style-src '{_digest(style)}'"
    yield f"script-src '{_digest(script)}'"
    yield "img-src data:"
    yield "base-uri 'none'"
    yield "form-action 'none'"


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
