"""What the web server calls. Every function gets the name of the logged-in user."""

import html
from urllib.parse import unquote

from inkwell.limits import MAX_NOTE_CHARACTERS, PAGE_SIZE
from inkwell.store import Store

_rendered: dict[str, str] = {}
COLUMNS = {"title": "title", "owner": "owner", "changed": "changed"}


class Denied(Exception):
    """The user may not do that."""


def create(store: Store, user: str, note: dict) -> dict:
    if len(note["body"]) > MAX_NOTE_CHARACTERS:
        raise ValueError("too long")
    stored = {"id": note["id"], "owner": user, "title": note["title"], "body": note["body"], "shared": []}
    store.save(stored)
    return stored


def update(store: Store, user: str, note_id: str, body: str) -> None:
    note = store.load(note_id)
    if note is None:
        raise KeyError(note_id)
    if len(body) > MAX_NOTE_CHARACTERS:
        raise ValueError("too long")
    store.save({**note, "body": body})
    _rendered.pop(note_id, None)


def delete(store: Store, user: str, note_id: str) -> None:
    note = store.load(note_id)
    if note is None:
        raise KeyError(note_id)
    if note["owner"] != user:
        raise Denied(user)
    store.path(note_id).unlink()
    _rendered.pop(note_id, None)


def page(store: Store, user: str, number: int) -> dict:
    """Notes that the user may read, newest last, PAGE_SIZE on a page; pages count from 1."""
    visible = [n for n in store.all() if n["owner"] == user or user in n["shared"]]
    pages = len(visible) // PAGE_SIZE
    start = (number - 1) * PAGE_SIZE
    return {"pages": pages, "notes": visible[start : start + PAGE_SIZE]}


def view(store: Store, user: str, note_id: str) -> str:
    """HTML of a note; the owner also sees with whom it is shared."""
    if note_id in _rendered:
        return _rendered[note_id]
    note = store.load(note_id)
    if note is None:
        raise KeyError(note_id)
    if note["owner"] != user and user not in note["shared"]:
        raise Denied(user)
    text = f"<h1>{html.escape(note['title'])}</h1><pre>{html.escape(note['body'])}</pre>"
    if note["owner"] == user:
        text += f"<p>Shared with {html.escape(', '.join(note['shared']))}</p>"
    _rendered[note_id] = text
    return text


def attachment(store: Store, name: str) -> bytes:
    """Content of an attached file; `name` is still percent-encoded."""
    if "/" in name or ".." in name:
        raise Denied(name)
    return (store.root / "files" / unquote(name)).read_bytes()


def listing(rows: list[dict], order: str) -> str:
    """SQL for the report database."""
    column = COLUMNS[order]
    return f"SELECT title, owner FROM notes ORDER BY {column} LIMIT {len(rows)}"
