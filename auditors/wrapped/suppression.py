"""Comments that ask a tool to look away. They hide nothing here; a claim names the one it ran into."""

import re

from harness.schema.location import Location, RelatedLocation

_COMMENT = re.compile(
    r"#\s*(?:nosec\b|noqa\b|ruff:\s*(?:noqa|ignore|disable|file-ignore)\b|flake8[:=]\s*noqa\b|pragma:\s*(?:allowlist|whitelist))",
    re.IGNORECASE,
)


def suppression_at(path: str, lines: list[str], *numbers: int | None) -> tuple[RelatedLocation, ...]:
    """The suppression on one of these lines (from 1), as a related place; empty when there is none."""
    for number in dict.fromkeys(n for n in numbers if n):
        match = _COMMENT.search(lines[number - 1]) if number <= len(lines) else None
        if match:
            place = Location(path=path, line=number, end_line=number, column=match.start() + 1)
            return (RelatedLocation(role="suppression", location=place, message="this comment would hide it"),)
    return ()
