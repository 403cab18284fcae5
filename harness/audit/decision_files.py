"""Reads and writes the files in `.harness/` that hold people's decisions, without following links out of the repository."""

from pathlib import Path

from harness.errors import ConfigError
from harness.files import write_atomic

FOLDER = ".harness"
LARGEST = 16 * 1024 * 1024


def read_text(path: Path) -> str | None:
    """The text, None when there is no such file. Raises ConfigError for a link, or for more than 16 MB."""
    _refuse_links(path)
    if not path.is_file():
        return None
    if path.stat().st_size > LARGEST:
        raise ConfigError(f"{FOLDER}/{path.name}: larger than {LARGEST // 1024 // 1024} MB")
    return path.read_bytes().decode("utf-8", "replace")


def write_text(path: Path, text: str) -> None:
    """Replace the file as a whole. Raises ConfigError for a link, OSError."""
    _refuse_links(path)
    write_atomic(path, text)


def _refuse_links(path: Path) -> None:
    for part in (path.parent, path):
        if part.is_symlink():
            name = FOLDER if part == path.parent else f"{FOLDER}/{path.name}"
            raise ConfigError(
                f"{name} is a symbolic link", hint="Decisions live in the repository itself: replace the link."
            )
