"""The records of the environments of one repository, and the commands that experiments ran.

One file a record (`records/0001.json`), each whole or not there; `commands.jsonl` is appended to. The folder ignores
itself for git, since paths and versions of one machine say nothing to another.
"""

import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from harness.environment.drift import Change, Command
from harness.environment.installed import Installed
from harness.errors import NothingInScope, UsageError
from harness.files import displayable, write_atomic
from harness.schema.base import Record

_NAME = re.compile(r"(\d{4,9})\.json")


class EnvironmentRecord(Record):
    """One record."""

    schema_version: Literal["harness.environment/1"] = "harness.environment/1"
    """Version of this shape."""
    number: int
    """From 1."""
    at: datetime
    """UTC."""
    head: str | None
    """Commit that was checked out; None outside git, and before the first commit."""
    checkpoint: str | None
    """Newest checkpoint up to that commit whose check passed."""
    environment: Installed
    """What was installed."""


class Comparison(Record):
    """What `harness env check` says."""

    schema_version: Literal["harness.drift/1"] = "harness.drift/1"
    """Version of this shape."""
    record: int
    """Number of the record that was compared with."""
    at: datetime
    """When it was made, UTC."""
    head: str | None
    """Commit of the record."""
    checkpoint: str | None
    """Newest green checkpoint then."""
    now: str | None
    """Commit that is checked out now."""
    newest_checkpoint: str | None
    """Newest green checkpoint up to it."""
    changes: tuple[Change, ...]
    """The drift; empty when there is none."""


class History:
    """The folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, found: Installed, *, head: str | None, checkpoint: str | None) -> EnvironmentRecord:
        """Keep a record. Raises UsageError when it cannot be written."""
        number = max(self._numbers(), default=0) + 1
        record = EnvironmentRecord(
            number=number, at=datetime.now(UTC), head=head, checkpoint=checkpoint, environment=found
        )
        try:
            self._prepare()
            write_atomic(self._path(number), record.model_dump_json(indent=1) + "\n", mode=0o600)
        except OSError as error:
            raise _unwritable(error) from error
        return record

    def last(self, prefix: str) -> EnvironmentRecord:
        """The newest record of the environment at `prefix`. Raises NothingInScope when there is none, UsageError when torn."""
        others: list[str] = []
        for number in sorted(self._numbers(), reverse=True):
            record = self._read(number)
            if record.environment.prefix == prefix:
                return record
            others.append(record.environment.prefix)
        also = f" (there are records of {', '.join(dict.fromkeys(others))})" if others else ""
        raise NothingInScope(
            displayable(f"nothing is recorded of {prefix}{also}", keep=""), hint="Start with: harness env record"
        )

    def ran(self, command: Command) -> None:
        """Append a command. Raises UsageError when it cannot be written."""
        try:
            self._prepare()
            with (self._folder / "commands.jsonl").open("a", encoding="utf-8") as stream:
                stream.write(command.model_dump_json() + "\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise _unwritable(error) from error

    def commands(self, since: datetime) -> Sequence[Command]:
        """Commands that ended after `since`, oldest first. A line that a crash cut off is passed over."""
        try:
            lines = (self._folder / "commands.jsonl").read_text("utf-8", "replace").splitlines()
        except OSError:
            return []
        found = []
        for line in lines:
            try:
                found.append(Command.model_validate_json(line))
            except ValidationError:
                continue
        return [command for command in found if command.ended >= since]

    def _prepare(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not (self._folder / ".gitignore").exists():
            write_atomic(self._folder / ".gitignore", "*\n")

    def _numbers(self) -> list[int]:
        try:
            names = [p.name for p in (self._folder / "records").iterdir()]
        except OSError:
            return []
        return [int(match[1]) for name in names if (match := _NAME.fullmatch(name))]

    def _path(self, number: int) -> Path:
        return self._folder / "records" / f"{number:04}.json"

    def _read(self, number: int) -> EnvironmentRecord:
        path = self._path(number)
        try:
            return EnvironmentRecord.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise UsageError(
                f"record {displayable(str(path), keep='')} cannot be read",
                hint="Remove it and record again: harness env record",
            ) from error


def _unwritable(error: OSError) -> UsageError:
    return UsageError(
        f"the record cannot be written: {error.strerror or error}",
        hint="Set HARNESS_STATE_DIR to a folder that is writable.",
    )
