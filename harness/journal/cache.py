"""Results kept by the content they depend on, so that what did not change is not worked out again (B4).

The key names everything the answer depends on; a damaged entry is dropped, never used. The file is bounded: the entries
that were not used for longest go first. Losing it costs time and nothing else, so its own failures stop no run.
"""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from pydantic import JsonValue

from harness.clock import Clock, SystemClock
from harness.errors import JournalFailed
from harness.journal import store

MIGRATIONS = (
    """
    CREATE TABLE entries (
        key TEXT PRIMARY KEY, body TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL, used REAL NOT NULL
    );
    CREATE INDEX entries_by_use ON entries (used)
    """,
)
BOUND = 512 << 20
"""Bytes of bodies kept."""
BUSY_MS = 2_000


class Cache:
    """The results in `path`. Several processes may share it. No method raises: an unusable cache is an empty one."""

    def __init__(self, path: Path, *, bound: int = BOUND, clock: Clock | None = None) -> None:
        self._bound = bound
        self._clock = clock or SystemClock()
        self._connection: sqlite3.Connection | None = None
        self._path = path
        try:
            self._connection = store.connect(path, MIGRATIONS, busy_ms=BUSY_MS)
        except JournalFailed as error:
            self.trouble = str(error)
        else:
            self.trouble = ""
        """Why there is no cache, '' when there is one."""

    def close(self) -> None:
        """Drop what is over the bound, and release the file."""
        if self._connection is not None:
            self._trim(self._connection)
            self._connection.close()
            self._connection = None

    def get(self, keys: Iterable[str]) -> dict[str, JsonValue]:
        """The results that are there and whole, by key."""
        found: dict[str, JsonValue] = {}
        if self._connection is None:
            return found
        damaged = []
        try:
            for key in keys:
                row = self._connection.execute(
                    "SELECT body, sha256 FROM entries WHERE key=? AND length(body)<=?", (key, store.ROW_BYTES)
                ).fetchone()
                if row is None:
                    continue
                try:
                    found[key] = store.decode(key, *row)
                except JournalFailed:
                    damaged.append(key)
            used = self._clock.now().timestamp()
            with store.transaction(self._connection):
                self._connection.executemany("UPDATE entries SET used=? WHERE key=?", [(used, key) for key in found])
                self._connection.executemany("DELETE FROM entries WHERE key=?", [(key,) for key in damaged])
        except sqlite3.Error:
            return found
        return found

    def put(self, entries: Iterable[tuple[str, JsonValue]]) -> None:
        """Keep results, together or not at all."""
        if self._connection is None:
            return
        used = self._clock.now().timestamp()
        try:
            rows = [(key, *store.encode(key, value)) for key, value in entries]
            with store.transaction(self._connection):
                self._connection.executemany(
                    "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?)",
                    [(key, body, digest, len(body), used) for key, body, digest in rows],
                )
        except (sqlite3.Error, JournalFailed):
            return

    def _trim(self, connection: sqlite3.Connection) -> None:
        try:
            total = connection.execute("SELECT coalesce(sum(size), 0) FROM entries").fetchone()[0]
            while total > self._bound:
                key, size = connection.execute("SELECT key, size FROM entries ORDER BY used, key LIMIT 1").fetchone()
                connection.execute("DELETE FROM entries WHERE key=?", (key,))
                total -= size
        except sqlite3.Error:
            return
