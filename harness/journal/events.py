"""What a run told the world, kept in order: whoever was away reads on from the last number it saw.

One writer, any number of readers, also in other processes. A row that is not what was written ends the reading with an
error; none is skipped in silence.
"""

import threading
from pathlib import Path
from typing import NamedTuple, Self

from pydantic import JsonValue

from harness.journal import store

MIGRATIONS = ("CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL, sha256 TEXT NOT NULL)",)
AT_ONCE = 500


class Told(NamedTuple):
    """One event of the log."""

    id: int
    """Grows by at least one an event."""
    event: JsonValue
    """What was told."""


class EventLog:
    """The events in `path`. Every method raises JournalFailed. Threads may share it."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection = store.connect(path, MIGRATIONS, read_only=read_only, shared=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    def append(self, event: JsonValue) -> None:
        """Add one event, durable when this returns."""
        row = store.encode("event", event)
        with self._lock, store.failures(self._path), store.transaction(self._connection):
            self._connection.execute("INSERT INTO events (body, sha256) VALUES (?, ?)", row)

    def after(self, last: int = 0) -> list[Told]:
        """Events with a number above `last`, oldest first, at most AT_ONCE."""
        with self._lock, store.failures(self._path):
            rows = self._connection.execute(
                "SELECT id, body, sha256 FROM events WHERE id>? AND length(body)<=? ORDER BY id LIMIT ?",
                (last, store.ROW_BYTES, AT_ONCE),
            ).fetchall()
        return [Told(number, store.decode("event", body, digest)) for number, body, digest in rows]
