"""URIs of a log as paths of the audited revision. Whatever leads out of it is refused, with the reason."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath
from urllib.parse import unquote_to_bytes

from harness.files import decode_path, encode_path

DEEPEST = 64
_DRIVE = re.compile(r"^/?[A-Za-z]:[/\\]")


class Refused(Exception):
    """This URI names no file of the revision; the message says why."""


class Paths:
    """Resolves the URIs of one log. `origin` is the absolute path of the audited folder, `entries` what is in it.

    A log may come from another machine. Absolute paths that do not lie below `origin` are cut at the one folder under
    which most of them are files of the revision.
    """

    def __init__(self, uris: Iterable[str], origin: str, entries: Collection[str]) -> None:
        self._origin = origin.encode("utf-8", "surrogateescape").rstrip(b"/")
        self._entries = entries
        self._elsewhere = self._common(uris)

    def path(self, uri: str) -> str:
        """The record path, also when no such file is in the revision. Raises Refused."""
        raw = _raw(uri)
        if raw.startswith(b"/"):
            for root in (self._origin, self._elsewhere):
                if root is not None and raw.startswith(root + b"/"):
                    raw = raw[len(root) + 1 :]
                    break
            else:
                raise Refused(f"{_shown(raw)} is outside of the audited folder")
        path = _normal(raw)
        if path in self._entries:
            return path
        turned = _normal(raw.replace(b"\\", b"/"))
        return turned if turned in self._entries else path

    def _common(self, uris: Iterable[str]) -> bytes | None:
        votes: Counter[bytes] = Counter()
        for uri in dict.fromkeys(uris):
            try:
                raw = _raw(uri)
            except Refused:
                continue
            parts = raw.split(b"/")
            if not raw.startswith(b"/") or raw.startswith(self._origin + b"/") or len(parts) > DEEPEST:
                continue
            for cut in range(1, len(parts)):
                if encode_path(b"/".join(parts[cut:])) in self._entries:
                    votes[b"/".join(parts[:cut])] += 1
        return max(sorted(votes), key=lambda root: (votes[root], -len(root))) if votes else None


def _raw(uri: str) -> bytes:
    """The path bytes of a `file:` URI or of a relative reference. Raises Refused."""
    if not uri:
        raise Refused("the result names no file")
    if _DRIVE.match(uri):
        uri = f"file:///{uri.lstrip('/')}"
    scheme, colon, rest = uri.partition(":")
    if colon and re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme):
        if scheme.lower() != "file":
            raise Refused(f"{scheme}: names no file of a folder")
        uri = rest
        if uri.startswith("//"):
            host, _, path = uri[2:].partition("/")
            if host not in ("", "localhost"):
                raise Refused(f"the file is on another machine ({host[:60]})")
            uri = f"/{path}"
    raw = unquote_to_bytes(uri.split("#")[0].split("?")[0] if colon else uri)
    if b"\0" in raw:
        raise Refused("the path holds a zero byte")
    return raw.replace(b"\\", b"/") if raw[1:3] in (b":\\", b":/") or raw[2:4] in (b":\\", b":/") else raw


def _normal(raw: bytes) -> str:
    """Without `.` and `..`. Raises Refused when it leads out."""
    parts: list[str] = []
    for part in PurePosixPath(raw.decode("utf-8", "surrogateescape")).parts:
        if part == "..":
            if not parts:
                raise Refused(f"{_shown(raw)} leads out of the audited folder")
            parts.pop()
        else:
            parts.append(part)
    if not parts:
        raise Refused("the result names a folder, no file")
    return encode_path("/".join(parts).encode("utf-8", "surrogateescape"))


def _shown(raw: bytes) -> str:
    return encode_path(raw)[:200]


def is_record_path(path: str) -> bool:
    """Whether a path of a report of ours is one that we would have written."""
    try:
        return encode_path(decode_path(path)) == path
    except ValueError:
        return False
