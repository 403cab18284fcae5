"""Regions of a log as places of the pinned revision: what the tool counted, in our counting, with the line as quote."""

from typing import NamedTuple

from harness.intake.result import Region
from harness.schema.location import Location


class Place(NamedTuple):
    """A location and the text that stands, or is said to stand, there."""

    location: Location
    quote: str


def placed(region: Region, path: str, lines: list[str], *, utf16: bool) -> Place:
    """Lines and columns as we count them. A place beyond the end of the file keeps its line, and quotes nothing.

    Where the tool kept the text of its region and that text is not on the line, the text is the quote, so that admission
    looks for it and moves the claim or refuses it.
    """
    first = region.line
    if first is None and region.offset is not None:
        first = _line_of(region.offset, lines)
    first = max(first or 1, 1)
    last = max(region.end_line or first, first)
    here = lines[first - 1] if first <= len(lines) else ""
    start = _column(here, max(region.column or 1, 1), utf16)
    end = None
    if region.end_column is not None and last <= len(lines):
        end = _column(lines[last - 1], max(region.end_column, 1), utf16)
        if end <= 1 and last > first:  # "up to the start of the next line"
            last, end = last - 1, None
        elif first == last and end <= start:
            end = None
    quote = here.strip()
    said = _first_line(region.snippet)
    if said and said not in here:
        quote = said
    return Place(
        Location(path=path, line=first, end_line=min(last, max(len(lines), first)), column=start, end_column=end), quote
    )


def _first_line(snippet: str) -> str:
    return next((line.strip() for line in snippet.splitlines() if line.strip()), "")


def _line_of(offset: int, lines: list[str]) -> int:
    for number, line in enumerate(lines, 1):
        offset -= len(line) + 1
        if offset < 0:
            return number
    return len(lines) + 1


def _column(line: str, column: int, utf16: bool) -> int:
    """The column in characters."""
    if not utf16 or line.isascii():
        return column
    units = 1
    for position, char in enumerate(line, 1):
        if units >= column:
            return position
        units += 2 if ord(char) > 0xFFFF else 1
    return len(line) + 1 + max(column - units, 0)
