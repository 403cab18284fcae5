"""What a repair is: a small rewrite for some kinds of mistakes, which may find that it has nothing to do."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from agent.records import TexError
from agent.tex.source import Environment, Span, environments, line_of, line_span


class Broken(NamedTuple):
    """A document and one of its mistakes."""

    tex: str
    """The document."""
    error: TexError
    """The mistake."""
    work: Path
    """Where its files are."""
    main: str
    """Name of the document in messages."""

    @property
    def line(self) -> int | None:
        """The line of the mistake in the document, None when it is elsewhere or not known."""
        return self.error.line if self.error.file in ("", self.main) else None

    @property
    def span(self) -> Span | None:
        """Offsets of that line."""
        return None if self.line is None else line_span(self.tex, self.line)

    def environment(self, *names: str) -> Environment | None:
        """The innermost environment of one of the names that the line is in, its first and last line included."""
        at = self.span
        if at is None:
            return None
        fitting = [e for e in environments(self.tex) if e.name in names and e.start <= at.end and e.end >= at.start]
        return max(fitting, key=lambda e: e.start, default=None)


Rewrite = Callable[[Broken], str | None]
"""The text after, None when the rule has nothing to say here. What it loses is judged elsewhere."""


class Rule(NamedTuple):
    """One repair."""

    name: str
    """Stable, kebab-case."""
    kinds: tuple[str, ...]
    """Kinds of mistakes it is for."""
    what: str
    """What it does, in the past tense, for a person."""
    rewrite: Rewrite
    """How."""


def changed_line(before: str, after: str) -> int:
    """The first line of `before` that is not in `after`."""
    same = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    return line_of(before, same)
