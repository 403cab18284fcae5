"""Files that a browser sends: bounded in number and size, kept under the names they have, and never outside their folder."""

import contextlib
import os
import tempfile
import unicodedata
from collections.abc import AsyncIterable
from pathlib import Path

MOST_FILES = 2_000
"""Files of one report."""
MOST_BYTES = 512 << 20
"""Of all files of one report together."""
MOST_DEPTH, NAME_BYTES, PATH_CHARACTERS = 24, 200, 1_000


class Refused(Exception):
    """An upload that is not taken; `status` is the HTTP status, the message is for the person."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def safe_parts(path: str) -> tuple[str, ...]:
    """The parts of a relative path. Raises Refused for one that leads elsewhere or hides something."""
    if len(path) > PATH_CHARACTERS or any(unicodedata.category(c) in ("Cc", "Cs") for c in path) or "\\" in path:
        raise Refused("the name of a file holds characters that are not taken")
    parts = tuple(path.split("/"))
    if len(parts) > MOST_DEPTH:
        raise Refused(f"a file is more than {MOST_DEPTH} folders deep")
    for part in parts:
        if part in ("", ".", "..") or ":" in part or len(part.encode()) > NAME_BYTES:
            raise Refused(f"{path[:100]!r} is no name of a file below a folder")
    return parts


class Uploads:
    """The uploaded folder of one report."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sizes: dict[tuple[str, ...], int] = {}
        self._coming: dict[object, tuple[tuple[str, ...], int]] = {}
        """Files on their way, with the bytes of them that are here: they count as well."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self._sizes[path.relative_to(folder).parts] = path.stat().st_size

    @property
    def count(self) -> int:
        """Files so far."""
        return len(self._sizes)

    async def take(self, path: str, body: AsyncIterable[bytes]) -> int:
        """Keep one file and return its size. It appears whole or not at all. Raises Refused."""
        parts = safe_parts(path)
        if len({*self._sizes, *(name for name, _ in self._coming.values()), parts}) > MOST_FILES:
            raise Refused(f"more than {MOST_FILES} files", 413)
        target = self.folder.joinpath(*parts)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self.folder.parent, prefix="upload-")
        except OSError as error:
            raise Refused(f"{path[:100]!r} cannot be kept: {error.strerror}") from error
        size, this = 0, object()
        self._coming[this] = (parts, 0)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                async for piece in body:
                    size += len(piece)
                    self._coming[this] = (parts, size)
                    if self._bytes(instead_of=parts) > MOST_BYTES:
                        raise Refused(f"more than {MOST_BYTES >> 20} MiB in all", 413)
                    stream.write(piece)
            Path(name).replace(target)
        except OSError as error:
            raise Refused(f"{path[:100]!r} cannot be kept: {error.strerror}") from error
        finally:
            del self._coming[this]
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()
        self._sizes[parts] = size
        return size

    def _bytes(self, instead_of: tuple[str, ...]) -> int:
        """Of all files when those on their way are here, and one takes the place of an earlier one."""
        coming = sum(size for _, size in self._coming.values())
        return sum(self._sizes.values()) - self._sizes.get(instead_of, 0) + coming
