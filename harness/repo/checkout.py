"""Pin a revision: what is to be audited, copied to a folder of ours before anybody reads it.

The work tree as it is (tracked files and new ones that git does not ignore), or any commit; a folder without git as it
is. Nothing of the repository runs: see `harness.repo.guard`, `harness.repo.shadow` and `harness.repo.git` for how.
"""

import difflib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from harness.errors import UsageError
from harness.files import displayable, encode_path, sha256
from harness.repo import git
from harness.repo.copy import Copy
from harness.repo.guard import Guard, Kind, Unreadable
from harness.repo.scope import DEEPEST, LARGEST, MOST_ENTRIES, Scope
from harness.repo.shadow import Blob, Shadow, discover
from harness.schema.tree import Tree


def pin(origin: Path, into: Path, *, revision: str | None = None, exclude: Sequence[str] = ()) -> Tree:
    """Copy what `origin`, a folder or one file, holds into `into`, which is made and must not hold anything yet.

    Without `revision` that is the work tree as it is, also when git cannot be asked. Paths are relative to `origin`.
    An empty `files` means that nothing is in scope; the caller decides what that is. Raises UsageError.
    """
    place = _existing(origin)
    single = None if place.is_dir() else os.fsencode(place.name)
    folder = place if single is None else place.parent
    into.mkdir(parents=True, exist_ok=True)
    if any(into.iterdir()):
        raise UsageError(f"{displayable(str(into))} is not empty")
    try:
        scope = Scope(exclude)
        copy = Copy(into, scope)
        with _shadow(folder) as shadow:
            if revision is None:
                pinned = _work_tree(folder, single, scope, copy, shadow)
            elif shadow is None:
                why = "git is not installed" if git.binary() is None else "it is not in a git repository"
                raise UsageError(f"no revision of {displayable(str(place))} can be read: {why}")
            else:
                pinned = _commit(folder, single, scope, copy, shadow, revision)
    except BaseException:
        shutil.rmtree(into, ignore_errors=True)
        raise
    files = copy.files()
    return Tree(
        root=str(into.resolve()),
        name=displayable(place.name) or "/",
        origin=str(place),
        head=pinned.head,
        dirty=pinned.dirty,
        files=files,
        excluded=copy.skips(),
        digest=sha256("".join(f"{f.path}\0{f.sha256}\n" for f in files)),
    )


class _Pinned(NamedTuple):
    head: str | None
    dirty: bool


def _existing(origin: Path) -> Path:
    try:
        place = origin.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        shown = displayable(str(origin))
        near = _near(origin.name, [p.name for p in origin.parent.iterdir()] if origin.parent.is_dir() else [])
        raise UsageError(f"there is no file or folder {shown}", hint=near) from error
    if not place.is_dir() and not place.is_file():
        raise UsageError(f"{displayable(str(origin))} is neither a folder nor a regular file")
    return place


def _near(word: str, names: list[str]) -> str:
    close = difflib.get_close_matches(word, names, n=3)
    return f"Did you mean {' or '.join(displayable(name) for name in close)}?" if close else ""


@contextmanager
def _shadow(folder: Path) -> Iterator[Shadow | None]:
    """What git knows of the folder, None when git is not there or the repository cannot be used."""
    found = discover(folder) if git.binary() is not None else None
    if found is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="harness-git-") as home:
        try:
            shadow = Shadow(found, Path(home))
        except (OSError, Unreadable):
            yield None
            return
        yield shadow


class _Known(NamedTuple):
    """What git says of the work tree, as paths from the audited folder."""

    head: str | None
    changed: bool
    """The index differs from HEAD."""
    tracked: dict[bytes, str]
    """Path -> blob id."""
    kept: set[bytes]
    """Tracked paths and new ones."""
    tracked_folders: set[bytes]
    kept_folders: set[bytes]
    nested: set[bytes]
    """Folders that are repositories of their own."""


