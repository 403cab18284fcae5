"""The audited revision, pinned: a private copy of its regular files and a list of what was left out."""

from harness.schema.base import Record
from harness.schema.run import Skip


class FileEntry(Record):
    """One regular file of the copy."""

    path: str
    """Record path (`harness.files.encode_path`)."""
    size: int
    """Bytes."""
    sha256: str
    """Of the bytes."""
    language: str
    """`python`, `javascript`, `html`, `markdown`, `toml`, ..., `binary`, or `other`."""
    lines: int = 0
    """Number of lines, 0 for binary files."""
    test: bool = False
    """True for test code by its place or name."""


class Tree(Record):
    """A pinned revision. The files under `root` are ours: no link, device, `.git` or configuration file acts from there."""

    root: str
    """Folder of the copy."""
    name: str
    """Name of the audited folder, for people."""
    origin: str
    """Absolute path of what was audited."""
    head: str | None = None
    """Commit, None for a plain folder."""
    base: str | None = None
    """Base commit of a review."""
    dirty: bool = False
    """True when the copy holds uncommitted changes."""
    files: tuple[FileEntry, ...] = ()
    """Files in scope, sorted by path."""
    excluded: tuple[Skip, ...] = ()
    """What was left out, with the reason."""
    digest: str = ""
    """Hash over paths and contents of `files`: equal digests, equal input."""
