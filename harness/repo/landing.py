"""Writing to the owner's repository: objects first, then the index, then the reference, each whole or not at all.

Objects are made in a shadow (`harness.repo.shadow`) and copied over; an object without a reference does no harm. A reference
is moved by git itself in a folder of ours that has the owner's references and logs by link and a configuration of our
own: so no hook, filter or monitor of the owner's configuration runs, and git's own locks hold. A process killed
between two steps leaves objects that nothing refers to, or an index that has everything staged.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from harness.errors import IncompleteError, UsageError
from harness.files import sync_directory
from harness.repo import git
from harness.repo.guard import Guard, Kind, Unreadable
from harness.repo.midway import Head, lock_of, locked
from harness.repo.shadow import LONGEST_INDEX, Found, Shadow, configuration

ONE_BY_ONE = 64
"""Objects that are put on the disk one by one; more are put there all together."""
_MOVED = "HEAD moved meanwhile, so nothing was done"


def publish(shadow: Shadow, found: Found) -> None:
    """Copy the objects that `shadow` has made into the repository. Raises UsageError, IncompleteError."""
    made = shadow.gitdir / git.WRITTEN
    target = found.common / "objects"
    with _writing():
        folders = sorted(p for p in made.iterdir() if p.is_dir() and p.name != "info")
        many = sum(1 for folder in folders for _ in folder.iterdir()) > ONE_BY_ONE
        for folder in folders:
            place = target / folder.name
            place.mkdir(exist_ok=True)
            if place.is_symlink():
                raise UsageError(f"the store of objects is not a folder: {place.name}")
            for file in sorted(folder.iterdir(), key=lambda p: p.suffix == ".idx"):  # a pack before its index
                _copy(file, place / file.name, sync=not many)
            if not many:
                sync_directory(place)
        if many:
            os.sync()


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    """A disk that is full or may not be written to is no mistake of whoever asked. Raises IncompleteError."""
    try:
        yield
    except OSError as error:
        raise IncompleteError(f"the repository cannot be written: {error.strerror or error}",
                              hint="Make room, or see who may write there, and try again.") from error  # fmt: skip


def _copy(source: Path, target: Path, *, sync: bool) -> None:
    if target.exists():
        return
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix="tmp_obj_")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(source.read_bytes())
            stream.flush()
            if sync:
                os.fsync(stream.fileno())
        Path(name).chmod(0o444)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


class IndexLock:
    """The lock of the owner's index; a context manager. Raises IncompleteError when somebody has it, or the index is no
    longer what `shadow` began with."""

    def __init__(self, found: Found, before: bytes | None) -> None:
        self._index = found.own / "index"
        self._lock = found.own / "index.lock"
        self._before = before
        self._held = False

    def __enter__(self) -> Self:
        with _writing():
            try:
                os.close(os.open(self._lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644))
            except FileExistsError:
                raise locked(self._lock) from None
        self._held = True
        if content(self._index.parent) != self._before:
            self._free()
            raise IncompleteError("what is staged was changed meanwhile, so nothing was done", hint="Try again.")
        return self

    def replace(self, new: Path) -> None:
        """Put `new` in the place of the index, with its time: git tells by it which files may have changed since.

        Raises IncompleteError.
        """
        status = new.stat()
        with _writing():
            with self._lock.open("wb") as stream:
                stream.write(new.read_bytes())
                stream.flush()
                os.fsync(stream.fileno())
            os.utime(self._lock, ns=(status.st_mtime_ns, status.st_mtime_ns))
            self._lock.replace(self._index)
        self._held = False
        sync_directory(self._index.parent)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._free()

    def _free(self) -> None:
        if self._held:  # else it may be another's by now
            self._lock.unlink(missing_ok=True)
        self._held = False


def content(own: Path) -> bytes | None:
    """The index of a git directory, None when there is none. Raises UsageError."""
    try:
        with Guard(own) as guard:
            if not any(e.name == b"index" and e.kind is Kind.FILE for e in guard.entries(b"", 10_000)):
                return None
            return guard.read(b"index", LONGEST_INDEX)
    except (OSError, Unreadable) as error:
        raise UsageError(f"the index cannot be read: {error}") from error


def create(found: Found, name: str, commit: str, why: str) -> bool:
    """Make the reference `name`; False when there is one. Raises IncompleteError."""
    with _view(found, wide=len(commit) > 40) as view:
        try:
            git.run(["update-ref", "-m", why, "--", name, commit, "0" * len(commit)], gitdir=view)
        except git.GitFailed as error:
            if (found.common / name).exists():
                return False
            raise IncompleteError(f"the reference {name} cannot be written: {error}",
                                  hint="Make room, or see who may write there, and try again.") from error  # fmt: skip
    return True


def move(found: Found, head: Head, commit: str, why: str) -> None:
    """Make the current branch, or HEAD itself, `commit`, if it still is what `head` says. Raises IncompleteError, UsageError."""
    if head.branch is None:
        _move_detached(found, head.commit or "", commit, why)
        return
    with _view(found, wide=len(commit) > 40) as view:
        if _said(found) != f"ref: {head.branch}":
            raise IncompleteError(_MOVED, hint="Try again.")
        try:
            before = head.commit or "0" * len(commit)
            arguments = ["update-ref", "--create-reflog", "-m", why, "--", head.branch, commit, before]
            git.run(arguments, gitdir=view)
        except git.GitFailed as error:
            if "but expected" in str(error) or "already exists" in str(error):
                raise IncompleteError(_MOVED, hint="Try again.") from error
            if "Unable to create" in str(error):
                raise locked(lock_of(found, head.branch)) from error
            raise IncompleteError(f"the branch cannot be moved: {error}", hint="See why, and try again.") from error


def still(found: Found, head: Head) -> None:
    """Raises IncompleteError when HEAD is no longer what `head` says."""
    with _view(found, wide=len(head.commit or "") > 40) as view:
        try:
            now: str | None = git.run(["rev-parse", "--verify", "--quiet", "HEAD"], gitdir=view).decode("ascii").strip()
        except git.GitFailed:
            now = None
    where = f"ref: {head.branch}" if head.branch else head.commit
    if now != head.commit or _said(found) != where:
        raise IncompleteError(_MOVED, hint="Try again.")


def _move_detached(found: Found, old: str, new: str, why: str) -> None:
    """By hand, with git's lock: git would replace the link to HEAD in our folder, not HEAD."""
    lock = lock_of(found, None)
    with _writing():
        try:
            descriptor = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644)
        except FileExistsError:
            raise locked(lock) from None
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(f"{new}\n".encode())
                stream.flush()
                os.fsync(stream.fileno())
            if _said(found) != old:
                raise IncompleteError(_MOVED, hint="Try again.")
            _log(found, old, new, why)
            lock.replace(found.own / "HEAD")
        except BaseException:
            lock.unlink(missing_ok=True)  # not afterwards: by then it may be another's
            raise
    sync_directory(found.own)


