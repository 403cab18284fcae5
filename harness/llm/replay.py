"""Recorded replies: every call can be recorded, and a recording answers again at no cost and to the byte.

A cassette is a folder with one JSON file a question, named by the question's key. It holds the question and its reply
or failure, never a header, a key or a URL; text passes `harness.redact` on its way in.
"""

import json
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from harness.errors import UsageError
from harness.files import write_atomic
from harness.llm import failure as failures
from harness.llm.client import Client
from harness.llm.failure import ModelFailure, Rejected
from harness.llm.messages import Reply, Request
from harness.redact import redact
from harness.schema.base import Record


class Taped(Record):
    """One question and what came of it."""

    version: Literal[1] = 1
    spec: str
    """The backend that answered."""
    family: str
    """Its model family."""
    request: Request
    """The question."""
    key: str = ""
    """Hash of the question; empty in recordings that do not say it."""
    reply: Reply | None = None
    """The answer."""
    failure: str | None = None
    """Class name of the failure, when there was no answer."""
    message: str = ""
    """What the failure said."""


class Tape:
    """A folder of taped calls. Files appear whole; one that is damaged is an error, never an answer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, key: str) -> Taped | None:
        """What is known of a question: of exactly this one, whatever the file is called. Raises UsageError for a damaged file."""
        path = self.folder / f"{key}.json"
        taped = _read(path) if path.is_file() else None
        return taped if taped and taped.key in ("", key) else None

    def keep(self, taped: Taped) -> None:
        """Write one call. Raises OSError."""
        taped = taped.model_copy(update={"key": taped.request.key})
        text = json.dumps(taped.model_dump(mode="json"), ensure_ascii=False, indent=1, sort_keys=True)
        write_atomic(self.folder / f"{taped.request.key}.json", redact(text) + "\n", mode=0o600)


class Recorder:
    """A client that keeps what goes through it."""

    def __init__(self, inner: Client, folder: Path) -> None:
        self.spec = inner.spec
        self.family = inner.family
        self.account = inner.account
        self._inner = inner
        self._tape = Tape(folder)

    def close(self) -> None:
        """Close the inner client."""
        self._inner.close()

    def send(self, request: Request, *, deadline_s: float) -> Reply:
        """As the inner client. Failures that a retry can change are not kept: the replay has the answer of the retry."""
        try:
            reply = self._inner.send(request, deadline_s=deadline_s)
        except ModelFailure as failure:
            if not failure.retryable:
                self._keep(request, failure=type(failure).__name__, message=str(failure))
            raise
        self._keep(request, reply=reply)
        return reply

    def _keep(
        self, request: Request, *, reply: Reply | None = None, failure: str | None = None, message: str = ""
    ) -> None:
        taped = Taped(
            spec=self.spec, family=self.family, request=request, reply=reply, failure=failure, message=message
        )
        self._tape.keep(taped)


class Recording(Record):
    """`recording.json` of a recording: which model answered for which tier."""

    version: Literal[1] = 1
    tiers: dict[str, str]
    """Tier -> spec string."""
    families: dict[str, str]
    """Tier -> model family."""
    models: dict[str, str]
    """Tier -> the provider's name of the model: part of every question."""


MANIFEST = "recording.json"


def keep_manifest(folder: Path, recording: Recording) -> None:
    """Write the manifest. Raises OSError."""
    write_atomic(folder / MANIFEST, recording.model_dump_json(indent=1) + "\n")


def manifest(folder: Path) -> Recording:
    """The manifest of a recording. Raises UsageError when there is none."""
    try:
        return Recording.model_validate_json((folder / MANIFEST).read_text("utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"{folder} holds no recording", hint="Make one with --record DIR.") from error
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        raise UsageError(f"{folder / MANIFEST} is damaged: {error}", hint="Record again with --record DIR.") from error


def offered(folder: Path) -> frozenset[str]:
    """Names of the tools that were offered when a recording was made. Raises UsageError for a damaged one."""
    tapes = sorted(path for path in folder.glob("*.json") if path.name != MANIFEST)
    return frozenset(tool.name for path in tapes for tool in _read(path).request.tools)


class ReplayClient:
    """Answers from a recording and from nothing else, for one tier."""

    def __init__(self, folder: Path, tier: str) -> None:
        """Raises UsageError when there is no recording, or none of this tier."""
        recorded = manifest(folder)
        if tier not in recorded.tiers:
            raise UsageError(f"{folder} holds no recording for {tier!r}", hint="Record again with --record DIR.")
        self._tape = Tape(folder)
        self.model = recorded.models[tier]
        self.family = recorded.families[tier]
        self.spec = f"replay:{folder}"
        self.account = "replay"

    def close(self) -> None:
        """Nothing is held."""

    def send(self, request: Request, *, deadline_s: float) -> Reply:
        """The recorded reply. Raises the recorded failure, and Rejected for a question that was never asked."""
        del deadline_s
        taped = self._tape.find(request.key)
        if taped is None:
            raise Rejected(
                f"the recording has no answer to this question ({request.key[:12]})",
                hint="Code, prompts or settings differ from those of the recording; record again.",
            )
        if taped.reply is None:
            kind = getattr(failures, taped.failure or "", Rejected)
            raise kind(taped.message)
        return taped.reply


def _read(path: Path) -> Taped:
    try:
        return Taped.model_validate_json(path.read_text("utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not a recorded call: {error}", hint="Record again with --record DIR.") from error
