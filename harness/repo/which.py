"""Which state of a repository is meant: the work tree as it is, a commit, the index, or a commit with a patch applied."""

from pathlib import Path
from typing import NamedTuple

from harness.errors import UsageError
from harness.files import displayable
from harness.repo import git
from harness.repo.names import unknown
from harness.repo.shadow import Shadow, undiscovered


class Which(NamedTuple):
    """One state; the default is the work tree."""

    revision: str | None = None
    """A commit; with `patch` the one it applies to, HEAD when it is not given."""
    staged: bool = False
    """The index, as a commit of it would be."""
    index_name: str = "index"
    """Name of the index in the git directory."""
    patch: bytes | None = None
    """A patch, as git or diff writes it."""

    @property
    def stored(self) -> bool:
        """Whether git's objects have it, and nothing is read from the work tree."""
        return self.revision is not None or self.staged or self.patch is not None


WORK_TREE = Which()


class Stored(NamedTuple):
    """A state that git's objects have."""

    head: str | None
    """The commit it is, or that it comes after."""
    tree: str
    """Id of the tree."""
    dirty: bool
    """It differs from that commit."""


def stored(shadow: Shadow | None, which: Which, place: Path) -> Stored:
    """The tree that `which` names. Raises UsageError that says what is wrong with the name, the index or the patch."""
    if shadow is None:
        why = undiscovered(place if place.is_dir() else place.parent)
        if which.index_name != "index":
            why = f"it has no index called {displayable(which.index_name)}"
        raise UsageError(f"no revision of {displayable(str(place))} can be read: {why}")
    name = which.revision if which.revision is not None else "HEAD"
    head = shadow.commit(name)
    if head is None and not which.staged:
        raise unknown(name, shadow)
    try:
        before = shadow.tree(head) if head else ""
        if which.staged:
            tree = shadow.staged()
        elif which.patch is not None and head is not None:
            tree = shadow.patched(head, which.patch)
        else:
            tree = before
    except git.GitFailed as error:
        what = "the index cannot be read as a commit" if which.staged else f"the patch does not apply to {name}"
        what = what if which.staged or which.patch is not None else f"revision {displayable(name)} cannot be read"
        raise UsageError(f"{what}: {error}") from error
    return Stored(head, tree, dirty=tree != before)
