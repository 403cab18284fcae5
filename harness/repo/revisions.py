"""Commits by what people call them, and the ones that a review or a gate starts from when nobody says."""

from pathlib import Path
from typing import NamedTuple

from harness.errors import UsageError
from harness.files import displayable
from harness.repo import git
from harness.repo.checkout import shadowed
from harness.repo.names import unknown
from harness.repo.shadow import Shadow, undiscovered

CHECKPOINT_TRAILER = "Harness-Checkpoint"
"""Trailer of a commit that is a checkpoint."""
_MAINLINES = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
              "refs/heads/main", "refs/heads/master")  # fmt: skip


class Ends(NamedTuple):
    """Both ends of a change."""

    base: str | None
    """Commit to compare with; None when the head has no ancestor."""
    head: str
    """Commit at the other end: the one under review, or that the work tree comes after."""


def resolve(folder: Path, name: str) -> str:
    """Id of the commit called `name`. Raises UsageError."""
    with shadowed(folder.resolve()) as shadow:
        return _commit(_there(shadow, folder), name)


def since(folder: Path, base: str, head: str = "HEAD") -> Ends:
    """From the newest common ancestor of both names to the head. Raises UsageError."""
    with shadowed(folder.resolve()) as shadow:
        found = _there(shadow, folder)
        one, other = _commit(found, base), _commit(found, head)
        ancestor = found.merge_base(one, other)
        if ancestor is None:
            raise UsageError(f"{displayable(base)} and {displayable(head)} have no common ancestor here",
                             hint="A shallow clone lacks it: fetch more history.")  # fmt: skip
        return Ends(ancestor, other)


def since_checkpoint(folder: Path) -> Ends:
    """From the last checkpoint up to HEAD. Raises UsageError when there is none."""
    with shadowed(folder.resolve()) as shadow:
        found = _there(shadow, folder)
        head = _commit(found, "HEAD")
        try:
            last = found.with_trailer(CHECKPOINT_TRAILER)
        except git.GitFailed as error:
            raise UsageError(f"the history cannot be read: {error}") from error
        if last is None:
            raise UsageError("there is no checkpoint up to HEAD", hint="Name what to compare with: --base REV")
        return Ends(last, head)


def since_mainline(folder: Path, head: str = "HEAD") -> Ends:
    """From where the head left the main line of development, else from its parent. Raises UsageError."""
    with shadowed(folder.resolve()) as shadow:
        found = _there(shadow, folder)
        tip = _commit(found, head)
        for name in _MAINLINES:
            line = found.commit(name)
            ancestor = found.merge_base(line, tip) if line else None
            if ancestor is not None and ancestor != tip:
                return Ends(ancestor, tip)
        return Ends(found.commit(f"{tip}^"), tip)


def _there(shadow: Shadow | None, folder: Path) -> Shadow:
    if shadow is None:
        why = undiscovered(folder.resolve())
        raise UsageError(
            f"{displayable(str(folder))} has no changes to look at: {why}", hint="harness audit looks at a folder."
        )
    return shadow


def _commit(shadow: Shadow, name: str) -> str:
    found = shadow.commit(name)
    if found is None:
        raise unknown(name, shadow)
    return found
