"""The folder of entries: appended to, never rewritten. A chain of hashes shows every edit and every removal.

Each entry carries the hash of the one before; `chain.jsonl` has one line an entry with the hash of its file and of the line
before, so the newest entry is covered too. Someone who rewrites both is found by git's history, not here.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from devlog.entry import Entry, Leftover, from_markdown, to_markdown
from harness.errors import UsageError
from harness.files import sha256, sync_directory, write_atomic

CHAIN = "chain.jsonl"
_NAME = re.compile(r"^(\d{4,})-.*\.md$")


class Open(NamedTuple):
    """A leftover nobody has closed."""

    leftover: Leftover
    entry: Entry


class Examined(NamedTuple):
    """A log that was read to its end."""

    entries: list[Entry]
    """Those that can be read, oldest first."""
    faults: list[str]
    """What is wrong with order, numbering and hashes; empty when all holds."""


class Devlog:
    """The entries in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def paths(self) -> list[Path]:
        """Files of entries, by number."""
        if not self.folder.is_dir():
            return []
        found = [(int(m[1]), p) for p in self.folder.iterdir() if (m := _NAME.match(p.name)) and not p.is_symlink()]
        return [path for _, path in sorted(found)]

    def entries(self) -> Iterator[Entry]:
        """Every entry, oldest first. Raises UsageError for a file that is none."""
        for path in self.paths():
            yield from_markdown(path.read_text("utf-8"), path.name)

    def last(self) -> Entry | None:
        """The newest entry."""
        paths = self.paths()
        return from_markdown(paths[-1].read_text("utf-8"), paths[-1].name) if paths else None

    def add(self, entry: Entry) -> Path:
        """Append. Numbers and hashes are filled in here. Raises UsageError when the log is damaged or `closes` names nothing."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder):
            faults = self.check()
            if faults:
                raise UsageError(f"the devlog is damaged: {faults[0]}", hint="harness devlog check")
            paths = self.paths()
            number = len(paths) + 1
            left = tuple(Leftover(id=f"{number}.{n}", text=o.text) for n, o in enumerate(entry.leftovers, 1))
            known = {o.leftover.id for o in self.leftovers()} if entry.closes else set()
            unknown = [c for c in entry.closes if c not in known]
            if unknown:
                raise UsageError(
                    f"no open leftover is called {', '.join(unknown)}", hint="harness devlog leftovers lists them."
                )
            previous = sha256(paths[-1].read_bytes()) if paths else ""
            complete = entry.model_copy(update={"number": number, "leftovers": left, "previous": previous})
            text = to_markdown(complete)
            path = self.folder / complete.file_name
            write_atomic(path, text)
            self._link(complete, sha256(text))
            return path

    def leftovers(self) -> list[Open]:
        """Leftovers that no later entry closes, oldest first."""
        entries = list(self.entries())
        closed = {c for entry in entries for c in entry.closes}
        return [Open(left, entry) for entry in entries for left in entry.leftovers if left.id not in closed]

    def search(self, words: str) -> list[tuple[Entry, str]]:
        """(entry, first line that matches) for entries that hold every word, in any case."""
        wanted = words.lower().split()
        found = []
        for path in self.paths():
            text = path.read_text("utf-8")
            lowered = text.lower()
            if all(word in lowered for word in wanted):
                body = text.split("+++\n", 2)[-1]
                line = next((x.strip() for x in body.splitlines() if wanted and wanted[0] in x.lower()), "")
                found.append((from_markdown(text, path.name), line))
        return found

    def check(self) -> list[str]:
        """What is wrong with order, numbering and hashes; empty when all holds."""
        return self.examined().faults

    def examined(self) -> Examined:
        """All entries, and what is wrong with them, in one reading."""
        faults: list[str] = []
        entries: list[Entry] = []
        links, torn = self._links()
        if torn:
            faults.append(f"{CHAIN}: line {torn} cannot be read or does not follow from the one before")
        previous = ""
        paths = self.paths()
        for number, path in enumerate(paths, 1):
            try:
                raw = path.read_bytes()
            except OSError as error:
                faults.append(f"{path.name}: it cannot be read: {error.strerror or error}")
                previous = ""
                continue
            digest = sha256(raw)
            try:
                entry = from_markdown(raw.decode("utf-8"), path.name)
            except (UsageError, UnicodeDecodeError) as error:
                faults.append(str(error))
                previous = digest
                continue
            entries.append(entry)
            if entry.number != number or int(path.name.split("-")[0]) != number:
                faults.append(f"{path.name}: entry {number} was expected here: one is missing or renumbered")
            if entry.previous != previous:
                faults.append(f"{path.name}: it does not follow from the entry before, which was edited or removed")
            link = links.get(number)
            if link is None:
                faults.append(f"{path.name}: it is not in {CHAIN}")
            elif link != (path.name, digest):
                faults.append(f"{path.name}: it was edited or renamed after it was written")
            previous = digest
        faults += [f"{name}: it was removed" for n, (name, _) in links.items() if n > len(paths)]
        return Examined(entries, faults)

    def _link(self, entry: Entry, digest: str) -> None:
        path = self.folder / CHAIN
        lines = path.read_bytes().splitlines() if path.exists() else []
        line = _chained(entry.number, entry.file_name, digest, sha256(lines[-1]) if lines else "")
        with path.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        sync_directory(self.folder)

    def _links(self) -> tuple[dict[int, tuple[str, str]], int]:
        """(number -> file and hash, number of the first bad line or 0). A line is good only to the byte."""
        path = self.folder / CHAIN
        found: dict[int, tuple[str, str]] = {}
        before = ""
        *lines, rest = (path.read_bytes() if path.exists() else b"").split(b"\n")
        for number, line in enumerate(lines, 1):
            try:
                link = json.loads(line)
                file, digest = str(link["file"]), str(link["sha256"])
            except (ValueError, KeyError, TypeError, RecursionError):
                return found, number
            if line != _chained(number, file, digest, before).encode():
                return found, number
            found[number] = (file, digest)
            before = sha256(line)
        return found, len(lines) + 1 if rest else 0


def _chained(number: int, file: str, digest: str, before: str) -> str:
    """A line of the chain."""
    return json.dumps({"number": number, "file": file, "sha256": digest, "before": before})


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One writer at a time, by a file that only one process can create. A dead writer's file is named in the error."""
    lock = folder / ".lock"
    try:
        descriptor = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError as error:
        raise UsageError(f"another process writes to {folder}", hint=f"If none does, remove {lock}.") from error
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(str(os.getpid()).encode())
        yield
    finally:
        lock.unlink(missing_ok=True)
