"""The journal of one run: intent, then result. Implements `harness.contracts.Engine`.

Guarantees: a result is durable before anyone uses it; a step with a result is never begun again; a crash loses at most
the steps in flight. Does not guarantee that a step ran only once: one that was killed before its result is begun again.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self

from pydantic import JsonValue

from harness.clock import Clock, SystemClock
from harness.journal import store
from harness.journal.steps import StepCounts, StepState

MIGRATIONS = (
    """
    CREATE TABLE intents (id INTEGER PRIMARY KEY, step TEXT NOT NULL, at TEXT NOT NULL, withdrawn INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX intents_by_step ON intents (step);
    CREATE TABLE results (step TEXT PRIMARY KEY, body TEXT NOT NULL, sha256 TEXT NOT NULL, at TEXT NOT NULL);
    CREATE TABLE facts (key TEXT PRIMARY KEY, body TEXT NOT NULL, sha256 TEXT NOT NULL)
    """,
)
"""Statement by statement from one format to the next; the format's number is how many have been applied."""


class Journal:
    """Steps of the run in `path`. One writer: hold the RunLock. Every method raises JournalFailed."""

    def __init__(
        self,
        path: Path,
        run_id: str,
        *,
        clock: Clock | None = None,
        read_only: bool = False,
        busy_ms: int = store.BUSY_MS,
    ) -> None:
        self.run_id = run_id
        self._path = path
        self._clock = clock or SystemClock()
        self._connection = store.connect(path, MIGRATIONS, read_only=read_only, busy_ms=busy_ms)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    def state(self, step: str) -> StepState:
        """What is known of `step`."""
        with store.failures(self._path):
            attempts = self._one("SELECT count(*) FROM intents WHERE step=? AND NOT withdrawn", step)
            row = self._connection.execute(
                "SELECT body, sha256 FROM results WHERE step=? AND length(body)<=?", (step, store.ROW_BYTES)
            ).fetchone()
            known = self._one("SELECT count(*) FROM results WHERE step=?", step)
        if not known:
            return StepState(attempts, False, None)
        return StepState(attempts, True, store.decode(step, *(row or (None, None))))

    def begin(self, step: str) -> None:
        """Write the intent."""
        self.begin_all([step])

    def begin_all(self, steps: Iterable[str]) -> None:
        """Write the intents of steps that go out together, in one transaction."""
        at = self._now()
        with store.failures(self._path), store.transaction(self._connection):
            self._connection.executemany("INSERT INTO intents (step, at) VALUES (?, ?)", [(step, at) for step in steps])

    def withdraw(self, steps: Iterable[str]) -> None:
        """Take back the last intent of steps that we stopped ourselves, so that it does not count as a crash."""
        with store.failures(self._path), store.transaction(self._connection):
            self._connection.executemany(
                "UPDATE intents SET withdrawn=1 WHERE id=(SELECT max(id) FROM intents WHERE step=? AND NOT withdrawn)",
                [(step,) for step in steps],
            )

    def finish(self, step: str, result: JsonValue) -> None:
        """Write the result."""
        self.finish_all([(step, result)])

    def finish_all(self, results: Iterable[tuple[str, JsonValue]]) -> None:
        """Write results that came in together, in one transaction."""
        at = self._now()
        rows = [(step, *store.encode(step, result), at) for step, result in results]
        with store.failures(self._path), store.transaction(self._connection):
            self._connection.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", rows)

    def step(self, step: str, call: Callable[[], JsonValue]) -> JsonValue:
        """The stored result, or else intent, `call`, result."""
        known = self.state(step)
        if known.done:
            return known.result
        self.begin(step)
        result = call()
        self.finish(step, result)
        return result

    def note(self, key: str, value: JsonValue) -> None:
        """Keep a fact about the run (what was asked, its terminal state); the last one written holds."""
        row = (key, *store.encode(key, value))
        with store.failures(self._path), store.transaction(self._connection):
            self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", row)

    def noted(self, key: str) -> JsonValue:
        """The fact, None when there is none."""
        with store.failures(self._path):
            row = self._connection.execute("SELECT body, sha256 FROM facts WHERE key=?", (key,)).fetchone()
        return None if row is None else store.decode(key, *row)

    def counts(self, prefix: str) -> StepCounts:
        """Of the steps whose name starts with `prefix`."""
        with store.failures(self._path):
            begun = self._one("SELECT count(DISTINCT step) FROM intents WHERE substr(step, 1, length(?1))=?1", prefix)
            done = self._one("SELECT count(*) FROM results WHERE substr(step, 1, length(?1))=?1", prefix)
        return StepCounts(begun, done)

    def _one(self, query: str, *arguments: str) -> int:
        found: int = self._connection.execute(query, arguments).fetchone()[0]
        return found

    def _now(self) -> str:
        return self._clock.now().isoformat(timespec="milliseconds")
