"""The commits that a record is linked to."""

from pathlib import Path
from typing import NamedTuple

from harness.repo import git
from harness.repo.checkout import shadowed
from harness.repo.checkpoint import checkpoints

GREEN = "passed"
"""What a checkpoint's own check has to have said."""


class Linked(NamedTuple):
    """Where a repository stands."""

    head: str | None
    """Commit that is checked out; None outside git, and before the first commit."""
    checkpoint: str | None
    """Newest checkpoint up to it whose check passed."""


def linked(folder: Path) -> Linked:
    """For the repository around `folder`; nothing for a folder that is in none, or whose history cannot be read."""
    try:
        with shadowed(folder.resolve()) as shadow:
            head = shadow.commit("HEAD") if shadow else None
            if shadow is None or head is None:
                return Linked(None, None)
            green = (one.commit for one in checkpoints(shadow, head) if one.check == GREEN)
            return Linked(head, next(green, None))
    except git.GitFailed:
        return Linked(None, None)