def _known(shadow: Shadow, folder: Path) -> _Known | None:
    """None when git fails, or ignores the audited folder itself."""
    prefix = os.fsencode(folder.relative_to(shadow.top)) if folder != shadow.top else b""
    inside = prefix + b"/" if prefix else b""
    try:
        everything = shadow.index()
        index = {p[len(inside) :]: i for p, i in everything.items() if p.startswith(inside)}
        others = [p[len(inside) :] for p in shadow.untracked(prefix) if p.startswith(inside)]
        head = shadow.commit("HEAD")
        committed = {b.path: b.id for b in shadow.blobs(head, sizes=False)} if head else {}
    except git.GitFailed:
        return None
    if prefix and not index and not others:
        return None
    committed = {p[len(inside) :]: i for p, i in committed.items() if p.startswith(inside)}
    nested = {p[:-1] for p in others if p.endswith(b"/")}
    kept = {*index, *(p for p in others if not p.endswith(b"/"))}
    return _Known(head, index != committed, index, kept, _folders(index), _folders(kept), nested)


def _folders(paths: Iterable[bytes]) -> set[bytes]:
    found: set[bytes] = set()
    for path in paths:
        folder = path.rpartition(b"/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition(b"/")[0]
    return found


def _work_tree(folder: Path, single: bytes | None, scope: Scope, copy: Copy, shadow: Shadow | None) -> _Pinned:
    known = _known(shadow, folder) if shadow else None
    walk = _Walk(scope, copy, known)
    try:
        with Guard(folder) as guard:
            walk.folder(guard, single)
    except OSError as error:
        raise UsageError(f"{displayable(str(folder))} cannot be read: {error.strerror}") from error
    if known is None:
        return _Pinned(None, dirty=False)
    gone = any(walk.gone(path) for path in known.tracked if single in (None, path))
    return _Pinned(known.head, dirty=walk.dirty or gone or (single is None and known.changed))


class _Walk:
    """Walks through a folder and copies what is in scope."""

    def __init__(self, scope: Scope, copy: Copy, known: _Known | None) -> None:
        self.scope = scope
        self.copy = copy
        self.known = known
        self.seen: set[bytes] = set()
        """Paths that exist, in scope or not."""
        self.closed: set[bytes] = set()
        """Folders left out as a whole."""
        self.dirty = False

    def folder(self, guard: Guard, single: bytes | None) -> None:
        """Everything below the root, or the one file. Raises OSError when the root cannot be read."""
        folders = [b""]
        while folders:
            folder = folders.pop()
            if self.copy.full:
                self.out(folder, "beyond the largest number of files", folder=True)
                continue
            try:
                entries = guard.entries(folder, MOST_ENTRIES + 1)
            except Unreadable as error:
                if not folder:
                    raise OSError(0, str(error)) from error
                self.out(folder, str(error), folder=True)
                continue
            if len(entries) > MOST_ENTRIES:
                self.out(folder, f"more than {MOST_ENTRIES} names in one folder", folder=True)
                continue
            siblings = frozenset(entry.name for entry in entries)
            inner = []
            for entry in entries:
                path = folder + b"/" + entry.name if folder else entry.name
                if single is not None and path != single:
                    continue
                self.seen.add(path)
                if entry.kind is Kind.FOLDER:
                    reason = self.why_not_folder(guard, path, siblings)
                    if reason is None:
                        inner.append(path)
                    elif reason:
                        self.out(path, reason, folder=True)
                elif entry.kind is Kind.FILE:
                    self.file(guard, path, entry.size)
                else:
                    self.out(path, "symlink" if entry.kind is Kind.SYMLINK else "not a regular file")
            folders += reversed(inner)

    def why_not_folder(self, guard: Guard, path: bytes, siblings: frozenset[bytes]) -> str | None:
        """The reason to leave a folder out; '' when there is nothing in it to speak of."""
        known = self.known
        tracked = known is not None and path in known.tracked_folders
        reason = self.scope.folder(encode_path(path), siblings, tracked=tracked)
        if reason is not None:
            return reason
        if path.count(b"/") >= DEEPEST:
            return f"more than {DEEPEST} folders deep"
        if known is None or path in known.kept_folders:
            return None
        if path in known.nested:
            return "nested git repository"
        if path in known.tracked:
            return "submodule"
        try:
            return "ignored by git" if guard.entries(path, 1) else ""
        except Unreadable as error:
            return str(error)

    def file(self, guard: Guard, path: bytes, size: int) -> None:
        known = self.known
        if known is not None and path not in known.kept:
            self.out(path, "ignored by git")
            return
        reason = self.scope.file(encode_path(path), size)
        if reason is None and self.copy.full:
            reason = "beyond the largest number of files"
        if reason is not None:
            self.out(path, reason)
            return
        try:
            content = guard.read(path, LARGEST)
        except Unreadable as error:
            self.out(path, str(error))
            return
        if known is not None:
            self.dirty = self.dirty or known.tracked.get(path) != _blob_id(content, known.tracked.get(path, ""))
        self.copy.add(path, content)

    def out(self, path: bytes, reason: str, *, folder: bool = False) -> None:
        self.copy.skip(path, reason, folder=folder)
        if folder:
            self.closed.add(path)

    def gone(self, path: bytes) -> bool:
        """Whether a tracked path that would be in scope is not there."""
        if path in self.seen:
            return False
        while path:
            path = path.rpartition(b"/")[0]
            if path in self.closed:
                return False
        return True


def _blob_id(content: bytes, like: str) -> str:
    """The id git gives a blob, in the hash that `like` is of."""
    digest = hashlib.sha256() if len(like) == 64 else hashlib.sha1(usedforsecurity=False)
    digest.update(b"blob %d\0" % len(content))
    digest.update(content)
    return digest.hexdigest()


def _commit(folder: Path, single: bytes | None, scope: Scope, copy: Copy, shadow: Shadow, revision: str) -> _Pinned:
    commit = shadow.commit(revision)
    if commit is None:
        raise _unknown(revision, shadow)
    prefix = os.fsencode(folder.relative_to(shadow.top)) + b"/" if folder != shadow.top else b""
    try:
        inside = [
            b._replace(path=b.path[len(prefix) :])
            for b in shadow.blobs(commit, sizes=True)
            if b.path.startswith(prefix)
        ]
        wanted = _chosen([b for b in inside if single in (None, b.path)], scope, copy)
        for blob, content in shadow.contents(wanted):
            if copy.full:
                copy.skip(blob.path, "beyond the largest number of files")
            else:
                copy.add(blob.path, content)
    except git.GitFailed as error:
        raise UsageError(f"revision {displayable(revision)} cannot be read: {error}") from error
    return _Pinned(commit, dirty=False)


def _unknown(revision: str, shadow: Shadow) -> UsageError:
    shown = displayable(revision, keep="")
    shown = shown if len(shown) <= 80 else shown[:77] + "..."
    try:
        hint = _near(revision, shadow.names())
    except git.GitFailed:
        hint = ""
    return UsageError(f"there is no commit called {shown!r}", hint=hint)


def _chosen(blobs: list[Blob], scope: Scope, copy: Copy) -> list[Blob]:
    """The blobs in scope; folders and files that are not are noted in `copy`."""
    verdicts: dict[bytes, bool] = {b"": True}

    def open_to(folder: bytes) -> bool:
        if folder not in verdicts:
            parent = folder.rpartition(b"/")[0]
            verdicts[folder] = open_to(parent)
            if verdicts[folder]:
                reason = scope.folder(encode_path(folder), None, tracked=True)
                if reason is None and folder.count(b"/") >= DEEPEST:
                    reason = f"more than {DEEPEST} folders deep"
                if reason is not None:
                    verdicts[folder] = False
                    copy.skip(folder, reason, folder=True)
        return verdicts[folder]

    chosen = []
    for blob in blobs:
        parts = blob.path.split(b"/")
        if not all(parts) or b"." in parts or b".." in parts:
            copy.skip(blob.path, "not a path")
        elif len(parts) > 1000:
            copy.skip(blob.path, f"more than {DEEPEST} folders deep")
        elif open_to(b"/".join(parts[:-1])):
            reason = {"120000": "symlink", "160000": "submodule"}.get(blob.mode)
            reason = reason or scope.file(encode_path(blob.path), blob.size)
            if reason is None:
                chosen.append(blob)
            else:
                copy.skip(blob.path, reason, folder=blob.mode == "160000")
    return chosen
