"""`usage.jsonl`: one line for every request that left, written before its reply is parsed. Append-only."""

import errno
import os
import threading
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from harness.llm.messages import Usage
from harness.schema.base import Record


class Labels(Record):
    """What a call was for."""

    stage: str
    """Stage of the run: discover, verify, ..."""
    lane: str
    """Dimension or verifier."""
    unit: str = ""
    """Module, finding or other item."""


Outcome = Literal["sent", "complete", "tool-calls", "truncated", "refused", "failed", "replayed"]


class Entry(Record):
    """One request that left."""

    at: str
    """Wall clock, UTC, ISO 8601."""
    run: str
    """Id of the run."""
    labels: Labels
    """What for."""
    spec: str
    """Backend and model."""
    key: str
    """Hash of the question."""
    attempt: int
    """1 for the first try."""
    outcome: Outcome
    """How it ended; `sent` is the intent, written before the request leaves. One without an end was lost in a crash."""
    reason: str = ""
    """Class of the failure."""
    usage: Usage = Usage()
    """Tokens as counted by the provider."""
    cost: float | None = None
    """US dollars, None when unknown."""
    seconds: float = 0.0
    """Duration."""


class Ledger:
    """Appends entries to a file and keeps them for the report. Safe to use from several threads.

    A line is written with one system call and synced, so a crash leaves at most one torn line, which readers skip. What could
    be written only in part, on a full disk, is taken back; a torn line from before is ended, so that it costs no other.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def write(self, entry: Entry) -> None:
        """Append one entry. Raises OSError: spending that cannot be written down must stop."""
        line = (entry.model_dump_json() + "\n").encode()
        with self._lock:
            descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                size = os.fstat(descriptor).st_size
                if _torn(descriptor):
                    line = b"\n" + line
                if os.write(descriptor, line) < len(line):
                    os.ftruncate(descriptor, size)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def entries(self) -> list[Entry]:
        """Every whole line of the file, oldest first."""
        if not self._path.exists():
            return []
        found = []
        for line in self._path.read_bytes().split(b"\n"):
            try:
                found.append(Entry.model_validate_json(line))
            except ValidationError:
                continue  # torn by a crash
        return found


def _torn(descriptor: int) -> bool:
    """Whether the file ends within a line."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if not size:
        return False
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) != b"\n"
