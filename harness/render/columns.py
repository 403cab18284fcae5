"""Columns in the units that formats ask for. Ours count characters, SARIF counts UTF-16 units, rdjson counts UTF-8 bytes."""

from typing import NamedTuple

from harness.render.code import source_line
from harness.schema.finding import Finding
from harness.schema.location import Location


class Span(NamedTuple):
    """Columns of a place, from 1; the end is exclusive."""

    start: int
    """First column on the first line."""
    end: int
    """Column behind the last one, on the last line."""


def utf16(finding: Finding, at: Location) -> Span:
    """Columns in UTF-16 code units."""
    return _span(finding, at, "utf-16-le", 2)


def utf8(finding: Finding, at: Location) -> Span:
    """Columns in bytes of UTF-8."""
    return _span(finding, at, "utf-8", 1)


def _span(finding: Finding, at: Location, encoding: str, unit: int) -> Span:
    first, last = _text(finding, at.path, at.line), _text(finding, at.path, at.end_line)
    end_column = at.end_column or max(len(last.rstrip()), 1) + 1
    start = _units(first, at.column - 1, encoding, unit)
    end = _units(last, end_column - 1, encoding, unit)
    if at.line == at.end_line:
        end = max(end, start)
    return Span(start + 1, end + 1)


def _text(finding: Finding, path: str, line: int) -> str:
    text = source_line(finding, path, line)
    if text is None and (path, line) == (finding.path, finding.line):
        text = finding.quote
    return text or ""


def _units(text: str, characters: int, encoding: str, unit: int) -> int:
    before = text[:characters]
    if before.isascii():
        return characters
    return len(before.encode(encoding, "surrogatepass")) // unit + characters - len(before)
