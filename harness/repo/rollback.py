"""Going to another state without losing the one at hand, which is parked first.

Order: park; ask git whether every file can be written; take the lock of the index; note what is being done; write
the files; replace the index; move the branch. Killed in between, the note stays, and what was there is parked.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from harness.errors import Bug, IncompleteError, UsageError
from harness.files import displayable, encode_path, write_atomic
from harness.repo import git, landing, midway, owner, snapshot
from harness.repo.guard import Unreadable
from harness.repo.midway import Head
from harness.repo.parking import Parked, State, park
from harness.repo.quiet import undisturbed
from harness.repo.shadow import Blob, Shadow, discover, undiscovered
from harness.repo.snapshot import Desk


class Opened(NamedTuple):
    """The owner's repository, and a shadow of it."""

    desk: Desk
    head: Head
    before: bytes | None
    """The index as it was when the shadow was made."""


class Target(NamedTuple):
    """Where to go."""

    commit: str
    """HEAD afterwards."""
    files: str
    """Tree of the work tree afterwards."""
    staged: str
    """Tree of the index afterwards."""
    exact: bool
    """Files are written byte for byte, not with the line ends that attributes ask for."""


class Gone(NamedTuple):
    """What became of it."""

    parked: Parked | None
    """None when there was nothing to do."""
    changed: tuple[str, ...]
    """Record paths of files that are not what they were."""
    as_stored: tuple[str, ...]
    """Of these, those that a filter of the owner's stores otherwise; they lie there as they are stored."""


@contextmanager
def opened(folder: Path, *, looking: bool = False) -> Iterator[Opened]:
    """The repository around `folder`, with nothing under way in it unless it is only looked at.

    Raises UsageError, IncompleteError.
    """
    found = discover(folder.resolve()) if git.binary() else None
    if found is None:
        why = undiscovered(folder.resolve())
        hint = (
            "git init makes one."
            if why.endswith("no git repository")
            else "harness works in an ordinary repository only."
        )
        raise UsageError(f"{displayable(str(folder))} can have no checkpoints: {why}", hint=hint)
    branch = midway.branch(found)
    if not looking:
        midway.refuse(found, branch, [])
    with TemporaryDirectory(prefix="harness-git-") as home:
        try:
            index = landing.content(found.own)
            shadow = Shadow(found, Path(home), wide=owner.wide(found.top))
        except (OSError, Unreadable) as error:
            raise UsageError(f"the repository cannot be read: {error}") from error
        desk = Desk(found, shadow, owner.settings(found.top))
        try:
            said = desk.git("ls-files", "-z", "--unmerged").split(b"\0")[:-1]
            if not looking:
                midway.refuse(found, branch, sorted({encode_path(row.partition(b"\t")[2]) for row in said}))
            yield Opened(desk, Head(branch, _commit(desk)), index)
        except git.GitFailed as error:
            raise UsageError(f"the repository cannot be read: {error}") from error


def _commit(desk: Desk) -> str | None:
    """Commit of HEAD, None before the first one. Raises UsageError when there is one that we cannot read."""
    commit = desk.shadow.commit("HEAD")
    if commit is None:
        try:
            named = desk.git("rev-parse", "--verify", "--quiet", "HEAD")
        except git.GitFailed:
            return None
        raise UsageError(f"the commit of HEAD, {named.decode().strip()[:12]}, cannot be read",
                         hint="Objects in the store of another repository (git clone --shared) are not supported: "
                         "git repack -a -d brings them here.")  # fmt: skip
    return commit


def go(repo: Opened, target: Target, about: str) -> Gone:
    """Replace files, index and branch by those of `target`. Raises UsageError, IncompleteError, git.GitFailed."""
    desk, head = repo.desk, repo.head
    if head.commit is None:
        raise UsageError("this branch has no commit yet, so there is nothing to go back from",
                         hint="harness checkpoint --all makes the first one.")  # fmt: skip
    shadow, found = desk.shadow, desk.found
    looked = snapshot.look(desk)
    if looked.left:
        raise UsageError("this is a sparse checkout, or files are marked as unchanged: not supported here",
                         hint="git sparse-checkout disable; git update-index --no-assume-unchanged FILE")  # fmt: skip
    filters = owner.filters(found.top)
    clean = set(looked.present) - snapshot.changed(desk)
    kept = snapshot.filtered(desk, sorted(clean), filters)
    index = shadow.staged()
    wanted = shadow.blobs(target.files, sizes=False)
    _here(shadow, wanted, target.commit)
    known = {*looked.present, *looked.new}
    also = list(snapshot.in_the_way(desk, wanted, known))
    files, stamps = snapshot.by_byte(desk, looked, kept, also)
    if (target.commit, target.files, target.staged) == (head.commit, files, index):
        (found.own / midway.ROLLBACK).unlink(missing_ok=True)  # of one that was killed at its very beginning or end
        return Gone(None, (), ())
    changed = _changed(shadow, files, target.files)
    with undisturbed():
        parked = _replace(repo, target, State(head.commit, head.branch, files, index), stamps, about)
    stored = snapshot.filtered(desk, changed, filters)
    return Gone(parked, tuple(map(encode_path, changed)), tuple(map(encode_path, stored)))


