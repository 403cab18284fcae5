"""The way back: to a checkpoint, to what was parked, and the list of both."""

from pathlib import Path

from harness.checkpoint.records import Listed, Listing, RollbackResult
from harness.errors import UsageError
from harness.files import displayable
from harness.repo import git, parking, rollback
from harness.repo.checkpoint import Checkpoint, checkpoints, named, value
from harness.repo.parking import Parked
from harness.repo.shadow import Shadow


def back(folder: Path, name: str | None) -> RollbackResult:
    """To the checkpoint or commit `name`, the last checkpoint without one. Raises UsageError, IncompleteError."""
    with rollback.opened(folder) as repo:
        shadow, head = repo.desk.shadow, repo.head
        known = checkpoints(shadow, head.commit) if head.commit else []
        commit, one = named(shadow, known, name)
        about = f"parked by a rollback to {f'checkpoint {one.number}' if one else commit[:12]}"
        gone = rollback.go(repo, rollback.target_of(shadow, commit), about)
        return _result(repo, commit, one, gone)


def unpark(folder: Path, wanted: str) -> RollbackResult:
    """To the state that was parked as `wanted`; what is there now is parked in turn. Raises UsageError, IncompleteError."""
    with rollback.opened(folder) as repo:
        shadow = repo.desk.shadow
        item = _item(parking.parked(shadow), wanted)
        if item.kind == "staged":
            raise UsageError(f"{item.id} is what was staged, not a whole state",
                             hint=f"git show {item.ref}:FILE; or git restore --source={item.ref} --staged -- FILE")  # fmt: skip
        if item.branch != repo.head.branch:
            where = f"git switch {displayable(item.branch.removeprefix('refs/heads/'))}" if item.branch \
                else "git switch --detach"  # fmt: skip
            raise UsageError(f"{item.id} was parked on another branch", hint=f"Go there first: {where}")
        target = rollback.target_of_parked(shadow, item)
        gone = rollback.go(repo, target, f"parked to bring back {item.id}")
        one = next((c for c in checkpoints(shadow, target.commit) if c.commit == target.commit), None)
        return _result(repo, target.commit, one, gone)


def listing(folder: Path) -> Listing:
    """Every checkpoint up to HEAD and everything parked. Raises UsageError."""
    with rollback.opened(folder, looking=True) as repo:
        shadow, head = repo.desk.shadow, repo.head
        known = checkpoints(shadow, head.commit) if head.commit else []
        items = parking.parked(shadow)
    return Listing(
        checkpoints=tuple(
            Listed(id=c.number, commit=c.commit, date=c.date, subject=c.subject, author=c.author, check=c.check) for c in known
        ),
        parked=tuple(
            Listed(id=p.id, commit=p.commit, date=p.date, subject=p.about, kind=p.kind, ref=p.ref) for p in reversed(items)
        ),
    )  # fmt: skip


def _item(items: list[Parked], wanted: str) -> Parked:
    for item in items:
        if item.id == wanted or (value(wanted) is not None and value(item.id) == value(wanted)):
            return item
    known = ", ".join(item.id for item in items[-5:]) or "none"
    raise UsageError(
        f"nothing is parked as {displayable(wanted, keep='')!r} (last ones: {known})", hint="harness rollback --list"
    )


def _result(repo: rollback.Opened, commit: str, one: Checkpoint | None, gone: rollback.Gone) -> RollbackResult:
    shadow, before = repo.desk.shadow, repo.head.commit or ""
    return RollbackResult(
        commit=commit, number=one.number if one else "", subject=one.subject if one else _subject(shadow, commit),
        check=one.check if one else "", before=before, parked=gone.parked.id if gone.parked else "",
        parked_ref=gone.parked.ref if gone.parked else "", later=_later(shadow, commit, before), changed=gone.changed,
        as_stored=gone.as_stored,
    )  # fmt: skip


def _subject(shadow: Shadow, commit: str) -> str:
    said = git.run(["log", "-1", "--format=%s", commit, "--"], gitdir=shadow.gitdir)
    return displayable(said.decode("utf-8", "replace").strip(), keep="")


def _later(shadow: Shadow, commit: str, before: str) -> int:
    return int(git.run(["rev-list", "--count", f"{commit}..{before}", "--"], gitdir=shadow.gitdir))
