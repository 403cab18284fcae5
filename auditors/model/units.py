"""Cuts a revision into units that a model can read whole: files that belong together, in a fixed order."""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from harness.schema.base import Record
from harness.source.project import Project

UNIT_CHARACTERS = 48_000
"""About 12,000 to 16,000 tokens of code: enough to see a module with its neighbours, little enough to be read with care."""
OVERLAP_LINES = 12
SHORTEST_LINES = 40
"""Lines of a piece that is not cut further."""


class Part(Record):
    """Lines of one file."""

    path: str
    """The file."""
    first: int
    """First line."""
    last: int
    """Last line, inclusive."""


class Unit(Record):
    """What one conversation is about."""

    parts: tuple[Part, ...]
    """In order of path."""

    @property
    def name(self) -> str:
        """Short and unique within a dimension: the first file and line."""
        first = self.parts[0]
        more = f"+{len(self.parts) - 1}" if len(self.parts) > 1 else ""
        return f"{first.path}:{first.first}{more}"


def units(project: Project, languages: Iterable[str], *, tests: bool) -> list[Unit]:
    """All files of the languages, test code only with `tests`; packages stay together, large files are cut at blank lines."""
    found: list[Unit] = []
    waiting: list[Part] = []
    size = 0
    folder = None
    for path in project.paths(*languages, test=None if tests else False):
        lines = project.lines(path)
        if not any(line.strip() for line in lines):
            continue
        here = PurePosixPath(path).parent
        weight = sum(len(line) + 1 for line in lines)
        full = size + weight > UNIT_CHARACTERS or (here != folder and size > UNIT_CHARACTERS // 3)
        if waiting and full:
            found.append(Unit(parts=tuple(waiting)))
            waiting, size = [], 0
        folder = here
        if weight > UNIT_CHARACTERS:
            found += [Unit(parts=(part,)) for part in _cut(path, lines)]
            continue
        waiting.append(Part(path=path, first=1, last=len(lines)))
        size += weight
    if waiting:
        found.append(Unit(parts=tuple(waiting)))
    return found


def halves(unit: Unit) -> tuple[Unit, Unit] | None:
    """The unit in two, between files or in the middle of its only one; None for one that is too short to cut."""
    if len(unit.parts) > 1:
        middle = len(unit.parts) // 2
        return Unit(parts=unit.parts[:middle]), Unit(parts=unit.parts[middle:])
    (part,) = unit.parts
    length = part.last - part.first + 1
    if length < 2 * SHORTEST_LINES:
        return None
    middle = part.first + length // 2
    first = part.model_copy(update={"last": middle + OVERLAP_LINES // 2})
    return Unit(parts=(first,)), Unit(parts=(part.model_copy(update={"first": middle - OVERLAP_LINES // 2}),))


def _cut(path: str, lines: list[str]) -> Iterator[Part]:
    """Pieces of one large file that overlap by a few lines; a piece ends before a line at the left margin when it can."""
    start = 0
    while start < len(lines):
        end, size = start, 0
        while end < len(lines) and (size + len(lines[end]) < UNIT_CHARACTERS or end == start):
            size += len(lines[end]) + 1
            end += 1
        if end < len(lines):
            better = next((n for n in range(end, start + (end - start) // 2, -1) if lines[n][:1].strip()), end)
            end = better
        yield Part(path=path, first=start + 1, last=end)
        if end >= len(lines):
            return
        start = max(start + 1, end - OVERLAP_LINES)
