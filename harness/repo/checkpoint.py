"""Commits that are checkpoints: making one, and finding them again."""

import re
from typing import NamedTuple

from harness.errors import UsageError
from harness.files import displayable
from harness.repo import git
from harness.repo.names import unknown
from harness.repo.owner import Identity
from harness.repo.revisions import CHECKPOINT_TRAILER
from harness.repo.shadow import Shadow

CHECK_TRAILER = "Harness-Check"
RUN_TRAILER = "Harness-Run"
DEVLOG_TRAILER = "Harness-Devlog"
DEEPEST = 10_000
"""Commits back in which checkpoints are looked for."""
_FORM = "%H%x1f%cI%x1f%an%x1f%s" + "".join(
    f"%x1f%(trailers:key={key},valueonly,separator=%x20)"
    for key in (CHECKPOINT_TRAILER, CHECK_TRAILER, RUN_TRAILER, DEVLOG_TRAILER)
)


class Checkpoint(NamedTuple):
    """One checkpoint; every text is escaped for display."""

    commit: str
    """Full id."""
    number: str
    """Value of its trailer, usually four digits."""
    date: str
    """ISO 8601."""
    author: str
    subject: str
    check: str
    """What the check said: `passed`, `failed`, `incomplete`, `none`; '' when nothing is said."""
    run: str
    """Id of the run it links to, '' for none."""
    devlog: str
    """Path of the entry it links to, '' for none."""


def commit_object(shadow: Shadow, tree: str, parents: list[str], who: Identity, message: str) -> str:
    """Id of a new commit in the shadow's store. Raises git.GitFailed."""
    lines = [b"tree " + tree.encode(), *(b"parent " + p.encode() for p in parents),
             b"author " + who.author, b"committer " + who.committer, b"", message.encode("utf-8", "replace")]  # fmt: skip
    said = git.run(["hash-object", "-t", "commit", "-w", "--stdin"], gitdir=shadow.gitdir, questions=b"\n".join(lines))
    return said.decode("ascii").strip()


def checkpoints(shadow: Shadow, head: str) -> list[Checkpoint]:
    """Those up to the commit `head`, newest first. Raises git.GitFailed."""
    said = git.run(["log", "-z", f"--max-count={DEEPEST}", f"--format={_FORM}", head, "--"], gitdir=shadow.gitdir)
    found = []
    for row in said.decode("utf-8", "replace").split("\0"):
        parts = [displayable(part.strip(), keep="") for part in row.split("\x1f")]
        if len(parts) == 8 and parts[4]:
            found.append(Checkpoint(parts[0], parts[4], *parts[1:4], *parts[5:8]))
    return found


def next_number(known: list[Checkpoint]) -> str:
    """Four digits, one more than the highest of these."""
    return f"{max((value(c.number) or 0 for c in known), default=0) + 1:04}"


def value(number: str) -> int | None:
    """What a number says; None for what is none of ours: anybody can write a trailer."""
    return int(number) if re.fullmatch(r"[0-9]{1,9}", number) else None


def named(shadow: Shadow, known: list[Checkpoint], name: str | None) -> tuple[str, Checkpoint | None]:
    """The commit that `name` means, and the checkpoint it is: the last one, one by its number, or any commit.

    Raises UsageError.
    """
    if name is None:
        if not known:
            raise UsageError(
                "there is no checkpoint up to HEAD", hint="harness checkpoint makes one; or name a commit."
            )
        return known[0].commit, known[0]
    for one in known:
        if value(name) is not None and value(one.number) == value(name):
            return one.commit, one
    commit = shadow.commit(name)
    if commit is None:
        raise unknown(name, shadow)
    return commit, next((c for c in known if c.commit == commit), None)
