"""States that were put aside: references `refs/harness/parked/ID` that nothing of git's own removes.

A parked commit is shaped like a stash: its tree is the work tree byte for byte with what git does not track or ignore, its
parents are HEAD and a commit of the index. So later commits stay reachable, too, and `git stash apply` understands it.
What was staged only, before `checkpoint --all`, is kept as a commit of that index alone.
"""

import time
from typing import Literal, NamedTuple

from harness.errors import Bug
from harness.files import displayable
from harness.repo import git, landing
from harness.repo.checkpoint import commit_object, value
from harness.repo.owner import Identity
from harness.repo.shadow import Found, Shadow

FOLDER = "refs/harness/parked/"
_KIND = "Harness-Parked"
_BRANCH = "Harness-Branch"
_FORM = "%(refname)%00%(objectname)%00%(committerdate:iso-strict)%00%(parent)%00%(subject)%00%(contents:trailers)%00"
"""One question for trailers: with two, git 2.39 answers neither."""


class State(NamedTuple):
    """Everything that a rollback replaces."""

    head: str
    """Commit."""
    branch: str | None
    """Full name, None for a detached HEAD."""
    files: str
    """Tree of the work tree, byte for byte."""
    staged: str
    """Tree of the index."""


class Parked(NamedTuple):
    """One thing put aside."""

    id: str
    """Four digits."""
    ref: str
    commit: str
    date: str
    """ISO 8601."""
    kind: Literal["state", "staged"]
    """A whole state, or what was staged alone."""
    about: str
    """A sentence, escaped."""
    parents: tuple[str, ...]
    branch: str | None
    """Branch it was on, full name, None for a detached HEAD."""

    @property
    def head(self) -> str | None:
        """HEAD at that time."""
        return self.parents[0] if self.parents else None


def park(found: Found, shadow: Shadow, state: State, about: str) -> Parked:
    """Put a whole state aside; its trees are in the shadow. Raises git.GitFailed, UsageError."""
    index = commit_object(shadow, state.staged, [state.head], _us(), "index\n")
    message = f"{about}\n\n{_KIND}: state\n{_BRANCH}: {state.branch or 'detached'}\n"
    commit = commit_object(shadow, state.files, [state.head, index], _us(), message)
    return _keep(found, shadow, commit, about)


def park_staged(found: Found, shadow: Shadow, tree: str, head: str | None, about: str) -> Parked:
    """Put what is staged aside. Raises git.GitFailed, UsageError."""
    message = f"{about}\n\n{_KIND}: staged\n"
    return _keep(found, shadow, commit_object(shadow, tree, [head] if head else [], _us(), message), about)


def parked(shadow: Shadow) -> list[Parked]:
    """All, oldest first. Raises git.GitFailed."""
    said = git.run(["for-each-ref", f"--format={_FORM}", FOLDER], gitdir=shadow.gitdir).decode("utf-8", "replace")
    found = []
    for row in said.split("\0\n"):
        parts = row.split("\0")
        if len(parts) != 6:
            continue
        ref, commit, date, parents, subject, trailers = (part.strip() for part in parts)
        said_of = dict(line.split(": ", 1) for line in trailers.splitlines() if ": " in line)
        branch = said_of.get(_BRANCH, "")
        state = said_of.get(_KIND) == "state" and len(parents.split()) == 2
        found.append(
            Parked(
                displayable(ref.removeprefix(FOLDER)), ref, commit, date, "state" if state else "staged",
                displayable(subject, keep=""), tuple(parents.split()), branch if branch.startswith("refs/heads/") else None,
            )
        )  # fmt: skip
    return found


def _keep(found: Found, shadow: Shadow, commit: str, about: str) -> Parked:
    landing.publish(shadow, found)
    number = max((value(p.id) or 0 for p in parked(shadow)), default=0)
    for _ in range(1000):
        number += 1
        ref = f"{FOLDER}{number:04}"
        if landing.create(found, ref, commit, "parked"):
            return Parked(f"{number:04}", ref, commit, "", "state", about, (), None)
    raise Bug("no free number for what is to be parked")


def _us() -> Identity:
    """It must not fail because nobody told git who they are."""
    who = f"harness <harness@localhost> {int(time.time())} +0000".encode("ascii")
    return Identity(who, who)
