"""Reading below a folder that somebody else may change while we look.

Every path is opened part by part relative to an open folder and never through a link, so nothing outside the root is
read, also when a folder or file becomes a link between the look and the read. Hard links are not told from files.
Needs the `dir_fd` calls of POSIX.
"""

import itertools
import os
import stat
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Kind(StrEnum):
    """What a name stands for."""

    FILE = "file"
    FOLDER = "folder"
    SYMLINK = "symlink"
    SPECIAL = "special"
    """FIFO, socket, device."""


class Entry(NamedTuple):
    """One name in a folder."""

    name: bytes
    kind: Kind
    size: int


class Unreadable(Exception):
    """A path cannot be read, or is not what it was; the message is the reason, without the path."""


class Guard:
    """Read access below `root`, itself a folder and no link. A context manager. Raises OSError when it cannot be opened."""

    def __init__(self, root: Path) -> None:
        self._root = os.open(root, _FOLDER)
        self._chain: list[tuple[bytes, int]] = []
        """The parts of the last folder asked for, each with its descriptor."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close(0)
        os.close(self._root)

    def entries(self, folder: bytes, limit: int) -> list[Entry]:
        """Names in a folder ('' for the root), sorted; at most `limit` of them. Raises Unreadable."""
        try:
            with os.scandir(self._opened(folder)) as names:
                found = [_entry(name) for name in itertools.islice(names, limit)]
        except OSError as error:
            raise Unreadable(_reason(error)) from error
        return sorted(found)

    def read(self, path: bytes, limit: int) -> bytes:
        """Content of a regular file of at most `limit` bytes. Raises Unreadable."""
        folder, _, name = path.rpartition(b"/")
        try:
            descriptor = os.open(name, _FILE, dir_fd=self._opened(folder))
        except OSError as error:
            raise Unreadable(_reason(error)) from error
        with os.fdopen(descriptor, "rb", buffering=0) as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Unreadable("not a regular file")
            try:
                return _read(stream.read, limit)
            except OSError as error:
                raise Unreadable(_reason(error)) from error

    def _opened(self, folder: bytes) -> int:
        """Descriptor of a folder, good until the next call."""
        parts = folder.split(b"/") if folder else []
        shared = 0
        for part, (known, _) in zip(parts, self._chain, strict=False):
            if part != known:
                break
            shared += 1
        self._close(shared)
        for part in parts[shared:]:
            above = self._chain[-1][1] if self._chain else self._root
            self._chain.append((part, os.open(part, _FOLDER, dir_fd=above)))
        return self._chain[-1][1] if self._chain else self._root

    def _close(self, kept: int) -> None:
        while len(self._chain) > kept:
            os.close(self._chain.pop()[1])


def _entry(found: "os.DirEntry[str]") -> Entry:
    name = os.fsencode(found.name)
    try:
        status = found.stat(follow_symlinks=False)
    except OSError:
        return Entry(name, Kind.SPECIAL, 0)
    if stat.S_ISREG(status.st_mode):
        return Entry(name, Kind.FILE, status.st_size)
    if stat.S_ISDIR(status.st_mode):
        return Entry(name, Kind.FOLDER, 0)
    return Entry(name, Kind.SYMLINK if stat.S_ISLNK(status.st_mode) else Kind.SPECIAL, 0)


def _read(read: Callable[[int], bytes | None], limit: int) -> bytes:
    pieces = []
    left = limit + 1
    while left > 0 and (piece := read(left)):
        pieces.append(piece)
        left -= len(piece)
    if left <= 0:
        raise Unreadable("grew while it was read")
    return b"".join(pieces)


def _reason(error: OSError) -> str:
    return f"cannot be read: {(error.strerror or str(error)).lower()}"
