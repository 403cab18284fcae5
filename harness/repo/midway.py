"""What somebody has begun in a repository and not ended: a merge, a rebase, a lock. Nothing is committed over it."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from harness.errors import IncompleteError, UsageError
from harness.files import displayable
from harness.repo.guard import Guard, Unreadable
from harness.repo.shadow import Found

_BEGUN = (
    ("MERGE_HEAD", "a merge", "git merge --continue, or git merge --abort"),
    ("CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue, or git cherry-pick --abort"),
    ("REVERT_HEAD", "a revert", "git revert --continue, or git revert --abort"),
    ("rebase-merge", "a rebase", "git rebase --continue, or git rebase --abort"),
    ("rebase-apply", "a rebase or git am", "git rebase --continue or git am --continue, or --abort of either"),
    (
        "sequencer",
        "a cherry-pick or revert of several commits",
        "git cherry-pick --continue, or --abort; or git revert",
    ),
    ("BISECT_LOG", "a bisection", "git bisect reset"),
)
ROLLBACK = "harness-rollback"
"""File in the git directory while a rollback writes the work tree: `parked-id target`."""
_HEAD = re.compile(rb"(?:[0-9a-f]{40}(?:[0-9a-f]{24})?|ref: (refs/heads/[^\s.][^\s]*))\n?")


class Head(NamedTuple):
    """Where HEAD stands."""

    branch: str | None
    """Full name of the branch, None when HEAD is detached."""
    commit: str | None
    """None before the first commit."""


class Halted(NamedTuple):
    """A rollback that was killed."""

    parked: str
    """Id of what it had parked."""
    target: str
    """Where it was going."""


def branch(found: Found) -> str | None:
    """The branch HEAD is on, None when it is detached. Raises UsageError for a HEAD that we cannot move."""
    try:
        with Guard(found.own) as guard:
            said = _HEAD.fullmatch(guard.read(b"HEAD", 4096))
    except (OSError, Unreadable) as error:
        raise UsageError(f"HEAD cannot be read: {error}") from error
    if said is None or (found.common / "reftable").is_dir():
        raise UsageError("HEAD is stored in a way that harness cannot write",
                         hint="Repositories with the reftable format are not supported.")  # fmt: skip
    return os.fsdecode(said[1]) if said[1] else None


def refuse(found: Found, branch: str | None, conflicts: list[str]) -> None:
    """Raises UsageError while something is under way, IncompleteError while another git works here."""
    for name, what, how in _BEGUN:
        if os.path.lexists(found.own / name):
            raise UsageError(f"{what} is in progress", hint=f"End it first: {how}")
    if conflicts:
        named = ", ".join(conflicts[:5]) + (f" and {len(conflicts) - 5} more" if conflicts[5:] else "")
        raise UsageError(f"there are conflicts: {named}", hint="Resolve each and git add it, or take the merge back.")
    unlocked(found, branch)


def unlocked(found: Found, branch: str | None) -> None:
    """Raises IncompleteError while the index, or `branch` (None for HEAD itself), is locked."""
    for lock in (found.own / "index.lock", lock_of(found, branch)):
        if os.path.lexists(lock):
            raise locked(lock)


def lock_of(found: Found, branch: str | None) -> Path:
    """The lock that git takes to move `branch`, or HEAD when it is detached."""
    return found.common / f"{branch}.lock" if branch else found.own / "HEAD.lock"


def locked(lock: Path) -> IncompleteError:
    """The error for a lock that is there."""
    what = {"index.lock": "the index", "HEAD.lock": "HEAD"}.get(lock.name, "the branch")
    return IncompleteError(
        f"another git process is at work here: {what} is locked, and nothing was done",
        hint=f"Try again when it has ended; if none is running, remove {displayable(str(lock))}",
    )


def halted(found: Found) -> Halted | None:
    """The rollback that did not come to its end, None without one."""
    try:
        with Guard(found.own) as guard:
            words = guard.read(ROLLBACK.encode(), 4096).decode("ascii", "replace").split()
    except (OSError, Unreadable):
        return None
    return Halted(displayable(words[0]), displayable(words[1])) if len(words) == 2 else None
