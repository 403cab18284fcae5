"""The work tree as it is: walked through open folders, copied file by file, with what git knows of it."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from harness.errors import UsageError
from harness.files import displayable, encode_path
from harness.repo import git
from harness.repo.copy import Copy
from harness.repo.guard import Guard, Kind, Unreadable
from harness.repo.scope import DEEPEST, LARGEST, MOST_ENTRIES, Scope
from harness.repo.shadow import Shadow


class Pinned(NamedTuple):
    """What was copied."""

    head: str | None
    """Commit, None where git does not know."""
    dirty: bool
    """The copy differs from that commit."""


def copy_work_tree(folder: Path, single: bytes | None, scope: Scope, copy: Copy, shadow: Shadow | None) -> Pinned:
    """Copy what is in scope below `folder`, or the one file. Raises UsageError when the folder cannot be read."""
    known = _known(shadow, folder) if shadow else None
    walk = _Walk(scope, copy, known)
    try:
        with Guard(folder) as guard:
            walk.folder(guard, single)
    except OSError as error:
        raise UsageError(f"{displayable(str(folder))} cannot be read: {error.strerror}") from error
    if known is None:
        return Pinned(None, dirty=False)
    gone = any(walk.gone(path) for path in known.tracked if single in (None, path))
    return Pinned(known.head, dirty=walk.dirty or gone or (single is None and known.changed))


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
