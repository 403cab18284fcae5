"""How a report is to be shown: the same few choices for every format."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from harness.schema.finding import Rule
from harness.schema.run import Report

SHOWN = ("open", "dismissed", "settled")
"""What can be shown beside the active findings: open questions, dismissed findings, waived and suppressed ones."""


class View(NamedTuple):
    """The choices. A format ignores what means nothing to it."""

    color: bool = False
    """Whether ANSI colours may be written."""
    width: int = 100
    """Columns of the terminal."""
    show: frozenset[str] = frozenset()
    """Of `SHOWN`. JSON, JSON lines and HTML always carry everything."""
    rules: Mapping[str, Rule] = {}
    """Rules by id, for titles and pages; a rule that is missing is shown by its id."""
    outcome: str = ""
    """The sentence about the exit code, as the gate decided it; empty when nobody decided."""
    elsewhere: str = ""
    """The audited folder for commands that are proposed, '' when it is the current one."""
    headline: bool = True
    """Whether the text begins with the line that says what was run; false where progress has shown it already."""
    original: dict[str, JsonValue] | None = None
    """The SARIF log whose results were verified: SARIF output is this log, with what was said of each result."""

    def title(self, rule: str) -> str:
        """Title of a rule, or its id in words."""
        known = self.rules.get(rule)
        return known.title if known else rule.replace("-", " ")


Renderer = Callable[[Report, View], str]
"""Report in, whole text out, with a line end at its end. Never raises on odd text; equal input gives equal output."""
