"""All commits up to HEAD with their days, read through a shadow: nothing of the repository acts, and its text is escaped."""

from pathlib import Path
from typing import NamedTuple

from harness.files import displayable
from harness.repo import git
from harness.repo.checkout import shadowed
from harness.repo.revisions import CHECKPOINT_TRAILER

MOST = 200_000


class Committed(NamedTuple):
    """One commit."""

    id: str
    """Full hash."""
    at: int
    """Author date, seconds since 1970."""
    subject: str
    """First line, escaped."""
    checkpoint: str
    """Value of the trailer of a checkpoint, escaped; '' for any other commit."""


class Chronicle(NamedTuple):
    """What git tells of a folder."""

    commits: tuple[Committed, ...]
    """Up to HEAD, newest first, at most `MOST`."""
    missing: str
    """Why there are none, '' when there are."""


def chronicle(folder: Path) -> Chronicle:
    """The history of the repository that `folder` lies in. Never raises: what cannot be had is said in `missing`."""
    if git.binary() is None:
        return Chronicle((), "git is not installed")
    with shadowed(folder.resolve()) as shadow:
        if shadow is None:
            return Chronicle((), "not a git repository")
        head = shadow.commit("HEAD")
        if head is None:
            return Chronicle((), "no commit yet")
        form = f"--format=%H%x1f%at%x1f%s%x1f%(trailers:key={CHECKPOINT_TRAILER},valueonly,separator=%x20)"
        try:
            said = git.run(["log", "-z", f"--max-count={MOST}", form, head, "--"], gitdir=shadow.gitdir)
        except git.GitFailed as error:
            return Chronicle((), f"the history cannot be read: {error}")
    return Chronicle(tuple(_commit(row) for row in said.split(b"\0") if row), "")


def _commit(row: bytes) -> Committed:
    name, at, *rest = row.decode("utf-8", "replace").split("\x1f")
    # The trailer comes last, so a subject with our separator in it stays in one piece.
    subject, trailer = "\x1f".join(rest[:-1]), rest[-1]
    seconds = int(at) if at.lstrip("-").isdigit() else 0
    return Committed(name, seconds, displayable(subject, keep=""), displayable(trailer.strip(), keep=""))
