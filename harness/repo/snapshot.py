"""The work tree as a tree of git's, made in a shadow: as `git add -A` would store it, or byte for byte.

Git looks at the files with our own configuration, so no filter, monitor or hook runs. Repositories inside the work tree
are neither entered nor added: `nested` names them.
"""

import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from harness.errors import UsageError
from harness.files import encode_path
from harness.repo import git
from harness.repo.shadow import Blob, Found, Shadow

_BY_BYTE = b"* -text -eol -ident -filter -working-tree-encoding\n"
_LINK = "160000"


class Looked(NamedTuple):
    """What lies in the work tree."""

    tracked: dict[bytes, tuple[str, str]]
    """Path -> mode and id, as the index has it."""
    present: list[bytes]
    """Tracked paths that are there, as a file or a link."""
    new: list[bytes]
    """Paths that git neither tracks nor ignores, outside of nested repositories."""
    nested: tuple[str, ...]
    """Record paths of folders that are repositories of their own and no submodules."""
    left: frozenset[bytes]
    """Tracked paths that the work tree need not hold (sparse checkout, assume-unchanged)."""


class Desk(NamedTuple):
    """A shadow to work in, and how the owner's git looks at files."""

    found: Found
    shadow: Shadow
    settings: Mapping[str, str]

    def git(self, *arguments: str | bytes, asked: bytes = b"") -> bytes:
        """git in the shadow, on the work tree. Raises git.GitFailed."""
        settings = {"core.symlinks": "true", **self.settings}
        return git.run(
            arguments, gitdir=self.shadow.gitdir, worktree=self.found.top, questions=asked, settings=settings
        )


def look(desk: Desk) -> Looked:
    """Raises git.GitFailed."""
    tracked = desk.shadow.tracked()
    places = _Places(desk.found.top)
    others = desk.git("ls-files", "-z", "--others", "--exclude-standard").split(b"\0")[:-1]
    new = [path for path in others if not path.endswith(b"/")]
    flags = desk.git("ls-files", "-z", "-v").split(b"\0")[:-1]
    left = frozenset(row[2:] for row in flags if row[:1] == b"S" or row[:1].islower())
    present = [p for p, (mode, _) in tracked.items() if places.file(p) and not (mode == _LINK and places.folder(p))]
    submodules = {p for p, (mode, _) in tracked.items() if mode == _LINK}
    nested = {path[:-1] for path in others if path.endswith(b"/")} - submodules
    folders = {f for path in (*tracked, *new) for f in _above(path)}
    nested |= {f for f in folders if places.there(f + b"/.git")} - submodules
    nested |= {f for path in new if (f := path.removesuffix(b"/HEAD")) != path and _bare(places, f)}
    new = [path for path in new if nested.isdisjoint(_above(path))]
    return Looked(tracked, present, new, tuple(sorted(map(encode_path, nested))), left)


def _bare(places: "_Places", folder: bytes) -> bool:
    """Whether git, called in the folder, takes the folder itself for a repository and obeys its `config`."""
    return all(places.folder(folder + part) for part in (b"/objects", b"/refs"))


def filtered(desk: Desk, paths: Iterable[bytes], names: frozenset[str]) -> list[bytes]:
    """Of these paths those whose contents one of these filters of the owner's would change. Raises git.GitFailed."""
    wanted = list(paths)
    if not wanted or not names:
        return []
    said = desk.git("check-attr", "-z", "--stdin", "filter", asked=b"".join(p + b"\0" for p in wanted)).split(b"\0")
    return [path for path, value in zip(said[0::3], said[2::3], strict=False) if os.fsdecode(value) in names]


def changed(desk: Desk) -> set[bytes]:
    """Tracked paths whose file is not what the index says. Raises git.GitFailed."""
    said = desk.git("diff-files", "-z", "--name-only", "--ignore-submodules=all")
    return set(said.split(b"\0")[:-1])


def added(desk: Desk, looked: Looked) -> str:
    """Id of the tree after `git add -A`, without nested repositories; the shadow's index is it then. Raises git.GitFailed."""
    present = [p for p in looked.present if p not in looked.left]
    there = set(looked.present)
    gone = [p for p, (mode, _) in looked.tracked.items() if p not in there | looked.left and mode != _LINK]
    _add(desk, (*present, *looked.new))
    _drop(desk, gone)
    return desk.shadow.staged()


class ByByte(NamedTuple):
    """The files as they are."""

    tree: str
    """Id."""
    stamps: dict[bytes, tuple[int, ...]]
    """Path -> what the file system said of it before it was read."""


