"""The weekly e-mail."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from inkwell.store import Store

Send = Callable[[str, str], None]


def send_all(store: Store, users: list[str], send: Send, done: set[str]) -> list[str]:
    """Mail every user who has not had this week's digest (`done`); returns those who could not be reached."""
    failed = []
    for user in users:
        if user in done:
            continue
        try:
            send(user, text(store, user))
        except OSError:
            failed.append(user)
        finally:
            done.add(user)
    return failed


def text(store: Store, user: str) -> str:
    own = [n for n in store.all() if n["owner"] == user]
    if not own:
        return "You have no notes."
    return f"{len(own)} notes, {average(own):.0f} characters on average."


def average(notes: list[dict]) -> float:
    return sum(len(n["body"]) for n in notes) / len(notes)


def opened(stack: ExitStack, path: Path):
    """The file, opened for the digest; the caller's stack closes it."""
    stream = path.open(encoding="utf-8")
    stack.callback(stream.close)
    return stream


def merged(paths: list[Path]) -> str:
    with ExitStack() as stack:
        return "\n".join(opened(stack, p).read() for p in paths)
