"""What changed in a repository since a commit: commits and files, read through a shadow, as text that is safe to show."""

import os
from pathlib import Path
from typing import NamedTuple

from harness.files import displayable, encode_path
from harness.repo import git
from harness.repo.checkout import shadowed

MOST = 500


class Commit(NamedTuple):
    """One commit."""

    id: str
    """Full hash."""
    author: str
    """Name, escaped."""
    date: str
    """Author date, ISO 8601."""
    subject: str
    """First line, escaped."""


class Changes(NamedTuple):
    """Since a commit, up to HEAD, and not committed yet."""

    head: str | None
    """HEAD, None without a commit or a repository."""
    commits: tuple[Commit, ...]
    """Newest first, at most `MOST`."""
    files: tuple[str, ...]
    """Record paths that differ, committed, staged or neither, and new ones that git does not ignore, sorted."""


def changes(folder: Path, since: str | None, *, without: Path | None = None) -> Changes:
    """Everything since the commit `since` (exclusive; None means from the beginning), but files below `without`.

    Raises git.GitFailed.
    """
    with shadowed(folder) as shadow:
        head = shadow.commit("HEAD") if shadow else None
        if shadow is None or head is None:
            return Changes(None, (), ())
        base = shadow.commit(since) if since else None
        span = f"{base}..{head}" if base else head
        arguments = [
            "log",
            "-z",
            f"--max-count={MOST}",
            "--format=%H%x1f%an%x1f%aI%x1f%s",
            "--end-of-options",
            span,
            "--",
        ]
        said = git.run(arguments, gitdir=shadow.gitdir)
        commits = tuple(_commit(row) for row in said.split(b"\0") if row)
        before = {} if base is None else {b.path: b.id for b in shadow.blobs(base, sizes=False)}
        after = {b.path: b.id for b in shadow.blobs(head, sizes=False)}
        changed = {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}
        index = shadow.index()
        changed |= {p for p in index.keys() | after.keys() if index.get(p) != after.get(p)}
        changed |= set(shadow.unstaged()) | set(shadow.untracked(b""))
        if without is not None and without.is_relative_to(shadow.top) and without != shadow.top:
            below = os.fsencode(without.relative_to(shadow.top)) + b"/"
            changed = {p for p in changed if not p.startswith(below)}
        return Changes(head, commits, tuple(sorted(encode_path(p) for p in changed)))


def _commit(row: bytes) -> Commit:
    name, author, date, subject = (row.decode("utf-8", "replace").split("\x1f") + [""] * 4)[:4]
    return Commit(name, displayable(author, keep=""), date, displayable(subject, keep=""))
