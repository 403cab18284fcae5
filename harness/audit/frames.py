"""Fills findings with what renderers need of the pinned copy: source lines and the line hash."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from harness.audit.line_hash import line_hashes
from harness.schema.finding import Finding
from harness.schema.frame import Frame
from harness.source.project import Project

CLIP = 400
"""Characters kept of a line; generated files have lines of megabytes."""
AROUND = 2
"""Lines kept before and after the finding's own."""
TALLEST = 14
"""Lines of a finding's own range that are kept."""
KEPT_FILES = 64
"""Files whose lines are held at once."""
PLACES = 24
"""Other places that get a line."""


def illustrate(findings: Sequence[Finding], project: Project) -> tuple[Finding, ...]:
    """The findings, in order, with `frames` and `line_hash` filled in. Places that cannot be read are left out.

    A secret is in no frame: of the lines of a finding with the fact `masked: true` only the quote is shown.
    """
    source = _Source(project, _masks(findings))
    done = list(findings)
    # File by file, so that few files have to be held at once.
    for index in sorted(range(len(done)), key=lambda i: (findings[i].path, i)):
        finding = findings[index]
        shown = {"frames": _frames(finding, source), "line_hash": source.line_hash(finding.path, finding.line)}
        done[index] = finding.model_copy(update=shown)
    return tuple(done)


def _masks(findings: Sequence[Finding]) -> dict[tuple[str, int], str]:
    """(path, line) -> what may be shown of it."""
    masks: dict[tuple[str, int], str] = {}
    for finding in findings:
        if finding.facts.get("masked") == "true":
            masks[finding.path, finding.line] = finding.quote
            masks.update(((finding.path, line), "") for line in range(finding.line + 1, finding.end_line + 1))
    return masks


def _frames(finding: Finding, source: "_Source") -> tuple[Frame, ...]:
    last = min(finding.end_line, finding.line + TALLEST - 1)
    found = [source.frame(finding.path, finding.line - AROUND, last + AROUND)]
    places = [r.location for r in finding.related] + [at for e in finding.evidence for at in e.locations]
    seen = {(finding.path, finding.line)}
    for at in places:
        if (at.path, at.line) not in seen and len(seen) <= PLACES:
            seen.add((at.path, at.line))
            found.append(source.frame(at.path, at.line, at.line))
    return tuple(frame for frame in found if frame is not None)


class _Source:
    """Lines and hashes by file; the files used last are kept."""

    def __init__(self, project: Project, masks: Mapping[tuple[str, int], str]) -> None:
        self._project = project
        self._masks = masks
        self._lines = lru_cache(KEPT_FILES)(self._read_lines)
        self._hashes = lru_cache(2)(self._read_hashes)

    def frame(self, path: str, first: int, last: int) -> Frame | None:
        first = max(first, 1)
        lines = self._lines(path)[first - 1 : last]
        kept = tuple(self._shown(path, first + n, line)[:CLIP] for n, line in enumerate(lines))
        return Frame(path=path, line=first, lines=kept) if kept else None

    def _shown(self, path: str, number: int, line: str) -> str:
        mask = self._masks.get((path, number))
        if mask is None or line.strip() == mask:
            return line
        return f"{line[: len(line) - len(line.lstrip())]}{mask} …".rstrip()

    def line_hash(self, path: str, line: int) -> str:
        hashes = self._hashes(path)
        return hashes[line - 1] if line <= len(hashes) else ""

    def _read_lines(self, path: str) -> list[str]:
        try:
            return self._project.lines(path)
        except (KeyError, OSError):
            return []

    def _read_hashes(self, path: str) -> list[str]:
        try:
            return line_hashes(self._project.read_bytes(path).decode("utf-8", "replace"))
        except (KeyError, OSError):
            return []
