"""Source lines that a report carries, because the copy they were read from is gone when people read it."""

from harness.schema.base import Record


class Frame(Record):
    """Consecutive lines of one file around a place that a finding speaks of."""

    path: str
    """The file, as in `Location.path`."""
    line: int
    """Number of the first line, from 1."""
    lines: tuple[str, ...]
    """The lines verbatim, without line ends; each clipped to `harness.audit.frames.CLIP` characters."""

    def text(self, line: int) -> str | None:
        """Line number `line` of the file, None when it is outside the frame."""
        index = line - self.line
        return self.lines[index] if 0 <= index < len(self.lines) else None
