"""The private copy: regular files of ours in a folder of ours, and the list of them.

The folder itself is closed to others; below it all is readable, because root's sandboxes run as another user.
"""

import os
from collections import Counter
from pathlib import Path

from harness.files import encode_path, sha256
from harness.languages import is_test, language
from harness.repo.scope import MOST_BYTES, MOST_FILES, Scope
from harness.schema.run import Skip
from harness.schema.tree import FileEntry

LISTED = 1000
"""Exclusions with one reason that are listed one by one; what is beyond is counted."""


class Copy:
    """Takes files in, one after the other, into `root`, an empty folder."""

    def __init__(self, root: Path, scope: Scope) -> None:
        self._root = os.fsencode(root)
        root.chmod(0o700)
        self._scope = scope
        self._files: dict[str, FileEntry] = {}
        self._folders = {b""}
        self._skips: list[Skip] = []
        self._reasons: Counter[str] = Counter()
        self._bytes = 0

    @property
    def full(self) -> bool:
        """No more files are taken."""
        return len(self._files) >= MOST_FILES or self._bytes >= MOST_BYTES

    def skip(self, path: bytes, reason: str, *, folder: bool = False) -> None:
        """Note what is left out."""
        self._reasons[reason] += 1
        if self._reasons[reason] <= LISTED:
            self._skips.append(Skip(path=(encode_path(path) or ".") + ("/" if folder else ""), reason=reason))

    def add(self, path: bytes, content: bytes) -> None:
        """Copy a file, or note why its content is out of scope."""
        name = encode_path(path)
        if (reason := self._scope.content(name, content)) is not None:
            self.skip(path, reason)
            return
        try:
            self._write(path, content)
        except OSError as error:
            self.skip(path, f"cannot be copied: {(error.strerror or str(error)).lower()}")
            return
        self._bytes += len(content)
        lines = content.count(b"\n") + (not content.endswith(b"\n") if content else 0)
        self._files[name] = FileEntry(
            path=name,
            size=len(content),
            sha256=sha256(content),
            language=language(name, content[:8192]),
            lines=lines,
            test=is_test(name),
        )

    def _write(self, path: bytes, content: bytes) -> None:
        self._make(path.rpartition(b"/")[0])
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self._root + b"/" + path, flags, 0o600)
        with os.fdopen(descriptor, "wb", buffering=0) as stream:
            os.fchmod(descriptor, 0o644)  # whatever the umask takes away
            stream.write(content)

    def _make(self, folder: bytes) -> None:
        missing = []
        while folder not in self._folders:
            missing.append(folder)
            folder = folder.rpartition(b"/")[0]
        for name in reversed(missing):
            os.mkdir(self._root + b"/" + name)  # noqa: PTH102  # a name of any bytes
            os.chmod(self._root + b"/" + name, 0o755)  # noqa: PTH101  # the same
            self._folders.add(name)

    def files(self) -> tuple[FileEntry, ...]:
        """What was copied, by path."""
        return tuple(self._files[name] for name in sorted(self._files))

    def skips(self) -> tuple[Skip, ...]:
        """What was left out, by path."""
        beyond = [
            Skip(path="./", reason=f"{reason} ({count - LISTED} more)")
            for reason, count in sorted(self._reasons.items())
            if count > LISTED
        ]
        return (*sorted(self._skips, key=lambda s: (s.path, s.reason)), *beyond)