def by_byte(desk: Desk, looked: Looked, kept: Iterable[bytes], also: Iterable[bytes]) -> ByByte:
    """All files as they are, those of `also` with them; the shadow's index is it then.

    Submodules, and the paths of `kept`, stay what the index says. Raises git.GitFailed.
    """
    there = set(looked.present)
    still = {*kept, *(p for p, (mode, _) in looked.tracked.items() if mode == _LINK and p not in there)}
    paths = [p for p in (*looked.present, *looked.new, *also) if p not in still]
    found = {path: stamp(desk, path) for path in paths}
    with bytewise(desk):
        _drop(desk, [p for p in looked.tracked if p not in still])
        _add(desk, paths)
    # git compares whole seconds and reads files as young as the index once more, with other line ends: `stamps` says it finer.
    late = time.time() + 10
    os.utime(desk.shadow.gitdir / "index", (late, late))
    return ByByte(desk.shadow.staged(), found)


def stamp(desk: Desk, path: bytes) -> tuple[int, ...]:
    """Changes when the file does; () when it is gone."""
    try:
        status = os.lstat(os.fsencode(desk.found.top) + b"/" + path)
    except OSError:
        return ()
    return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class bytewise:  # noqa: N801  # a context manager that is called like a function
    """While it lasts, git stores and writes contents as they are in the shadow of `desk`."""

    def __init__(self, desk: Desk) -> None:
        self._file = desk.shadow.gitdir / "info" / "attributes"  # of all files of attributes the one that counts most
        self._owners = self._file.read_bytes() if self._file.exists() else b""

    def __enter__(self) -> None:
        self._file.parent.mkdir(exist_ok=True)
        self._file.write_bytes(_BY_BYTE)

    def __exit__(self, *_: object) -> None:
        self._file.write_bytes(self._owners)


def in_the_way(desk: Desk, target: list[Blob], known: set[bytes]) -> Iterator[bytes]:
    """Files that git ignores and that stand where the tree `target` has something. Raises UsageError for what cannot be moved."""
    places = _Places(desk.found.top)
    seen: set[bytes] = set()
    for blob in target:
        for path in (*_above(blob.path), blob.path):
            if not path or path in seen or path in known:
                continue
            seen.add(path)
            if places.file(path):
                yield path
            elif path == blob.path and blob.mode != _LINK and places.folder(path):
                yield from (p for p in _below(desk.found.top, path) if p not in known)
            elif places.there(path) and not places.folder(path):
                raise UsageError(f"{encode_path(path)} is in the way and no regular file", hint="Move it away.")


def _below(top: Path, folder: bytes) -> Iterator[bytes]:
    for at, folders, files in os.walk(os.path.join(os.fsencode(top), folder)):  # noqa: PTH118  # names are bytes
        inner = os.path.relpath(at, os.fsencode(top))
        if b".git" in (*folders, *files):
            raise UsageError(f"{encode_path(inner)} is a repository and in the way", hint="Move it away.")
        links = [f for f in folders if os.path.islink(os.path.join(at, f))]  # noqa: PTH114, PTH118  # names are bytes
        for name in (*files, *links):
            path = os.path.join(inner, name)  # noqa: PTH118  # names are bytes
            if not stat.S_ISREG(mode := os.lstat(os.path.join(at, name)).st_mode) and not stat.S_ISLNK(mode):  # noqa: PTH118  # names are bytes
                raise UsageError(f"{encode_path(path)} is in the way and no regular file", hint="Move it away.")
            yield path


def _drop(desk: Desk, paths: Iterable[bytes]) -> None:
    nothing = b"0" * (64 if desk.shadow.wide else 40)
    rows = b"".join(b"0 %s\t%s\0" % (nothing, path) for path in paths)
    if rows:
        desk.git("update-index", "-z", "--index-info", asked=rows)


def _add(desk: Desk, paths: Iterable[bytes]) -> None:
    rows = b"".join(path + b"\0" for path in paths)
    if rows:
        desk.git("update-index", "-z", "--add", "--replace", "--stdin", asked=rows)


def _above(path: bytes) -> list[bytes]:
    """Folders that hold `path`, outermost first."""
    parts = path.split(b"/")[:-1]
    return [b"/".join(parts[:n]) for n in range(1, len(parts) + 1)]


class _Places:
    """What is at a path, without following any link on the way."""

    def __init__(self, top: Path) -> None:
        self._top = os.fsencode(top)
        self._folders: dict[bytes, bool] = {b"": True}

    def folder(self, path: bytes) -> bool:
        if path not in self._folders:
            mode = self._mode(path)
            self._folders[path] = mode is not None and stat.S_ISDIR(mode)
        return self._folders[path]

    def file(self, path: bytes) -> bool:
        mode = self._mode(path)
        return mode is not None and (stat.S_ISREG(mode) or stat.S_ISLNK(mode))

    def there(self, path: bytes) -> bool:
        return self._mode(path) is not None

    def _mode(self, path: bytes) -> int | None:
        if not self.folder(path.rpartition(b"/")[0]):
            return None
        try:
            return os.lstat(self._top + b"/" + path).st_mode
        except OSError:
            return None
