"""Pin a revision: what is to be audited, copied to a folder of ours before anybody reads it.

The work tree as it is (tracked files and new ones that git does not ignore), or any commit; a folder without git as it
is. Nothing of the repository runs: see `harness.repo.guard`, `harness.repo.shadow` and `harness.repo.git` for how.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness.errors import Bug, UsageError
from harness.files import displayable, encode_path, sha256
from harness.repo import git
from harness.repo.copy import Copy
from harness.repo.guard import Unreadable
from harness.repo.names import near
from harness.repo.scope import DEEPEST, Scope
from harness.repo.shadow import Blob, Shadow, discover
from harness.repo.which import WORK_TREE, Stored, Which, stored
from harness.repo.worktree import Pinned, copy_work_tree
from harness.schema.tree import Tree
from harness.scratch import scratch


def pin(
    origin: Path,
    into: Path,
    *,
    revision: str | None = None,
    exclude: Sequence[str] = (),
    which: Which = WORK_TREE,
) -> Tree:
    """Copy what `origin`, a folder or one file, holds into `into`, which is made and must not hold anything yet.

    Without `revision`, or another state that `which` names, that is the work tree as it is, also when git cannot be
    asked. Paths are relative to `origin`.
    An empty `files` means that nothing is in scope; the caller decides what that is. Raises UsageError.
    """
    place = _existing(origin)
    which = which if revision is None else which._replace(revision=revision)
    single = None if place.is_dir() else os.fsencode(place.name)
    folder = place if single is None else place.parent
    into.mkdir(parents=True, exist_ok=True)
    if any(into.iterdir()):
        raise UsageError(f"{displayable(str(into))} is not empty")
    try:
        scope = Scope(exclude)
        copy = Copy(into, scope)
        with shadowed(folder, index=which.index_name) as shadow:
            if which.stored:
                pinned = _stored(folder, single, scope, copy, shadow, stored(shadow, which, place))
            else:
                pinned = copy_work_tree(folder, single, scope, copy, shadow)
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


def _existing(origin: Path) -> Path:
    try:
        place = origin.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        shown = displayable(str(origin))
        meant = near(origin.name, [p.name for p in origin.parent.iterdir()] if origin.parent.is_dir() else [])
        raise UsageError(f"there is no file or folder {shown}", hint=meant) from error
    if not place.is_dir() and not place.is_file():
        raise UsageError(f"{displayable(str(origin))} is neither a folder nor a regular file")
    return place


@contextmanager
def shadowed(folder: Path, *, index: str = "index") -> Iterator[Shadow | None]:
    """What git knows of the folder, None when git is not there or the repository cannot be used."""
    found = discover(folder) if git.binary() is not None else None
    if found is None:
        yield None
        return
    with scratch("git") as home:
        try:
            shadow = Shadow(found, home, index=index)
        except (OSError, Unreadable):
            yield None
            return
        yield shadow


def below(folder: Path, shadow: Shadow, tree: str) -> list[Blob]:
    """Entries of a tree below `folder`, with paths from there. Raises git.GitFailed."""
    prefix = os.fsencode(folder.relative_to(shadow.top)) + b"/" if folder != shadow.top else b""
    return [b._replace(path=b.path[len(prefix) :]) for b in shadow.blobs(tree, sizes=True) if b.path.startswith(prefix)]


def _stored(
    folder: Path, single: bytes | None, scope: Scope, copy: Copy, shadow: Shadow | None, what: Stored
) -> Pinned:
    if shadow is None:
        raise Bug("a stored state without a repository")
    try:
        wanted = _chosen([b for b in below(folder, shadow, what.tree) if single in (None, b.path)], scope, copy)
        for blob, content in shadow.contents(wanted):
            if copy.full:
                copy.skip(blob.path, "beyond the largest number of files")
            else:
                copy.add(blob.path, content)
    except git.GitFailed as error:
        raise UsageError(f"revision {what.head or what.tree} cannot be read: {error}") from error
    return Pinned(what.head, dirty=what.dirty)


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
