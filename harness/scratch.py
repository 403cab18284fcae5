"""Folders for things that live as long as a block. What a process that was killed leaves behind goes at the next start."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NAME = re.compile(r"harness-[a-z]+-(?P<pid>\d+)-(?P<space>\d+)-")


@contextmanager
def scratch(purpose: str) -> Iterator[Path]:
    """A private, empty folder, gone after the block; `purpose` is one word for people who find it."""
    with tempfile.TemporaryDirectory(prefix=prefix(purpose), ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def prefix(purpose: str) -> str:
    """Beginning of the name of a folder of this process, for `tempfile`: by it `sweep` knows whose it is."""
    return f"harness-{purpose}-{os.getpid()}-{_process_space()}-"


def sweep() -> None:
    """Remove what processes of this user left that are no more. Whatever cannot be looked at or removed stays."""
    if os.name != "posix":
        return
    space = _process_space()
    try:
        found = [(entry, _NAME.match(entry.name)) for entry in os.scandir(tempfile.gettempdir())]
    except OSError:
        return
    for entry, name in found:
        if name is None or int(name["space"]) != space or not _is_our_folder(entry):
            continue
        if not _alive(int(name["pid"])):
            shutil.rmtree(entry.path, ignore_errors=True)


def _is_our_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_uid == os.getuid()
    except OSError:
        return False


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _process_space() -> int:
    """The namespace in which process numbers mean something, so that containers that share a folder spare each other."""
    try:
        return int(re.sub(r"\D", "", str(Path("/proc/self/ns/pid").readlink())) or 0)
    except OSError:
        return 0
