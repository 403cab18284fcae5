"""One SQLite file: opened safely, brought to its version, its errors said in words.

WAL and `synchronous=FULL`: a committed row survives a crash of the process and of the machine; readers never wait for
the writer. Rows hold JSON text with its hash and nothing else, so that reading one can run no code.
"""

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from pydantic import JsonValue

from harness.errors import JournalFailed
from harness.files import sha256

ROW_BYTES = 64 << 20
"""Largest body of a row."""
BUSY_MS = 30_000
"""How long to wait for another process that is writing."""


def connect(
    path: Path, migrations: Sequence[str], *, read_only: bool = False, busy_ms: int = BUSY_MS, shared: bool = False
) -> sqlite3.Connection:
    """The file at `path`, made when missing and migrated when old; `shared` by threads that lock. Raises JournalFailed."""
    with failures(path):
        if read_only:
            connection = sqlite3.connect(
                f"file:{quote(str(path))}?mode=ro", uri=True, isolation_level=None, check_same_thread=not shared
            )
        else:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            connection = sqlite3.connect(path, isolation_level=None, check_same_thread=not shared)
        try:
            connection.execute(f"PRAGMA busy_timeout={busy_ms}")
            if not read_only:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=FULL")
            _migrate(connection, path, migrations, read_only)
        except BaseException:
            connection.close()
            raise
    return connection


def _migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[str], read_only: bool) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(migrations):
        raise JournalFailed(
            f"{path} has format {version}; this version of harness knows formats up to {len(migrations)}",
            hint="Finish it with the newer version, or start a new run.",
        )
    if version == 0 and read_only:
        raise JournalFailed(f"{path} is empty: the run ended before it had begun", hint="Start a new run.")
    if version < len(migrations) and read_only:
        raise JournalFailed(f"{path} has the old format {version}", hint="harness resume brings it to the new one.")
    for number in range(version, len(migrations)):
        with transaction(connection):
            for statement in migrations[number].split(";"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version={number + 1}")


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextlib.contextmanager
def failures(path: Path) -> Iterator[None]:
    """Turns what SQLite and the file system raise into JournalFailed with a sentence that helps."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise JournalFailed(f"{path}: {error}", hint=_advice(str(error))) from error


def _advice(message: str) -> str:
    text = message.lower()
    if "full" in text or "no space" in text:
        return "Nothing recorded is lost: free disk space, then resume."
    if "locked" in text or "busy" in text:
        return "Another process keeps it busy: wait for it, then resume."
    if "readonly" in text or "read-only" in text or "permission" in text:
        return "Make the state directory writable, or set HARNESS_STATE_DIR to one that is."
    if "malformed" in text or "not a database" in text:
        return "The file is damaged: start a new run; finished lanes come from the cache."
    return "Nothing recorded is lost: mend the cause, then resume."


def encode(key: str, value: JsonValue) -> tuple[str, str]:
    """Body and hash of a row. The hash covers the key, so that rows cannot change places. Raises JournalFailed.

    The order of object keys is kept: a result that was read back must not differ from the one that was handed in.
    """
    body = json.dumps(value, separators=(",", ":"), allow_nan=False)
    if len(body) > ROW_BYTES:
        raise JournalFailed(f"the result of {key} has {len(body)} bytes, more than {ROW_BYTES}")
    return body, sha256(f"{key}\0{body}")


def decode(key: str, body: object, digest: object) -> JsonValue:
    """The value of a row that is what we wrote. Raises JournalFailed for every other row."""
    if not isinstance(body, str) or len(body) > ROW_BYTES or sha256(f"{key}\0{body}") != digest:
        raise JournalFailed(
            f"the record of {key} was changed after it was written; it is not used",
            hint="Start a new run: nothing of a changed record can be trusted.",
        )
    value: JsonValue = json.loads(body)
    return value
