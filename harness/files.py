"""Files that appear whole, and text that is safe to show.

`write_atomic` guarantees that a reader sees the old content or the new one, never a part, also after a crash of this
process or a loss of power (data and directory are synced). It does not guarantee that two writers agree: the last one wins.
"""

import contextlib
import hashlib
import os
import tempfile
import unicodedata
from pathlib import Path


def sha256(data: bytes | str) -> str:
    """Hex digest of bytes, or of the UTF-8 form of a string (lone surrogates kept as they are)."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.sha256(raw).hexdigest()


def write_atomic(path: Path, data: bytes | str, *, mode: int = 0o644) -> None:
    """Put `data` at `path` by temporary file, fsync and rename. Parent folders are made. Raises OSError."""
    raw = data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_directory(path.parent)


def write_output(path: Path, text: str) -> None:
    """Put `text` where somebody asked for it. Raises OSError.

    A pipe or a device is written to, as is what stands in `/dev` (`/dev/stdout`); a rename would replace it for the whole
    machine. Anything else appears whole, and a link is replaced, never followed: the audited repository may have left it.
    """
    special = path.exists() and not path.is_file() and not path.is_symlink()
    if special or path.absolute().is_relative_to("/dev"):
        with path.open("wb") as stream:
            stream.write(text.encode("utf-8", "backslashreplace"))
    else:
        write_atomic(path, text)


def sync_directory(path: Path) -> None:
    """Make a rename in `path` durable where the platform lets a directory be opened (Windows does not)."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


_BIDI = {chr(c) for c in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)}
_INVISIBLE = {
    chr(c)
    for c in (
        0x00AD, 0x115F, 0x1160, 0x180E, 0x200B, *range(0x2060, 0x2065), *range(0x206A, 0x2070), 0x3164, 0xFEFF, 0xFFA0,
        *range(0xFFF9, 0xFFFC), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0100, 0xE01F0),
    )
}  # fmt: skip
"""Fillers, invisible operators and annotation marks, and the variation selectors in which text can be hidden. Joiners and
the emoji selector, which scripts and emoji need, are not among them."""


def displayable(text: str, *, keep: str = "\n\t") -> str:
    r"""`text` with everything that could steer a terminal or deceive a reader written as an escape.

    Control characters (but those in `keep`), bidirectional and invisible formatting, tag characters, private
    use and lone surrogates become `\xNN`, `\uNNNN` or `\UNNNNNNNN`. All other text comes back unchanged.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in keep or not _unsafe(c) else _escape(c) for c in text)


def _unsafe(c: str) -> bool:
    if c in _BIDI or c in _INVISIBLE:
        return True
    return unicodedata.category(c) in {"Cc", "Cs", "Co", "Zl", "Zp"} or 0xE0000 <= ord(c) <= 0xE007F


def _escape(c: str) -> str:
    n = ord(c)
    return f"\\x{n:02x}" if n < 0x100 else f"\\u{n:04x}" if n < 0x10000 else f"\\U{n:08x}"


def encode_path(raw: bytes) -> str:
    r"""The record form of a path: readable, one line, and reversible with `decode_path`.

    Bytes that are not UTF-8, backslashes, and whatever `displayable` would escape are written `\xNN` byte by byte.
    """
    text = raw.decode("utf-8", "surrogateescape")
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    return "".join(
        "".join(f"\\x{b:02x}" for b in c.encode("utf-8", "surrogateescape")) if c == "\\" or _unsafe(c) else c
        for c in text
    )


def decode_path(path: str) -> bytes:
    """The bytes of a record path. Raises ValueError when an escape is malformed."""
    if "\\" not in path:
        return path.encode("utf-8")
    head, *rest = path.split("\\x")
    parts = [head.encode("utf-8")]
    for piece in rest:
        parts.append(bytes.fromhex(piece[:2]) + piece[2:].encode("utf-8"))
    return b"".join(parts)
