"""How often notes are read."""

import threading


class Counter:
    """Shared by request threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {}

    def read(self, note_id: str) -> int:
        with self._lock:
            return self._bump(note_id)

    def read_all(self, note_ids: list[str]) -> None:
        with self._lock:
            for note_id in note_ids:
                self._bump(note_id)

    def _bump(self, note_id: str) -> int:
        self._counts[note_id] = self._counts.get(note_id, 0) + 1
        return self._counts[note_id]

    def top(self, count: int) -> list[str]:
        with self._lock:
            return sorted(self._counts, key=lambda n: (-self._counts[n], n))[:count]