def _log(found: Found, old: str, new: str, why: str) -> None:
    who = b"harness <harness@localhost>"
    now = int((found.own / "HEAD.lock").stat().st_mtime)
    log = found.own / "logs" / "HEAD"
    if log.is_file() and not log.is_symlink():
        with log.open("ab") as stream:
            stream.write(b"%s %s %s %d +0000\t%s\n" % (old.encode(), new.encode(), who, now, why.encode()))


def _said(found: Found) -> str:
    try:
        with Guard(found.own) as guard:
            return guard.read(b"HEAD", 4096).decode("utf-8", "surrogateescape").strip()
    except (OSError, Unreadable) as error:
        raise UsageError(f"HEAD cannot be read: {error}") from error


@contextlib.contextmanager
def _view(found: Found, *, wide: bool) -> Iterator[Path]:
    """A git directory of ours whose references, logs and objects are the owner's."""
    with tempfile.TemporaryDirectory(prefix="harness-git-") as name:
        home = Path(name)
        (home / "config").write_bytes(configuration(wide=wide))
        (home / "HEAD").write_bytes(os.fsencode(_said(found)) + b"\n")
        (home / "refs").symlink_to(found.common / "refs")
        (home / "packed-refs").symlink_to(found.common / "packed-refs")
        (home / "logs").mkdir()
        (found.common / "logs" / "refs").mkdir(parents=True, exist_ok=True)
        (home / "logs" / "refs").symlink_to(found.common / "logs" / "refs")
        (found.own / "logs").mkdir(exist_ok=True)
        (home / "logs" / "HEAD").symlink_to(found.own / "logs" / "HEAD")
        (home / "objects").mkdir()
        for store in (found.common / "objects").iterdir():
            if store.is_dir() and store.name != "info":
                (home / "objects" / store.name).symlink_to(store)
        yield home