def _here(shadow: Shadow, wanted: list[Blob], commit: str) -> None:
    """Raises IncompleteError for contents that cannot be written because the repository does not have them."""
    missing = shadow.missing(sorted({b.id for b in wanted if b.mode != "160000"}))
    away = [b.path for b in wanted if b.id in missing]
    if away:
        named = encode_path(away[0]) + (f" and {len(away) - 1} more" if away[1:] else "")
        raise IncompleteError(
            f"{len(away)} file{'s' if away[1:] else ''} of it {'are' if away[1:] else 'is'} not in this repository: {named}",
            hint=f"In a partial clone this fetches them: git archive --output={os.devnull} {commit[:12]}",
        )


def _replace(repo: Opened, target: Target, state: State, stamps: dict[bytes, tuple[int, ...]], about: str) -> Parked:
    """Park `state`, which is what is there, then write."""
    desk, head, files = repo.desk, repo.head, state.files
    shadow, found = desk.shadow, desk.found
    parked = park(found, shadow, state, about)
    try:
        desk.git("read-tree", "-m", "-u", "--dry-run", files, target.files)
    except git.GitFailed as error:
        raise IncompleteError(f"a file cannot be replaced, so nothing was: {error}",
                              hint=f"It was parked as {parked.id} all the same. Try again.") from error  # fmt: skip
    with landing.IndexLock(found, repo.before) as lock:
        if any(snapshot.stamp(desk, path) != seen for path, seen in stamps.items()):
            raise IncompleteError("files were changed meanwhile, so nothing was done",
                                  hint=f"They were parked as {parked.id} all the same. Try again.")  # fmt: skip
        write_atomic(found.own / midway.ROLLBACK, f"{parked.id} {target.commit}\n")
        try:
            _write(desk, files, target)
            lock.replace(shadow.gitdir / "index")
            landing.move(found, head, target.commit, f"rollback: parked {parked.id}")
        except (git.GitFailed, IncompleteError, UsageError, OSError) as error:
            raise IncompleteError(
                f"stopped half-way: {error}",
                hint=f"Everything is parked as {parked.id}. Go on: harness rollback {target.commit[:12]}; "
                f"or take it back: harness rollback --unpark {parked.id}",
            ) from error
        (found.own / midway.ROLLBACK).unlink(missing_ok=True)
    return parked


def _write(desk: Desk, files: str, target: Target) -> None:
    """The work tree becomes `target.files`, and the shadow's index `target.staged` with what is known of its files."""
    if target.exact:
        with snapshot.bytewise(desk):
            desk.git("read-tree", "-m", "-u", files, target.files)
    else:
        desk.git("read-tree", "-m", "-u", files, target.files)
    if target.staged != target.files:
        desk.git("read-tree", "--reset", target.staged)


def _changed(shadow: Shadow, before: str, after: str) -> list[bytes]:
    one = {b.path: (b.mode, b.id) for b in shadow.blobs(before, sizes=False)}
    other = {b.path: (b.mode, b.id) for b in shadow.blobs(after, sizes=False)}
    submodules = {p for tree in (one, other) for p, (mode, _) in tree.items() if mode == "160000"}
    return sorted(p for p in one.keys() | other.keys() if one.get(p) != other.get(p) and p not in submodules)


def target_of(shadow: Shadow, commit: str) -> Target:
    """A commit as it was committed. Raises git.GitFailed."""
    tree = shadow.tree(commit)
    return Target(commit, tree, tree, exact=False)


def target_of_parked(shadow: Shadow, item: Parked) -> Target:
    """A parked state. Raises git.GitFailed; Bug for what is none."""
    if item.kind != "state" or item.head is None:
        raise Bug(f"{item.id} is no whole state")
    return Target(item.head, shadow.tree(item.commit), shadow.tree(item.parents[1]), exact=True)
