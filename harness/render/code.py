"""Code frames: the lines of a finding with its range marked."""

from collections.abc import Iterator
from typing import NamedTuple

from harness.files import displayable
from harness.schema.finding import Finding
from harness.schema.frame import Frame
from harness.schema.location import Location

TAB = 4


class CodeLine(NamedTuple):
    """One line of a frame, safe to show."""

    number: int
    """Line number."""
    before: str
    """Text before the marked part."""
    marked: str
    """The part that the finding is about; empty on lines around it."""
    after: str
    """Text behind the marked part."""

    @property
    def text(self) -> str:
        """The whole line."""
        return self.before + self.marked + self.after


def own_frame(finding: Finding) -> Frame | None:
    """The frame around the finding's own place."""
    return next((f for f in finding.frames if f.path == finding.path and f.text(finding.line) is not None), None)


def source_line(finding: Finding, path: str, line: int) -> str | None:
    """The raw text of a line that the finding carries, None when it does not carry it."""
    for frame in finding.frames:
        if frame.path == path and (text := frame.text(line)) is not None:
            return text
    return None


def code_lines(finding: Finding, *, around: int) -> list[CodeLine]:
    """The finding's own lines with at most `around` lines before and after them, none of them blank at the
    edges; the quote when no frame is carried."""
    frame = own_frame(finding)
    if frame is None:
        return [CodeLine(finding.line, "", shown(finding.quote), "")] if finding.quote else []
    lines = list(_lines(frame, finding.location, around))
    while lines and not lines[-1].text.strip() and lines[-1].number > finding.end_line:
        lines.pop()
    while lines and not lines[0].text.strip() and lines[0].number < finding.line:
        del lines[0]
    return lines


def _lines(frame: Frame, at: Location, around: int) -> Iterator[CodeLine]:
    for number, raw in enumerate(frame.lines, frame.line):
        if not at.line - around <= number <= at.end_line + around:
            continue
        if not at.line <= number <= at.end_line:
            yield CodeLine(number, shown(raw), "", "")
            continue
        start = at.column - 1 if number == at.line else len(raw) - len(raw.lstrip())
        end = at.end_column - 1 if number == at.end_line and at.end_column is not None else len(raw.rstrip())
        if not 0 <= start < end <= len(raw):
            start, end = len(raw) - len(raw.lstrip()), len(raw.rstrip())
        start += len(raw[start:end]) - len(raw[start:end].lstrip())
        before, marked = raw[:start], raw[start:end]
        yield CodeLine(number, shown(before), shown(marked), shown(raw[end:]))


def shown(text: str) -> str:
    """Source text for one line of output: tabs as spaces, everything that could steer or deceive as escapes."""
    return displayable(text.replace("\t", " " * TAB), keep="")
