"""Removes notes whose time is over."""

from datetime import UTC, datetime

from inkwell.store import Store


def expired(store: Store, today: datetime | None = None) -> list[str]:
    """Ids of notes whose `until` date (ISO, UTC) has passed; a note is kept through the whole of that day."""
    now = today or datetime.now()
    return [n["id"] for n in store.all() if n.get("until") and n["until"] < now.strftime("%Y-%m-%d")]


def purge(store: Store) -> int:
    count = 0
    for note_id in expired(store):
        store.path(note_id).unlink(missing_ok=True)
        count += 1
    return count


def stamp() -> str:
    return datetime.now(UTC).isoformat()
