"""`.harness/waivers.toml`: decisions not to fix, committed with the code and read by people.

    [[waiver]]
    fingerprint = "3c1f..."
    kind = "defer"                 # defer, accept or false-positive
    reason = "Needs the new export service, issue 12"
    author = "Ada"
    date = 2026-06-10
    until = 2026-09-01             # last day on which it holds; optional
    rule = "command-injection"     # for readers
    path = "shop/export.py"        # for readers

Written with tomlkit, because people edit this file and their comments and order have to outlive our own edits; read
with the standard library. A new file replaces the old one as a whole, or not at all.
"""

import datetime
import tomllib
from collections.abc import Iterable
from pathlib import Path

import tomlkit
from pydantic import ValidationError
from tomlkit import TOMLDocument
from tomlkit.items import AoT

from harness.audit.decision_files import read_text, write_text
from harness.errors import ConfigError
from harness.schema.finding import Finding
from harness.schema.waiver import Waiver

FILE = ".harness/waivers.toml"
_HEAD = "# Decisions not to fix a finding. Edit by hand, or with: harness findings waive ID --reason TEXT\n"


def read(path: Path) -> tuple[Waiver, ...]:
    """The waivers of a file; none when there is no file. Raises ConfigError for one that cannot be understood."""
    text = read_text(path)
    return () if text is None else parse(text, FILE)


def parse(text: str, where: str) -> tuple[Waiver, ...]:
    """The waivers in a text, in order. Raises ConfigError naming `where`, the entry and what is wrong."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: {error}", hint="A waiver that cannot be read waives nothing.") from error
    entries = document.pop("waiver", [])
    if document or not isinstance(entries, list):
        raise ConfigError(f"{where}: expected [[waiver]] tables, found {', '.join(document) or 'waiver'}")
    return tuple(_waiver(entry, f"{where}: waiver {number}") for number, entry in enumerate(entries, 1))


def _waiver(entry: object, where: str) -> Waiver:
    try:
        waiver = Waiver.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"])) or "entry"
        raise ConfigError(f"{where}: {key}: {first['msg'].lower()}") from error
    if not waiver.reason.strip() or not waiver.author.strip():
        raise ConfigError(f"{where}: a waiver needs a reason and an author")
    return waiver


def add(path: Path, waiver: Waiver) -> None:
    """Write `waiver` into the file, in place of one for the same finding. Raises ConfigError, OSError."""
    values = {k: v for k, v in waiver.model_dump(exclude_none=True).items() if v != ""} | {"kind": str(waiver.kind)}
    document, entries = _open(path)
    known = next((entry for entry in entries if entry.get("fingerprint") == waiver.fingerprint), None)
    if known is None:
        if entries:
            entries[-1].add(tomlkit.nl())
        known = tomlkit.table()
        entries.append(known)
    for key in [key for key in known if key not in values]:
        del known[key]
    for key, value in values.items():
        known[key] = value
    write_text(path, document.as_string())


def remove(path: Path, fingerprint: str) -> bool:
    """Take the waiver of `fingerprint` out of the file; False when there was none. Raises ConfigError, OSError."""
    document, entries = _open(path)
    places = [i for i, entry in enumerate(entries) if entry.get("fingerprint") == fingerprint]
    for place in reversed(places):
        del entries[place]
    if not entries:
        document.remove("waiver")
    if places:
        write_text(path, document.as_string())
    return bool(places)


def _open(path: Path) -> tuple[TOMLDocument, AoT]:
    text = read_text(path) or _HEAD + "\n"
    known = parse(text, FILE)
    document = tomlkit.parse(text)
    if not known:
        document.pop("waiver", None)
        document.append("waiver", tomlkit.aot())
    entries = document["waiver"]
    if not isinstance(entries, AoT):
        raise ConfigError(f"{FILE}: write each waiver as a [[waiver]] table of its own")
    return document, entries


def holds(waiver: Waiver, today: datetime.date) -> bool:
    """Whether it has not expired: it still holds on the day `until`."""
    return waiver.until is None or today <= waiver.until


def for_finding(finding: Finding, *, kind: str, reason: str, author: str, today: datetime.date,
                until: datetime.date | None) -> Waiver:  # fmt: skip
    """The waiver of one finding. Raises ConfigError when the reason is empty or it would end before it begins."""
    if until is not None and until < today:
        raise ConfigError(f"--until {until} is in the past", hint=f"Today is {today}.")
    entry = {
        "fingerprint": finding.fingerprint, "kind": kind, "reason": reason, "author": author, "date": today,
        "until": until, "rule": finding.rule, "path": finding.path,
    }  # fmt: skip
    return _waiver(entry, "waiver")


def unused(waivers: Iterable[Waiver], seen: Iterable[str], today: datetime.date) -> list[tuple[Waiver, str]]:
    """Waivers that hide nothing any more, with the reason: expired, or no finding has that fingerprint."""
    known = set(seen)
    found = []
    for waiver in waivers:
        if not holds(waiver, today):
            found.append((waiver, f"expired on {waiver.until}"))
        elif waiver.fingerprint not in known:
            found.append(
                (
                    waiver,
                    f"hides nothing: its code changed, or it was fixed; harness findings unwaive {waiver.fingerprint[:8]}",
                )
            )
    return found
