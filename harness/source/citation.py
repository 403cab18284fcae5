"""Does a claim cite what is there? Path, range, quote, symbol and the search behind an absence, all by mechanics (A2)."""

import fnmatch
import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from harness.schema.finding import AbsenceSearch
from harness.schema.location import Location
from harness.source.project import Project
from harness.source.shown import same_line

PATTERN_LENGTH = 500
"""Longest regular expression of an absence search that is run."""
_DEFINED = re.compile(
    r"^[ \t\f]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^[ \t\f]*(\w+)[ \t]*(?::[^=\n]+)?=[^=]", re.MULTILINE
)


class NotCited(Exception):
    """The citation does not hold; the message says which part and why."""


class Citation(NamedTuple):
    """What was checked, and where the quote really stands."""

    location: Location
    """The claim's place, moved when the quote stood elsewhere in the same file, once."""
    moved: bool
    """Whether it was moved."""
    summary: str
    """One sentence: what holds."""


class Citations:
    """Checks against one revision; the text of the file looked at last is kept, so ask file by file."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._path: str | None = None
        self._lines: list[str] = []
        self._names: frozenset[str] | None = None
        self._holding: dict[str, set[str]] = {}
        """Word -> files that hold it."""

    def check(
        self, at: Location, quote: str, symbol: str | None, absence: AbsenceSearch | None, *, masked: bool = False
    ) -> Citation:
        """The citation, when all of it holds. A `masked` quote is the beginning of its line. Raises NotCited."""
        if at.path not in self._project.entries:
            raise NotCited(f"{at.path} is not a file of the audited revision")
        self._open(at.path)
        found = self._begins(at, quote) if masked else self._anchor(at, quote)
        if symbol:
            self._resolve(at.path, symbol)
        summary = f"the quoted text stands at {found}"
        if absence is not None:
            summary += f"; `{absence.pattern}` matches {self._search(absence)} lines, as when it was claimed"
        return Citation(found, found != at, summary)

    def prepare(self, searches: Iterable[AbsenceSearch]) -> None:
        """Read every file once for all these searches; without it each search reads every file."""
        words = {word for search in searches if (word := _required(search.pattern))}
        for path in self._project.entries if words else ():
            text = self._project.text(path)
            for word in words:
                if word in text:
                    self._holding.setdefault(word, set()).add(path)
        for word in words:
            self._holding.setdefault(word, set())

    def _lines_with(self, path: str, word: str) -> list[str]:
        return self._project.lines(path) if word in self._project.text(path) else []

    def _open(self, path: str) -> None:
        if path != self._path:
            self._path, self._lines, self._names = path, self._project.lines(path), None

    def _anchor(self, at: Location, quote: str) -> Location:
        wanted = [line.strip() for line in quote.strip().splitlines()] or [""]
        if self._stands(wanted, at.line):
            if not at.line <= at.end_line <= len(self._lines):
                raise NotCited(f"{at.path} has {len(self._lines)} lines, the claim ends on line {at.end_line}")
            return at
        if wanted == [""]:
            raise NotCited("the claim quotes nothing")
        places = [n for n, line in enumerate(self._lines, 1) if same_line(wanted[0], line) and self._stands(wanted, n)]
        if not places:
            raise NotCited(f"the quoted text is nowhere in {at.path}")
        if len(places) > 1:
            raise NotCited(f"the quoted text is not at {at} and stands at {len(places)} other places of the file")
        line = places[0]
        first = self._lines[line - 1]
        column = len(first) - len(first.lstrip()) + 1
        end = min(line + max(at.end_line - at.line, 0), len(self._lines))
        return Location(path=at.path, line=line, end_line=end, column=column)

    def _begins(self, at: Location, quote: str) -> Location:
        """The place itself, when its line begins with the quote: what follows is a secret, so nothing is searched for."""
        wanted = quote.strip()
        if not at.line <= at.end_line <= len(self._lines):
            raise NotCited(f"{at.path} has {len(self._lines)} lines, the claim ends on line {at.end_line}")
        if not wanted or not self._lines[at.line - 1].strip().startswith(wanted):
            raise NotCited(f"the line {at} does not begin with the quoted text")
        return at

    def _stands(self, wanted: list[str], line: int) -> bool:
        there = self._lines[line - 1 : line - 1 + len(wanted)]
        return len(there) == len(wanted) and all(same_line(q, text) for q, text in zip(wanted, there, strict=True))

    def _resolve(self, path: str, symbol: str) -> None:
        parts = [part for part in symbol.split(".") if part != "<locals>"]
        if self._project.entries[path].language == "python":
            if self._names is None:
                pairs = _DEFINED.findall("\n".join(self._lines))
                self._names = frozenset(unicodedata.normalize("NFKC", a or b) for a, b in pairs)
            missing = [part for part in parts if part not in self._names]
        else:
            text = "\n".join(self._lines)
            missing = [part for part in parts[-1:] if part not in text]
        if missing:
            raise NotCited(f"{path} defines no `{missing[0]}`")

    def _search(self, absence: AbsenceSearch) -> int:
        try:
            if len(absence.pattern) > PATTERN_LENGTH:
                raise NotCited("the pattern of the search is too long to be run again")
            pattern = re.compile(absence.pattern)
        except re.error as error:
            raise NotCited(f"the search cannot be run again: {error}") from error
        paths = [p for p in self._project.entries if any(fnmatch.fnmatchcase(p, glob) for glob in absence.paths)]
        word = _required(absence.pattern)
        if word in self._holding:
            paths = [p for p in paths if p in self._holding[word]]
        count = sum(1 for path in paths for line in self._lines_with(path, word) if pattern.search(line))
        if count != absence.expected:
            raise NotCited(f"`{absence.pattern}` matches {count} lines now, {absence.expected} were claimed")
        return count


def _required(pattern: str) -> str:
    """A word that every match of the pattern holds, '' when none is obvious: most searches are for one name."""
    match = re.fullmatch(r"(?:\\b)?(\w+)(?:\\b)?", pattern)
    return match[1] if match else ""
