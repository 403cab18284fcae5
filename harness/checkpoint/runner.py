"""One checkpoint: look, what is to be committed, may it be, does it run, commit. Until the last step nothing is changed."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.checkpoint import message, split, zones
from harness.checkpoint.check import checked
from harness.checkpoint.records import Checked, CheckpointResult, Nested
from harness.config import Configuration, load
from harness.errors import ExitCode, NothingInScope, UsageError
from harness.files import encode_path
from harness.repo import landing, midway, owner, parking, rollback, snapshot
from harness.repo.checkpoint import (
    CHECK_TRAILER,
    DEVLOG_TRAILER,
    RUN_TRAILER,
    checkpoints,
    commit_object,
    next_number,
)
from harness.repo.hooks import hooks_folder
from harness.repo.quiet import undisturbed
from harness.repo.revisions import CHECKPOINT_TRAILER
from harness.repo.shadow import Blob
from harness.repo.snapshot import Looked
from harness.repo.which import Which
from harness.review.decided import configuration_at
from harness.state import State

DEVLOG = "docs/devlog"
"""Where entries are when HARNESS_DEVLOG does not say otherwise."""
_ENTRY = re.compile(r"(\d{4,9})-[\w.-]{1,200}\.md", re.ASCII)
_COMMIT_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
_LISTED = 10


class Wish(NamedTuple):
    """What the person at the machine wants."""

    message: str | None = None
    everything: bool = False
    """Commit the work tree, not what is staged."""
    red: bool = False
    """Commit also what fails its check."""
    host: bool = False
    """Run the check on this machine, without the sandbox."""
    python: str | None = None
    """Interpreter or environment for the check."""


class _Change(NamedTuple):
    """From HEAD to what is to be committed."""

    tree: str
    files: tuple[str, ...]
    """Record paths that differ."""
    blobs: dict[bytes, Blob]
    """Of the new tree."""
    before: dict[bytes, Blob]
    """Of HEAD."""


def checkpoint(folder: Path, wish: Wish) -> CheckpointResult:
    """Make a checkpoint of the repository around `folder`, or say why not. Raises UsageError, NothingInScope, IncompleteError."""
    with rollback.opened(folder) as repo:
        _not_halted(repo)
        desk, head = repo.desk, repo.head
        who = owner.identity(desk.found.top)
        looked = snapshot.look(desk)
        modified = snapshot.changed(desk) - looked.left
        staged = desk.shadow.staged()
        change = _change(repo, _everything(repo, looked, modified) if wish.everything else staged)
        left = 0 if wish.everything else len(modified | set(looked.new))
        if not change.files:
            raise _nothing(left, looked.nested if wish.everything else ())
        configuration = _configuration(repo)
        known = checkpoints(desk.shadow, head.commit) if head.commit else []
        found = CheckpointResult(
            exit_code=ExitCode.FINDINGS, committed=False, branch=_short(head.branch), files=change.files, left=left,
            check=Checked(status="none"), findings=tuple(Nested(path=p) for p in looked.nested),
            number=next_number(known), run=_run(folder, desk.found.top), devlog=_devlog(change.blobs),
            read_only=zones.forbidden(change.files, configuration.settings.read_only),
        )  # fmt: skip
        # What is wrong with the message is said before the check runs, not after.
        text = message.written(wish.message, found.number, len(change.files), {})
        if found.read_only:
            named = ", ".join(found.read_only[:_LISTED])
            undo = "git restore FILE" if wish.everything else "git restore --staged FILE"
            return found.model_copy(
                update={"refused": f"read-only by the configuration of HEAD: {named}", "next": undo}
            )
        said = checked(desk.shadow, change.tree, configuration.checkpoint, host=wish.host, python=wish.python)
        found = found.model_copy(update={"check": said, "subject": text.split("\n")[0]})
        if said.status in ("failed", "incomplete") and not wish.red:
            code = ExitCode.FINDINGS if said.status == "failed" else ExitCode.INCOMPLETE
            why = "the check failed" if said.status == "failed" else "the check came to no result"
            again = "harness checkpoint --all --red" if wish.everything else "harness checkpoint --red"
            return found.model_copy(update={"exit_code": code, "refused": why, "next": again})
        trailers = {CHECKPOINT_TRAILER: found.number, CHECK_TRAILER: said.status, RUN_TRAILER: found.run,
                    DEVLOG_TRAILER: found.devlog}  # fmt: skip
        text = message.written(wish.message, found.number, len(change.files), trailers)
        commit = commit_object(desk.shadow, change.tree, [head.commit] if head.commit else [], who, text)
        with undisturbed():
            parked = _land(repo, commit, staged, change, f"checkpoint: {found.subject}", everything=wish.everything)
        parts = split.parts(change.files, _texts(repo, change)) if head.commit else ()
        return found.model_copy(
            update={
                "exit_code": ExitCode.PASS, "committed": True, "commit": commit, "parked": parked, "parts": parts,
                "split": split.commands(parts, commit), "hooks_not_run": tuple(_hooks(desk.found.top)),
                "next": "harness review --since-checkpoint",
            }
        )  # fmt: skip


def _not_halted(repo: rollback.Opened) -> None:
    halted = midway.halted(repo.desk.found)
    if halted:
        raise UsageError(
            f"a rollback to {halted.target[:12]} was stopped half-way",
            hint=f"Go on: harness rollback {halted.target[:12]}; or take it back: harness rollback --unpark {halted.parked}",
        )


def _everything(repo: rollback.Opened, looked: Looked, modified: set[bytes]) -> str:
    desk = repo.desk
    mine = modified.intersection(looked.present).union(looked.new)
    if through := snapshot.filtered(desk, sorted(mine), owner.filters(desk.found.top)):
        named = ", ".join(encode_path(p) for p in through[:_LISTED])
        raise UsageError(f"git stores these through a filter, which harness does not run: {named}",
                         hint="Stage them yourself (git add FILE), then: harness checkpoint")  # fmt: skip
    tree = snapshot.added(desk, looked)
    held = {b.path for b in desk.shadow.blobs(tree, sizes=False)}
    if refused := [p for p in looked.new if p not in held]:
        named = ", ".join(encode_path(p) for p in refused[:_LISTED])
        raise UsageError(f"git stores no file under such a name: {named}",
                         hint="Rename it, or put it into .gitignore: it would not be in the checkpoint.")  # fmt: skip
    return tree


def _change(repo: rollback.Opened, tree: str) -> _Change:
    """Raises UsageError for a nested repository that was staged."""
    shadow, head = repo.desk.shadow, repo.head.commit
    after = {b.path: b for b in shadow.blobs(tree, sizes=False)}
    before = {b.path: b for b in shadow.blobs(head, sizes=False)} if head else {}
    differ = [p for p in before.keys() | after.keys() if _facts(before.get(p)) != _facts(after.get(p))]
    for path in sorted(differ):
        new = after.get(path)
        if new is not None and new.mode == "160000" and path not in before and b".gitmodules" not in after:
            raise UsageError(f"{encode_path(path)} is staged as a repository that is no submodule: its files would not be in it",
                             hint=f"git rm --cached {encode_path(path)}; or git submodule add URL PATH")  # fmt: skip
    return _Change(tree, tuple(sorted(map(encode_path, differ))), after, before)


def _facts(blob: Blob | None) -> tuple[str, str] | None:
    return (blob.mode, blob.id) if blob else None


def _nothing(left: int, nested: tuple[str, ...]) -> NothingInScope:
    if left:
        return NothingInScope(f"nothing is staged; {left} file{'' if left == 1 else 's'} changed in the work tree",
                              hint="git add FILE, or take everything: harness checkpoint --all")  # fmt: skip
    if nested:
        named = ", ".join(nested[:_LISTED]) + (f" and {len(nested) - _LISTED} more" if nested[_LISTED:] else "")
        return NothingInScope(f"nothing changed but below {named}, left out for a .git of their own",
                              hint="Look at each .git, and remove it, or: git submodule add URL PATH")  # fmt: skip
    return NothingInScope(
        "nothing changed since the last commit", hint="harness rollback --list shows the checkpoints."
    )


def _configuration(repo: rollback.Opened) -> Configuration:
    """That of HEAD: what is committed does not decide by which rules it is."""
    if repo.head.commit is None:
        return load(Path(os.devnull), {})
    return configuration_at(repo.desk.found.top, Which(revision=repo.head.commit), {})


def _run(folder: Path, top: Path) -> str:
    runs = State(folder).all_runs() or State(top).all_runs()
    return runs[-1].id if runs else ""


def _devlog(blobs: dict[bytes, Blob]) -> str:
    """The newest entry among the files that are committed, where its name is plain."""
    under = (os.environ.get("HARNESS_DEVLOG") or DEVLOG).strip("/")
    found = []
    for path in blobs:
        folder, _, name = encode_path(path).rpartition("/")
        if folder == under and (match := _ENTRY.fullmatch(name)):
            found.append((int(match[1]), f"{folder}/{name}"))
    newest = max(found, default=(0, ""))[1]
    return newest if re.fullmatch(r"[\w./-]*", newest, re.ASCII) else ""


def _land(repo: rollback.Opened, commit: str, staged: str, change: _Change, why: str, *, everything: bool) -> str:
    """Objects, index, branch. Returns the id under which replaced staged contents are kept, '' for none."""
    desk, head = repo.desk, repo.head
    landing.publish(desk.shadow, desk.found)
    if not everything:
        midway.unlocked(desk.found, head.branch)
        landing.move(desk.found, head, commit, why)
        return ""
    parked = ""
    with landing.IndexLock(desk.found, repo.before) as lock:
        landing.still(desk.found, head)
        kept = {b.id for b in (*change.blobs.values(), *change.before.values())}
        if any(b.id not in kept for b in desk.shadow.blobs(staged, sizes=False) if b.mode != "160000"):
            about = f"staged before {why}"
            parked = parking.park_staged(desk.found, desk.shadow, staged, head.commit, about).id
        lock.replace(desk.shadow.gitdir / "index")
        landing.move(desk.found, head, commit, why)
    return parked


def _texts(repo: rollback.Opened, change: _Change) -> dict[str, str]:
    if len(change.files) > split.MOST_FILES:
        return {}
    shadow = repo.desk.shadow
    names = set(change.files)
    trees = [change.tree, *([repo.head.commit] if repo.head.commit else [])]
    found: dict[str, str] = {}
    for tree in trees:
        blobs = [b for b in shadow.blobs(tree, sizes=True) if encode_path(b.path) in names and b.mode.startswith("100")]
        small = [b for b in blobs if b.size <= split.LARGEST and encode_path(b.path) not in found]
        for blob, content in shadow.contents(small):
            found[encode_path(blob.path)] = content.decode("utf-8", "replace")
    return found


def _hooks(top: Path) -> Iterator[str]:
    """Hooks that git commit would have run, as far as they are this repository's own."""
    try:
        folder = hooks_folder(top).path
    except UsageError:
        return
    yield from (name for name in _COMMIT_HOOKS if os.access(folder / name, os.X_OK))


def _short(branch: str | None) -> str | None:
    return branch.removeprefix("refs/heads/") if branch else None
