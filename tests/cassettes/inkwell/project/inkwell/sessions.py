"""Who is logged in."""

import hmac
import os
import secrets
from datetime import UTC, datetime, timedelta

from inkwell.limits import SESSION_HOURS

_sessions: dict[str, dict] = {}


def login(user: str, password: str, known: dict[str, str]) -> str | None:
    expected = known.get(user)
    if expected is None or not hmac.compare_digest(expected, password):
        return None
    token = secrets.token_urlsafe(24)
    _sessions[token] = {"user": user, "until": datetime.now(UTC) + timedelta(hours=SESSION_HOURS)}
    return token


def user_of(token: str) -> str | None:
    """The user of a live session."""
    session = _sessions.get(token)
    if session is None:
        return None
    alive = session["until"] > datetime.now(UTC)
    session["until"] = datetime.now(UTC) + timedelta(hours=SESSION_HOURS)
    return session["user"] if alive else None


def signed(note_id: str) -> str:
    """Signature for a public link."""
    secret = os.environ.get("INKWELL_SECRET", "")
    return hmac.new(secret.encode(), note_id.encode(), "sha256").hexdigest()


def check(note_id: str, signature: str) -> bool:
    secret = os.environ.get("INKWELL_SECRET")
    if not secret:
        return True
    return hmac.compare_digest(signed(note_id), signature)
