"""The table of formats, and the one function that turns a report into text."""

import difflib
import importlib
from collections.abc import Collection, Mapping

from pydantic import JsonValue

from harness.errors import UsageError
from harness.render.view import Renderer, View
from harness.schema.finding import Rule
from harness.schema.run import Report

FORMATS = {
    "text": "for people at a terminal (default)",
    "concise": "one finding, one line: path:line:column: severity rule: claim",
    "json": "everything, in the shape of `harness help json-schema`",
    "jsonl": "the same, one record a line",
    "sarif": "SARIF 2.1.0, for code scanning",
    "rdjson": "reviewdog's diagnostics",
    "gitlab": "GitLab Code Quality",
    "junit": "JUnit XML",
    "github": "GitHub Actions annotations",
    "markdown": "for a pull request or a step summary",
    "html": "one file with filters, for a browser",
}
"""Name -> what it is for. Each lives in the module of its name and is loaded when it is used."""


def render(
    report: Report,
    format: str,  # noqa: A002  # the word of the command line
    *,
    color: bool = False,
    width: int = 100,
    show: Collection[str] = (),
    rules: Mapping[str, Rule] | None = None,
    outcome: str = "",
    elsewhere: str = "",
    headline: bool = True,
    original: dict[str, JsonValue] | None = None,
) -> str:
    """The report in `format`. The parameters are those of `View`. Raises UsageError for a format that does not exist."""
    view = View(color, width, frozenset(show), rules or {}, outcome, elsewhere, headline, original)
    return renderer(format)(report, view)


def renderer(name: str) -> Renderer:
    """The renderer of a format. Raises UsageError that names the nearest one."""
    if name not in FORMATS:
        near = difflib.get_close_matches(name, FORMATS, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"Formats: {', '.join(FORMATS)}."
        raise UsageError(f"there is no format {name!r}.", hint=hint)
    found: Renderer = importlib.import_module(f"harness.render.{name}").render
    return found
