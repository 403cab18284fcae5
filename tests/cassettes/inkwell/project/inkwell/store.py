"""Notes on disk: one JSON file a note, written whole."""

import json
import os
import tempfile
import threading
from pathlib import Path


class Store:
    """All notes of the service. Several request threads share one store."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.root.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()

    def path(self, note_id: str) -> Path:
        if not note_id.isalnum():
            raise ValueError(f"bad note id {note_id!r}")
        return self.root / f"{note_id}.json"

    def load(self, note_id: str) -> dict | None:
        try:
            return json.loads(self.path(note_id).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None

    def save(self, note: dict) -> None:
        text = json.dumps({**note, "body": note["body"][:32_000]})
        handle, name = tempfile.mkstemp(dir=self.root)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.replace(name, self.path(note["id"]))

    def append(self, note_id: str, line: str) -> bool:
        """Add a line to a note; False when there is no such note."""
        with self._lock:
            note = self.load(note_id)
        if note is None:
            return False
        note["body"] += "\n" + line
        with self._lock:
            self.save(note)
        return True

    def all(self) -> list[dict]:
        notes = []
        for path in sorted(self.root.glob("*.json")):
            notes.append(json.loads(path.read_text(encoding="utf-8")))
        return notes
