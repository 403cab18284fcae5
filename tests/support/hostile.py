"""Repositories that try to run something, and the marker that tells whether they did."""

import os
import subprocess
from pathlib import Path

IDENTITY = {
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}  # fmt: skip


def plain_git(folder: Path, *arguments: str, check: bool = True, **environment: str) -> str:
    """git as a careless tool runs it, under the repository's own configuration."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=inherited | IDENTITY | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull} | environment,
        capture_output=True,
        check=check,
        timeout=60,
        encoding="utf-8",
        errors="surrogateescape",
    )
    return done.stdout


def repository(folder: Path, files: dict[str, str]) -> Path:
    """A repository with one commit of these files."""
    folder.mkdir(parents=True)
    plain_git(folder, "init", "-q", "-b", "main")
    write(folder, files)
    plain_git(folder, "add", "-A")
    plain_git(folder, "commit", "-q", "-m", "first")
    return folder


def write(folder: Path, files: dict[str, str]) -> None:
    """These texts as files below `folder`."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


class Marker:
    """A file that a planted command makes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def command(self) -> str:
        """A shell command that leaves the marker and passes its input through."""
        return f"sh -c 'touch {self.path}; cat'"

    def script(self, at: Path) -> Path:
        """An executable that leaves the marker and says nothing."""
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(f"#!/bin/sh\ntouch {self.path}\n", "utf-8")
        at.chmod(0o755)
        return at

    def fired(self) -> bool:
        """Whether something ran; forgets it."""
        there = self.path.exists()
        self.path.unlink(missing_ok=True)
        return there


def snapshot(folder: Path) -> dict[str, tuple[str, int, bytes]]:
    """Everything below `folder`, `.git` included: kind, mode and content of each name."""
    found: dict[str, tuple[str, int, bytes]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        if path.is_symlink():
            found[str(path)] = ("link", status.st_mode, os.fsencode(path.readlink()))
        elif path.is_file():
            found[str(path)] = ("file", status.st_mode, path.read_bytes())
        else:
            found[str(path)] = ("other", status.st_mode, b"")
    return found
