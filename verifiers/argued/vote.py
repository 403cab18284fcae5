"""One vote: its JSON Schema, its typed form, and whether its quotes are really there."""

from typing import Literal

from pydantic import JsonValue

from harness.schema.base import Record
from harness.schema.location import Location
from harness.source.project import Project
from harness.source.shown import same_line

_TEXT: JsonValue = {"type": "string"}
_QUOTE: JsonValue = {
    "type": "object",
    "properties": {"path": _TEXT, "line": {"type": "integer"}, "text": _TEXT},
    "required": ["path", "line", "text"],
    "additionalProperties": False,
}
_REPRODUCER: JsonValue = {
    "type": ["object", "null"],
    "properties": {"program": _TEXT, "control": _TEXT},
    "required": ["program", "control"],
    "additionalProperties": False,
}
SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "nonce": _TEXT,
        "verdict": {"type": "string", "enum": ["stands", "refuted", "cannot_tell"]},
        "reason": _TEXT,
        "quotes": {"type": "array", "items": _QUOTE},
        "reproducer": _REPRODUCER,
    },
    "required": ["nonce", "verdict", "reason", "quotes", "reproducer"],
    "additionalProperties": False,
}

NEARBY = 3
"""Lines by which a quote may be off: models miscount by one or two."""


class Quote(Record):
    """One line of the audited revision, as the model copied it."""

    path: str
    line: int
    text: str


class Reproducer(Record):
    """Two programs that the parent runs."""

    program: str
    """Exits with 1 exactly when the defect shows; see `verifiers.executed.program`."""
    control: str
    """The same with harmless input; exits with 0."""


class Vote(Record):
    """What one reader says."""

    nonce: str
    verdict: Literal["stands", "refuted", "cannot_tell"]
    reason: str
    quotes: list[Quote]
    reproducer: Reproducer | None = None


def standing(project: Project, quotes: list[Quote]) -> tuple[list[Location], list[Quote]]:
    """(places of the quotes that are verbatim lines of the revision, quotes that are not)."""
    places: list[Location] = []
    missing: list[Quote] = []
    for quote in quotes:
        line = _line_of(project, quote)
        if line is None:
            missing.append(quote)
        else:
            places.append(Location(path=quote.path.removeprefix("./"), line=line, end_line=line))
    return places, missing


def _line_of(project: Project, quote: Quote) -> int | None:
    path = quote.path.removeprefix("./")
    wanted = quote.text.strip()
    entry = project.entries.get(path)
    # A quote that could be any line (a brace, `pass`) decides nothing.
    if entry is None or entry.language == "binary" or len(wanted) < 4 or "\n" in wanted:
        return None
    lines = project.lines(path)
    near = range(max(1, quote.line - NEARBY), min(len(lines), quote.line + NEARBY) + 1)
    here = [n for n in near if same_line(wanted, lines[n - 1])]
    if here:
        return min(here, key=lambda n: abs(n - quote.line))
    anywhere = [n for n, line in enumerate(lines, 1) if same_line(wanted, line)]
    return anywhere[0] if len(anywhere) == 1 else None
