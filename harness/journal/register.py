"""`runs.tsv`: one line for each time a run ended. Append-only, for programs and for people with a spreadsheet.

The first line names the columns. A run that was stopped and resumed has a line for each time it ended; the last one holds.
An empty cell means that nobody knows: a run without a report has no counts, one with a call of unknown price no cost.

Each line is appended with one system call under a lock of the operating system, so two runs that end at once do not
mix. A line torn by a loss of power is closed by the next writer and passed over by readers.
"""

import os
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ValidationError

from harness.files import displayable
from harness.journal.lock import patiently
from harness.schema.base import Record

_TORN = "(torn)"
"""Ends a line that a crash left without an end."""


class RunLine(Record):
    """One run, as it ended. None where nobody knows."""

    run: str
    """Id of the run."""
    kind: Literal["audit", "verify", "recheck", "review", "gate"]
    """What was done."""
    started: str
    """Wall clock, UTC, ISO 8601."""
    seconds: float
    """Duration of the last stretch."""
    status: Literal["complete", "incomplete", "refused"]
    """`refused`: what was ordered cannot be done, so there is nothing to continue."""
    exit_code: int
    """What the process told its caller, output that could not be written aside."""
    base: str = ""
    """Base commit of a change."""
    head: str = ""
    """Commit that was looked at, or that the work tree came after."""
    models: str = ""
    """Models, with a space between; empty offline."""
    raised: int | None = None
    """Claims."""
    admitted: int | None = None
    """Claims that passed admission."""
    confirmed: int | None = None
    """Verdict CONFIRMED."""
    uncertain: int | None = None
    """Verdict UNCERTAIN."""
    dismissed: int | None = None
    """Verdict DISMISSED."""
    unverified: int | None = None
    """No verdict."""
    calls: int | None = None
    """Requests to models."""
    input_tokens: int | None = None
    """Tokens sent, cached ones included."""
    cached_tokens: int | None = None
    """Of these, read from the provider's cache."""
    output_tokens: int | None = None
    """Tokens received."""
    cost: float | None = None
    """US dollars, None when that of any call is unknown."""
    unpriced: int | None = None
    """Calls whose cost is unknown."""


COLUMNS = tuple(RunLine.model_fields)


class Register(NamedTuple):
    """What the file says."""

    lines: tuple[RunLine, ...]
    """In the order of writing."""
    unreadable: int
    """Lines that are none: torn by a crash, or not ours."""


def append(path: Path, line: RunLine) -> None:
    """Add one line at the end. Raises OSError."""
    values = line.model_dump()
    text = "\t".join(_cell(values[name]) for name in COLUMNS) + "\n"
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        with patiently(descriptor):
            size = os.lseek(descriptor, 0, os.SEEK_END)
            if not size:
                text = "\t".join(COLUMNS) + "\n" + text
            elif _last_byte(descriptor, size) != b"\n":
                text = f"\t{_TORN}\n{text}"
            os.write(descriptor, text.encode("utf-8", "backslashreplace"))
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read(path: Path) -> Register:
    """Every whole line of the file; none when there is no file. Raises OSError."""
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return Register((), 0)
    *whole, torn = text.split("\n")
    found, unreadable = [], int(bool(torn))
    for row in whole[1:] if whole and whole[0].split("\t")[0] == COLUMNS[0] else whole:
        line = _line(row)
        if line is None:
            unreadable += 1
        else:
            found.append(line)
    return Register(tuple(found), unreadable)


def _line(row: str) -> RunLine | None:
    """Columns that a later version adds come after ours and are passed over."""
    cells = row.split("\t")
    if len(cells) < len(COLUMNS) or cells[-1] == _TORN:
        return None
    fields = RunLine.model_fields
    known = {name: cell for name, cell in zip(COLUMNS, cells, strict=False) if cell or fields[name].is_required()}
    try:
        return RunLine.model_validate_strings(known)
    except ValidationError:
        return None


def _cell(value: object) -> str:
    return "" if value is None else displayable(str(value), keep="")


def _last_byte(descriptor: int, size: int) -> bytes:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)
