"""What is in the data folder: every entry in a fixed order, what it is to a report, and why it is not read where it is not.

Nothing is opened through a link, nothing is executed or unpacked, nothing is written. The content is read once, for its hash.
"""

from pathlib import Path, PurePosixPath

from agent.records import FileKind, Scan, ScannedFile
from harness.files import encode_path, sha256
from harness.repo.guard import Entry, Guard, Kind, Unreadable

READ_BYTES = 64 << 20
"""Larger files are listed and not read."""
MOST_FILES, MOST_DEPTH = 10_000, 24
_SKIPPED_FOLDERS = frozenset({b".git", b".hg", b".svn", b"__pycache__", b".ipynb_checkpoints", b"__MACOSX", b".venv"})
_DOCUMENTS = frozenset(
    [".txt", ".md", ".rst", ".tex", ".bib", ".pdf", ".docx", ".doc", ".odt", ".rtf", ".html", ".htm", ".ipynb", ".nb"]
)
_IMAGES = frozenset([".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp", ".svg", ".heic"])
_TABLES = frozenset(
    [".csv", ".tsv", ".xlsx", ".xlsm", ".xls", ".ods", ".dat", ".asc", ".json", ".yaml", ".yml", ".toml", ".xml"]
)
_DATA = _TABLES | frozenset([".sxm", ".3ds", ".h5", ".hdf5", ".nxs", ".npy", ".npz", ".mat"])
_PLAIN = frozenset({".txt", ".dat", ".asc", ""})
_OFFICE = frozenset([".xlsx", ".xlsm", ".docx", ".ods", ".odt", ".npz"])
_ARCHIVES = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7-zip"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x28\xb5\x2f\xfd", "zstandard"),
)


def scan(folder: Path) -> Scan:
    """Every entry below `folder`, sorted by path. Raises OSError when the folder itself cannot be opened."""
    found: list[ScannedFile] = []
    complete = True
    with Guard(folder) as guard:
        waiting: list[tuple[bytes, int]] = [(b"", 0)]
        while waiting:
            below, depth = waiting.pop()
            room = MOST_FILES - len(found)
            try:
                entries = guard.entries(below, room + 1)
            except Unreadable as error:
                found.append(_listed(below, FileKind.OTHER, 0, f"folder {error}"))
                continue
            if len(entries) > room:
                entries, complete = entries[:room], False
            for entry in entries:
                path = below + b"/" + entry.name if below else entry.name
                if entry.kind is not Kind.FOLDER:
                    found.append(_file(guard, path, entry))
                elif entry.name in _SKIPPED_FOLDERS:
                    found.append(_listed(path, FileKind.OTHER, 0, "a folder of tools, left out"))
                elif depth >= MOST_DEPTH:
                    complete = False
                    found.append(_listed(path, FileKind.OTHER, 0, f"more than {MOST_DEPTH} folders deep"))
                else:
                    waiting.append((path, depth + 1))
    return Scan(files=tuple(sorted(found, key=lambda f: f.path)), complete=complete)


def archive_of(head: bytes) -> str:
    """Kind of archive that content beginning with `head` (at least 262 bytes where there are) is, '' for none."""
    if head[257:262] == b"ustar":
        return "tar"
    return next((name for magic, name in _ARCHIVES if head.startswith(magic)), "")


def suffix(path: str) -> str:
    """Lower-case suffix of a record path, with its dot."""
    return PurePosixPath(path).suffix.lower()


def _file(guard: Guard, path: bytes, entry: Entry) -> ScannedFile:
    kind = kind_of(encode_path(path))
    if entry.kind is Kind.SYMLINK:
        return _listed(path, kind, 0, "a link, not followed")
    if entry.kind is Kind.SPECIAL:
        return _listed(path, FileKind.OTHER, 0, "no regular file (pipe, socket or device)")
    if entry.size == 0:
        return _listed(path, kind, 0, "empty")
    if entry.size > READ_BYTES:
        return _listed(path, kind, entry.size, f"too large: more than {READ_BYTES >> 20} MiB is not read")
    try:
        content = guard.read(path, READ_BYTES)
    except Unreadable as error:
        return _listed(path, kind, entry.size, str(error))
    problem = ""
    ending = suffix(encode_path(path))
    archive = archive_of(content[:512])
    if archive and not (archive == "zip" and ending in _OFFICE):
        kind, problem = FileKind.OTHER, f"an archive ({archive}): unpack it and name the folder to have it read"
    elif ending in _PLAIN and _is_columns(content[:20_000]):
        kind = FileKind.DATA
    return ScannedFile(path=encode_path(path), kind=kind, size=len(content), sha256=sha256(content), problem=problem)


def kind_of(path: str) -> FileKind:
    """What the name of a file says."""
    ending = suffix(path)
    if ending in _DOCUMENTS:
        return FileKind.DOCUMENT
    if ending in _IMAGES:
        return FileKind.IMAGE
    return FileKind.DATA if ending in _DATA else FileKind.OTHER


def _is_columns(head: bytes) -> bool:
    """Whether most lines are numbers: a text file that is a table."""
    lines = [line for line in head.splitlines() if line.strip()]
    if len(lines) < 3:
        return False
    letters = bytes(range(65, 91)) + bytes(range(97, 101)) + bytes(range(102, 123))  # not e, of exponents
    plain = sum(1 for line in lines if any(48 <= b <= 57 for b in line) and line.translate(None, letters) == line)
    return plain * 2 > len(lines)


def _listed(path: bytes, kind: FileKind, size: int, problem: str) -> ScannedFile:
    return ScannedFile(path=encode_path(path), kind=kind, size=size, problem=problem)
