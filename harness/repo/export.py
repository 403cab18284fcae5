"""Everything that a state of a repository holds, also what no auditor reads: for running its tests, and for its decisions.

Contents come from git's objects or, for the work tree, from files opened below its root; never through a filter. Links
are made as links, after all files, so that nothing is written through one.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.errors import UsageError
from harness.files import decode_path, displayable
from harness.repo import git
from harness.repo.checkout import below, shadowed
from harness.repo.guard import Guard, Unreadable
from harness.repo.shadow import Blob, Shadow
from harness.repo.which import Which, stored

LARGEST = 256 * 1024 * 1024
"""Bytes of a file."""
MOST_BYTES = 1024 * 1024 * 1024
"""Of all files together."""


class _File(NamedTuple):
    path: bytes
    mode: str
    content: bytes


def export(origin: Path, into: Path, which: Which) -> None:
    """Write the files and links of a state below `into`, a new folder. Raises UsageError."""
    folder = origin.resolve()
    into.mkdir(parents=True)
    try:
        _write(into, _files(folder, which))
    except git.GitFailed as error:
        shutil.rmtree(into, ignore_errors=True)
        raise UsageError(f"{displayable(str(origin))} cannot be read: {error}") from error
    except BaseException:
        shutil.rmtree(into, ignore_errors=True)
        raise


def export_tree(shadow: Shadow, tree: str, into: Path) -> None:
    """The same for a whole tree that `shadow` can read, also one that the repository has not got. Raises UsageError."""
    into.mkdir(parents=True)
    blobs = [b for b in shadow.blobs(tree, sizes=True) if b.mode != "160000"]
    _not_too_much(blobs)
    try:
        _write(into, (_File(blob.path, blob.mode, content) for blob, content in shadow.contents(blobs)))
    except git.GitFailed as error:
        raise UsageError(f"the tree {tree} cannot be read: {error}") from error


def read_files(origin: Path, which: Which, names: Sequence[str]) -> dict[str, bytes]:
    """Contents of these record paths as far as they are regular files there. Raises UsageError."""
    folder = origin.resolve()
    wanted = {decode_path(name): name for name in names}
    try:
        if not which.stored:
            return {wanted[f.path]: f.content for f in _from_disk(folder, [(p, "100644") for p in wanted])}
        with shadowed(folder, index=which.index_name) as shadow:
            what = stored(shadow, which, folder)
            blobs = [b for b in _below(folder, shadow, what.tree) if b.path in wanted and b.mode.startswith("100")]
            return {wanted[b.path]: content for b, content in (shadow.contents(blobs) if shadow else ())}
    except git.GitFailed as error:
        raise UsageError(f"{displayable(str(origin))} cannot be read: {error}") from error


def _files(folder: Path, which: Which) -> Iterator[_File]:
    with shadowed(folder, index=which.index_name) as shadow:
        if which.stored or shadow is None:
            what = stored(shadow, which, folder)
            blobs = [b for b in _below(folder, shadow, what.tree) if b.mode != "160000"]
            _not_too_much(blobs)
            for blob, content in shadow.contents(blobs) if shadow else ():
                yield _File(blob.path, blob.mode, content)
            return
        prefix = os.fsencode(folder.relative_to(shadow.top)) + b"/" if folder != shadow.top else b""
        known = [(p, mode) for p, (mode, _) in shadow.tracked().items() if mode != "160000"]
        new = [(p, "100644") for p in shadow.untracked(prefix.rstrip(b"/")) if not p.endswith(b"/")]
        inside = [(p[len(prefix) :], mode) for p, mode in (*known, *new) if p.startswith(prefix)]
        yield from _from_disk(folder, inside)


def _not_too_much(blobs: Sequence[Blob]) -> None:
    if sum(b.size for b in blobs) > MOST_BYTES:
        raise UsageError(f"its files are larger than {MOST_BYTES >> 30} GB together, too many to run its tests on")


def _below(folder: Path, shadow: Shadow | None, tree: str) -> list[Blob]:
    return below(folder, shadow, tree) if shadow else []


def _from_disk(folder: Path, paths: Iterable[tuple[bytes, str]]) -> Iterator[_File]:
    with Guard(folder) as guard:
        for path, mode in paths:
            try:
                if mode == "120000":
                    yield _File(path, mode, os.fsencode((folder / os.fsdecode(path)).readlink()))
                else:
                    yield _File(path, mode, guard.read(path, LARGEST))
            except (Unreadable, OSError):  # gone, or no regular file: then it is not there for its tests either
                continue


def _write(root: Path, files: Iterable[_File]) -> None:
    root = root.resolve()
    links: list[_File] = []
    for file in files:
        parts = file.path.split(b"/")
        if any(part in (b"", b".", b"..") or part.lower() in (b".git", b"git~1") for part in parts):
            continue
        if file.mode == "120000":
            links.append(file)
            continue
        target = root / os.fsdecode(file.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(target, flags, 0o600), "wb") as stream:
            stream.write(file.content)
            os.fchmod(stream.fileno(), 0o755 if file.mode == "100755" else 0o644)
    for link in links:
        target = root / os.fsdecode(link.path)
        if os.path.lexists(target) or not link.content or b"\0" in link.content:
            continue
        if target.parent.resolve() == target.parent:  # a tree of somebody's making may have a link and names below it
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(os.fsdecode(link.content))
