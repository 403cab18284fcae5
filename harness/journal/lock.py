"""One process per run. The operating system holds the lock, so that it ends with the process, however that ends.

What the file says (who, where, since when) is for people only; nothing is decided by it. The lock does not work across
machines on network file systems that do not carry locks.
"""

import json
import os
import socket
import sys
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Self

from harness.errors import RunLocked

AFTERMATH_S = 5.0
"""How long children of a killed holder may take to die."""


class Holder(NamedTuple):
    """Who holds a lock, by its own word."""

    pid: int
    """Process id."""
    host: str
    """Machine."""
    since: str
    """Wall clock, ISO 8601."""

    @property
    def alive(self) -> bool | None:
        """Whether that process exists; None for a process of another machine."""
        if self.host != socket.gethostname():
            return None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True


class RunLock:
    """The lock of one run, held from `with` to the end of the block. Raises RunLocked at once where the holder lives."""

    def __init__(self, path: Path, *, run: str, since: datetime) -> None:
        self._path = path
        self._run = run
        self._since = since
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        if not self._try(descriptor):
            os.close(descriptor)
            raise _refusal(self._run, holder(self._path))
        self._descriptor = descriptor
        about = Holder(os.getpid(), socket.gethostname(), self._since.isoformat(timespec="seconds"))
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, json.dumps(about._asdict()).encode())
        _forget_in_children(self)
        return self

    def _try(self, descriptor: int) -> bool:
        """A holder that was killed may leave a child that has not yet let go: it is given a moment to die."""
        deadline = time.monotonic() + AFTERMATH_S
        while not _try_lock(descriptor):
            who = holder(self._path)
            if who is None or who.alive is not False or time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def __exit__(self, *exc: object) -> None:
        self._close()

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


@contextmanager
def patiently(descriptor: int, seconds: float = AFTERMATH_S) -> Iterator[None]:
    """The lock of an open file while the block lasts, for writers that hold it for one write.

    Waits for others at most `seconds`, then goes on without it: it is for files where that can do no more than leave a line
    unread.
    """
    deadline = time.monotonic() + seconds
    while not (held := _try_lock(descriptor)) and time.monotonic() < deadline:
        time.sleep(0.01)
    try:
        yield
    finally:
        if held:
            _unlock(descriptor)


def holder(path: Path) -> Holder | None:
    """Who wrote itself into the lock file last, None when nobody readable did."""
    try:
        data = json.loads(path.read_bytes()[:4096])
        return Holder(int(data["pid"]), str(data["host"]), str(data["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def locked(path: Path) -> bool:
    """Whether some process holds the lock right now."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)


def _refusal(run: str, who: Holder | None) -> RunLocked:
    if who is None:
        return RunLocked(f"run {run} is being worked on by another process", hint="Wait for it, or stop it.")
    state = {True: "alive", False: "gone, but something it started still holds the lock", None: "on another machine"}
    return RunLocked(
        f"run {run} is being worked on by process {who.pid} on {who.host} since {who.since} ({state[who.alive]})",
        hint="Wait for it, or stop it; reading is always possible: harness runs show " + run,
    )


def _forget_in_children(lock: RunLock) -> None:
    """A forked child shares the lock through its descriptor: it closes it, or the lock would outlive us."""
    if not hasattr(os, "register_at_fork"):
        return
    reference = weakref.ref(lock)

    def close() -> None:
        held = reference()
        if held is not None:
            held._close()

    os.register_at_fork(after_in_child=close)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # beyond what the file says, which others may read
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
