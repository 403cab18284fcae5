"""Framed JSON over a local socket, and model failures as JSON: how a run talks to its broker."""

import json
import socket
import struct
from typing import Literal

from pydantic import Field, JsonValue

from harness.errors import BudgetExhausted, HarnessError
from harness.llm import failure as failures
from harness.llm.failure import ModelFailure
from harness.llm.ledger import Labels
from harness.llm.messages import Reply, Request
from harness.schema.base import Record

FRAME_BYTES = 64 << 20


class Opening(Record):
    """First message: what the run wants of the broker."""

    op: Literal["open"] = "open"
    run: str
    """Id of the run."""
    ledger: str
    """Path of `usage.jsonl`."""
    tape: str
    """Folder of the run's own calls."""
    record: str | None = None
    """Folder of the recording the user asked for."""
    tiers: dict[str, str]
    """Tier -> spec string."""
    caps: dict[str, float | None]
    """Caps of the run, by the names of `harness.budget.Caps`."""
    reserve: float
    """Share of the caps kept for verifying."""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    seed: int = 0
    stages: tuple[str, ...] = ()
    """Stages besides discover and verify; each may spend what the run may."""


class Question(Record):
    """One call."""

    op: Literal["ask"] = "ask"
    id: int
    """Number on this connection."""
    tier: str
    """Which model."""
    request: Request
    labels: Labels


class Trouble(Record):
    """A failure, as data."""

    kind: str
    message: str
    hint: str = ""
    status: int | None = None
    retry_after: float | None = None


class Answer(Record):
    """What came of a question, or of the opening (id 0)."""

    id: int
    reply: Reply | None = None
    trouble: Trouble | None = None
    families: dict[str, str] = Field(default_factory=dict)
    """Tier -> model family, in the answer to the opening."""
    models: dict[str, str] = Field(default_factory=dict)
    """Tier -> the provider's name of the model, likewise."""


def trouble_of(error: HarnessError) -> Trouble:
    """The failure as data."""
    if isinstance(error, ModelFailure):
        return Trouble(
            kind=type(error).__name__,
            message=str(error),
            hint=error.hint,
            status=error.status,
            retry_after=error.retry_after,
        )
    return Trouble(kind=type(error).__name__, message=str(error), hint=error.hint)


def error_of(trouble: Trouble) -> HarnessError:
    """The failure again; one of a kind we do not know is a ProtocolFailure."""
    if trouble.kind == "BudgetExhausted":
        return BudgetExhausted(trouble.message, hint=trouble.hint)
    kind = getattr(failures, trouble.kind, None)
    if not (isinstance(kind, type) and issubclass(kind, ModelFailure)):
        return failures.ProtocolFailure(f"{trouble.kind}: {trouble.message}", hint=trouble.hint)
    return kind(trouble.message, status=trouble.status, retry_after=trouble.retry_after, hint=trouble.hint)


def send(connection: socket.socket, message: Record) -> None:
    """One frame: four bytes of length, then JSON. Raises OSError."""
    body = message.model_dump_json().encode()
    connection.sendall(struct.pack(">I", len(body)) + body)


def receive(connection: socket.socket) -> JsonValue | None:
    """The next frame, None when the other side has closed. Raises OSError, ValueError for a frame that is none."""
    head = _exactly(connection, 4)
    if head is None:
        return None
    (length,) = struct.unpack(">I", head)
    if length > FRAME_BYTES:
        raise ValueError("a frame of more than 64 MB")
    body = _exactly(connection, length)
    if body is None:
        return None
    value: JsonValue = json.loads(body)
    return value


def _exactly(connection: socket.socket, count: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < count:
        part = connection.recv(min(1 << 20, count - len(parts)))
        if not part:
            return None
        parts += part
    return bytes(parts)
