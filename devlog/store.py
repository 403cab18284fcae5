"""The folder of entries: appended to, never rewritten. A chain of hashes shows every edit and every removal.

Each entry carries the hash of the one before; `chain.jsonl` has one line an entry with the hash of its file and of the line
before, so the newest entry is covered too. Someone who rewrites both is found by git's history, not here.

A new entry lies whole in `.pending` before its line is written, and gets its name afterwards; so what a killed writer leaves
is completed by the next one. A disk that is full leaves the folder as it was.
"""

import contextlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from devlog.entry import Entry, Leftover, from_markdown, to_markdown
from harness.errors import IncompleteError, UsageError
from harness.files import sha256, sync_directory, write_atomic

CHAIN = "chain.jsonl"
PENDING = ".pending"
ATTRIBUTES = ".gitattributes"
BYTE_FOR_BYTE = "* -text\n"
"""What hashes speak for must not get other line ends when it is checked out (core.autocrlf)."""
PATIENCE_S = 10.0
"""How long a writer waits for another, who needs an instant."""
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
            yield from_markdown(_text(path), path.name)

    def last(self) -> Entry | None:
        """The newest entry. Raises UsageError for a file that is none."""
        paths = self.paths()
        return from_markdown(_text(paths[-1]), paths[-1].name) if paths else None

    def refuse(self, closes: Iterable[str]) -> None:
        """Raises UsageError when the log is damaged or `closes` names a leftover that is not open."""
        faults = self.check()
        if faults:
            raise UsageError(f"the devlog is damaged: {faults[0]}", hint="harness devlog check")
        wanted = list(closes)
        known = {o.leftover.id for o in self.leftovers()} if wanted else set()
        if unknown := [c for c in wanted if c not in known]:
            raise UsageError(
                f"no open leftover is called {', '.join(unknown)}", hint="harness devlog leftovers lists them."
            )

    def ready(self, closes: Iterable[str]) -> Path | None:
        """Whether an entry that closes these can be added; completes the one that a killed writer left, and returns it.

        Raises UsageError, IncompleteError.
        """
        if not self.folder.is_dir():
            self.refuse(closes)
            return None
        with _locked(self.folder), _writing():
            completed = self._completed()
            self.refuse(closes)
        return completed

    def _completed(self) -> Path | None:
        pending, chain = self.folder / PENDING, self.folder / CHAIN
        if not os.path.lexists(pending):
            return None
        text = _text(pending)
        entry = from_markdown(text, PENDING)
        whole = (chain.read_bytes() if chain.exists() else b"").rpartition(b"\n")
        if whole[2]:
            os.truncate(chain, len(whole[0] + whole[1]))
        links, _ = self._links()
        if len(links) == entry.number - 1 == len(self.paths()):
            self._link(entry, sha256(text))
        elif links.get(entry.number) != (entry.file_name, sha256(text)) or len(links) != entry.number:
            raise UsageError(f"{PENDING} in {self.folder} is left of a writer that was killed, and does not follow",
                             hint="Look at it, and remove it.")  # fmt: skip
        return pending.replace(self.folder / entry.file_name)

    def add(self, entry: Entry) -> Path:
        """Append. Numbers and hashes are filled in here.

        Raises UsageError when the log is damaged or `closes` names nothing, IncompleteError when it cannot be written.
        """
        with _writing():
            self.folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder):
            self.refuse(entry.closes)
            paths = self.paths()
            number = len(paths) + 1
            left = tuple(Leftover(id=f"{number}.{n}", text=o.text) for n, o in enumerate(entry.leftovers, 1))
            previous = sha256(paths[-1].read_bytes()) if paths else ""
            complete = entry.model_copy(update={"number": number, "leftovers": left, "previous": previous})
            text = to_markdown(complete)
            path, pending, chain = (self.folder / name for name in (complete.file_name, PENDING, CHAIN))
            attributes = self.folder / ATTRIBUTES
            size = chain.stat().st_size if chain.exists() else None
            with _writing():
                if not os.path.lexists(attributes):
                    write_atomic(attributes, BYTE_FOR_BYTE)
                try:
                    write_atomic(pending, text)
                    self._link(complete, sha256(text))
                    return pending.replace(path)
                except OSError:
                    pending.unlink(missing_ok=True)
                    if size is not None:
                        os.truncate(chain, size)
                    else:
                        chain.unlink(missing_ok=True)
                    raise

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
            text = _text(path)
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
        if os.path.lexists(self.folder / PENDING):
            faults.append(f"{PENDING}: a writer was killed; the next harness devlog add completes its entry")
        if torn:
            faults.append(f"{CHAIN}: line {torn} cannot be read or does not follow from the one before")
        previous = ""
        paths = self.paths()
        for number, path in enumerate(paths, 1):
            previous, before = "", previous
            try:
                raw = _raw(path)
                previous = digest = sha256(raw)
                entry = from_markdown(_decoded(raw, path), path.name)
            except UsageError as error:
                faults.append(str(error))
                continue
            entries.append(entry)
            if entry.number != number or int(path.name.split("-")[0]) != number:
                faults.append(f"{path.name}: entry {number} was expected here: one is missing or renumbered")
            if entry.previous != before:
                faults.append(f"{path.name}: it does not follow from the entry before, which was edited or removed")
            link = links.get(number)
            if link is None:
                faults.append(f"{path.name}: it is not in {CHAIN}")
            elif link != (path.name, digest):
                faults.append(f"{path.name}: it was edited or renamed after it was written")
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


def _text(path: Path) -> str:
    """Raises UsageError."""
    return _decoded(_raw(path), path)


def _raw(path: Path) -> bytes:
    """A pipe, which might never end, is not opened. Raises UsageError."""
    if not path.is_file():
        raise UsageError(f"{path.name}: it cannot be read: it is no regular file")
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path.name}: it cannot be read: {error.strerror or error}") from error


def _decoded(raw: bytes, path: Path) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path.name}: it is not UTF-8: {error.reason} at byte {error.start}") from error


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    """Raises IncompleteError for what the disk refuses."""
    try:
        yield
    except OSError as error:
        raise IncompleteError(f"the devlog cannot be written, so nothing was added: {error.strerror or error}",
                              hint="Make room, or see who may write there, and try again.") from error  # fmt: skip


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One writer at a time, by a file that only one process can create. A dead writer's file is named in the error."""
    lock = folder / ".lock"
    deadline = time.monotonic() + PATIENCE_S
    while (descriptor := _exclusive(lock)) is None:
        if time.monotonic() >= deadline:
            raise UsageError(f"another process writes to {folder}", hint=f"If none does, remove {lock}.")
        time.sleep(0.02)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(str(os.getpid()).encode())
        yield
    finally:
        lock.unlink(missing_ok=True)


def _exclusive(lock: Path) -> int | None:
    """A descriptor of the file, made just now; None when it is there. Raises IncompleteError."""
    with _writing():
        try:
            return os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            return None
