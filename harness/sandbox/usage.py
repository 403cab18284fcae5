"""What sandboxed code uses of the machine while it runs, where the kernel itself has no limit to set."""

import os
import re
from pathlib import Path

from harness.sandbox.base import Limits

_ENTRIES = 200_000
"""Files that a writable folder may hold before its size counts as over."""
_LAST_WORDS = (
    ("memory", re.compile(rb"MemoryError|Cannot allocate memory|std::bad_alloc|[Oo]ut of memory")),
    ("processes", re.compile(rb"Resource temporarily unavailable|can't start new thread|Cannot fork")),
    ("disk", re.compile(rb"No space left on device")),
    ("file", re.compile(rb"File too large|File size limit exceeded")),
)
_SIGXFSZ = 128 + 25


def last_words(returncode: int, stderr: bytes) -> str | None:
    """The limit by which a failed program says that it was stopped, judged by the end of its error output."""
    if returncode == 0:
        return None
    if returncode == _SIGXFSZ:
        return "file"
    return next((name for name, words in _LAST_WORDS if words.search(stderr[-4096:])), None)


class Watch:
    """Sums resident memory of a process tree and the size of a folder. Cheap enough for twenty looks a second."""

    def __init__(self, first: int, limits: Limits, folder: Path | None) -> None:
        self._first = first
        self._limits = limits
        self._folder = folder
        self._free = _free(folder) if folder else (0, 0)

    def over(self) -> str | None:
        """`memory` or `disk` when that limit is exceeded."""
        if sum(map(_resident, _tree(self._first))) > self._limits.memory_bytes:
            return "memory"
        if self._folder is not None:
            free_bytes, free_entries = _free(self._folder)
            shrunk = self._free[0] - free_bytes > self._limits.disk_bytes or self._free[1] - free_entries > _ENTRIES
            if shrunk and _large(self._folder, self._limits.disk_bytes):
                return "disk"
        return None


def _tree(first: int) -> list[int]:
    """The process and all its descendants. The first one adopts orphans, so none gets away."""
    found = [first]
    for pid in found:
        try:
            for task in Path(f"/proc/{pid}/task").iterdir():
                found += map(int, (task / "children").read_bytes().split())
        except OSError:
            continue
    return found


def _resident(pid: int) -> int:
    """Bytes of memory that no file stands behind."""
    try:
        text = Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return 0
    return sum(int(n) for n in re.findall(rb"^Rss(?:Anon|Shmem):\s+(\d+) kB", text, re.M)) * 1024


def _free(folder: Path) -> tuple[int, int]:
    state = os.statvfs(folder)
    return state.f_bavail * state.f_frsize, state.f_favail


def _large(folder: Path, limit: int) -> bool:
    """Whether the folder holds more than `limit` bytes or too many files; one that cannot be walked counts as large."""
    total = entries = 0
    folders = [str(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as listing:
                for entry in listing:
                    entries += 1
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    if total > limit or entries > _ENTRIES:
                        return True
        except FileNotFoundError:
            continue
        except OSError:
            return True
    return False
