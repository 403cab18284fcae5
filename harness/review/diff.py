"""What differs between two pinned trees, line by line, computed from the copies alone."""

import difflib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from harness.source.project import Project

LARGEST = 25_000_000
"""Product of the numbers of lines left to compare; beyond it all of them count as changed."""
ALIKE = 0.6
"""Share of equal lines from which a removed and an added file count as one that moved."""


class FileChange(NamedTuple):
    """One file."""

    before: str | None
    """Path in the base, None when it is new."""
    after: str | None
    """Path in the head, None when it is gone."""
    added: frozenset[int] = frozenset()
    """Lines of the head that the base does not have."""
    removed: frozenset[int] = frozenset()
    """Lines of the base that the head does not have."""
    cuts: frozenset[int] = frozenset()
    """Lines of the head next to which lines were removed and none added."""
    back: Mapping[int, int] = MappingProxyType({})
    """Line of the head -> the same line of the base, for unchanged lines."""
    near: Mapping[int, int] = MappingProxyType({})
    """Changed line of the head -> the line of the base whose place it takes."""

    @property
    def path(self) -> str:
        """The path people know it by: that of the head, else of the base."""
        return self.after or self.before or ""

    @property
    def size(self) -> int:
        """Lines added, and those removed without one in their place."""
        return max(len(self.added), len(self.removed))


def compare(base: Project, head: Project) -> tuple[FileChange, ...]:
    """Every file that differs, by path; a file that moved is one change."""
    gone = [p for p in base.entries if p not in head.entries]
    new = [p for p in head.entries if p not in base.entries]
    moved = _moved(base, head, gone, new)
    both = [p for p in head.entries if p in base.entries and head.entries[p].sha256 != base.entries[p].sha256]
    changes = [_changed(base, head, p, p) for p in both]
    changes += [_changed(base, head, old, path) for path, old in moved.items()]
    changes += [FileChange(None, p, added=frozenset(range(1, len(_lines(head, p)) + 1))) for p in new if p not in moved]
    changes += [
        FileChange(p, None, removed=frozenset(range(1, len(_lines(base, p)) + 1)))
        for p in gone
        if p not in moved.values()
    ]
    return tuple(sorted(changes, key=lambda c: c.path))


def _lines(project: Project, path: str) -> list[str]:
    lines = project.lines(path)
    return lines[:-1] if lines and not lines[-1] else lines


def _moved(base: Project, head: Project, gone: list[str], new: list[str]) -> dict[str, str]:
    """New path -> old one: equal content first, then the same language and mostly equal lines."""
    found: dict[str, str] = {}
    left = list(gone)
    for exact in (True, False):
        for path in new:
            if path in found:
                continue
            for old in left:
                if _same(base, head, old, path) if exact else _alike(base, head, old, path):
                    found[path] = old
                    left.remove(old)
                    break
    return found


def _same(base: Project, head: Project, old: str, new: str) -> bool:
    return base.entries[old].sha256 == head.entries[new].sha256


def _alike(base: Project, head: Project, old: str, new: str) -> bool:
    a, b = base.entries[old], head.entries[new]
    if a.language != b.language or not a.lines or not 0.5 <= b.lines / a.lines <= 2:
        return False
    mine, theirs = {x for x in _lines(base, old) if x.strip()}, {x for x in _lines(head, new) if x.strip()}
    return len(mine & theirs) >= ALIKE * max(len(mine), len(theirs), 1)


def _changed(base: Project, head: Project, before: str, after: str) -> FileChange:
    a, b = _lines(base, before), _lines(head, after)
    added: set[int] = set()
    removed: set[int] = set()
    cuts: set[int] = set()
    back: dict[int, int] = {}
    near: dict[int, int] = {}
    for tag, a1, a2, b1, b2 in _opcodes(a, b):
        if tag == "equal":
            back.update((b1 + n + 1, a1 + n + 1) for n in range(a2 - a1))
            continue
        added.update(range(b1 + 1, b2 + 1))
        removed.update(range(a1 + 1, a2 + 1))
        if b1 == b2:
            cuts.update(n for n in (b1, b1 + 1) if 1 <= n <= len(b))
        if a1 < a2:
            near.update((b1 + n + 1, min(a1 + n, a2 - 1) + 1) for n in range(b2 - b1))
    return FileChange(before, after, frozenset(added), frozenset(removed), frozenset(cuts), back, near)


def _opcodes(a: Sequence[str], b: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """As `difflib` gives them, after what both begin and end with, so that a small change of a large file is cheap."""
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    inner_a, inner_b = a[start : len(a) - end], b[start : len(b) - end]
    found = [("equal", 0, start, 0, start)]
    if len(inner_a) * len(inner_b) > LARGEST:
        found.append(("replace", start, len(a) - end, start, len(b) - end))
    else:
        matcher = difflib.SequenceMatcher(None, inner_a, inner_b, autojunk=False)
        found += [(t, a1 + start, a2 + start, b1 + start, b2 + start) for t, a1, a2, b1, b2 in matcher.get_opcodes()]
    found.append(("equal", len(a) - end, len(a), len(b) - end, len(b)))
    return found
