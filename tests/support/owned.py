"""A repository of one's own, and everything that is in it by bytes."""

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.support.hostile import plain_git

NAMES = (
    "a.py",
    "b.txt",
    "d/x.py",
    "d/e/y",
    "été.txt",
    "two words",
    "-f",
    "[g]*",
    'q"t',
    "c:d",
    "back\\slash",
    "x.log",
    "d/z.log",
)
"""Names of files; those in `.log` are ignored."""


def raw_git(folder: Path, *arguments: str, asked: bytes = b"") -> bytes:
    """What git says, as bytes."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith("GIT_")}
    done = subprocess.run(["git", *arguments], cwd=folder, env=kept, input=asked, capture_output=True, check=True)
    return done.stdout


def files(folder: Path, *, ignored: bool = True) -> dict[bytes, tuple[str, bytes]]:
    """Every file and link of the work tree: kind (`x` for executable) and content."""
    found = {}
    skipped = set() if ignored else set(raw_git(folder, "ls-files", "-zoi", "--exclude-standard").split(b"\0"))
    for at, folders, names in os.walk(folder):
        if Path(at) == folder:
            folders.remove(".git")
        places = [Path(at, name) for name in (*names, *folders)]
        for path in (p for p in places if p.is_symlink() or p.is_file()):
            inner = os.fsencode(path.relative_to(folder))
            if inner in skipped:
                continue
            if path.is_symlink():
                found[inner] = ("link", os.fsencode(path.readlink()))
            else:
                found[inner] = ("x" if path.stat().st_mode & 0o100 else "file", path.read_bytes())
    return found


def index(folder: Path) -> bytes:
    """What is staged, with modes."""
    return raw_git(folder, "ls-files", "-z", "--stage")


def contents(folder: Path) -> set[bytes]:
    """Every content that lies in the work tree, is staged, or is reachable from a reference, HEAD or the list of stashes."""
    found = {content for _, content in files(folder).values()}
    starts = (
        raw_git(folder, "rev-parse", "HEAD").split() + raw_git(folder, "for-each-ref", "--format=%(objectname)").split()
    )
    if b"refs/stash" in raw_git(folder, "for-each-ref", "--format=%(refname)"):
        starts += raw_git(folder, "log", "-g", "--format=%H", "refs/stash").split()
    listed = raw_git(folder, "rev-list", "--objects", "--stdin", asked=b"\n".join(starts) + b"\n").splitlines()
    names = {line.split(b" ")[0] for line in listed}
    names |= {row.split()[1] for row in index(folder).split(b"\0") if row}
    said = raw_git(folder, "cat-file", "--batch", asked=b"\n".join(sorted(names)) + b"\n")
    while said:
        heading, _, said = said.partition(b"\n")
        _, kind, size = heading.split()
        if kind == b"blob":
            found.add(said[: int(size)])
        said = said[int(size) + 1 :]
    return found


class Person:
    """Somebody who edits, stages and stashes at random, the same way for the same seed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self._number = seed * 1000

    def act(self) -> str:
        """Do one thing; returns its name."""
        steps: list[Callable[[], None]] = [
            self.write, self.write, self.write, self.delete, self.mode, self.link, self.swap, self.stage, self.stage,
            self.stage_part, self.unstage, self.stash, self.stash_all, self.force, self.commit,
        ]  # fmt: skip
        step = self.chance.choice(steps)
        step()
        return step.__name__

    def _fresh(self) -> bytes:
        self._number += 1
        return b"%06d\n" % self._number  # all of one size: only the content tells them apart

    def _place(self) -> Path:
        path = self.folder / self.chance.choice(NAMES)
        for part in reversed(path.relative_to(self.folder).parents):
            above = self.folder / part
            if part != Path() and (above.is_symlink() or above.is_file()):
                above.unlink()
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _some(self) -> Path | None:
        there = sorted(files(self.folder))
        return self.folder / os.fsdecode(self.chance.choice(there)) if there else None

    def write(self) -> None:
        path = self._place()
        path.unlink(missing_ok=True)
        path.write_bytes(self._fresh())

    def delete(self) -> None:
        if path := self._some():
            path.unlink()

    def mode(self) -> None:
        path = self._some()
        if path and not path.is_symlink():
            path.chmod(0o755 if self.chance.random() < 0.5 else 0o644)

    def link(self) -> None:
        path = self._place()
        path.unlink(missing_ok=True)
        path.symlink_to(f"nowhere-{self._fresh().decode().strip()}")

    def swap(self) -> None:
        """A file becomes a folder with a file in it."""
        if path := self._some():
            path.unlink()
            path.mkdir()
            (path / "inner").write_bytes(self._fresh())

    def stage(self) -> None:
        if path := self._some():
            plain_git(self.folder, "--literal-pathspecs", "add", "--", str(path), check=False)

    def stage_part(self) -> None:
        """What is staged of a file is not what lies there."""
        path = self._some()
        if path and not path.is_symlink():
            path.write_bytes(self._fresh())
            plain_git(self.folder, "--literal-pathspecs", "add", "--", str(path), check=False)
            path.write_bytes(self._fresh())

    def unstage(self) -> None:
        if path := self._some():
            plain_git(self.folder, "--literal-pathspecs", "rm", "-q", "--cached", "--", str(path), check=False)

    def force(self) -> None:
        """A file that is ignored is tracked."""
        path = self.folder / "x.log"
        if path.is_file():
            plain_git(self.folder, "add", "-f", "--", "x.log")

    def stash(self) -> None:
        plain_git(self.folder, "stash", "-q", check=False)

    def stash_all(self) -> None:
        plain_git(self.folder, "stash", "-q", "-u", check=False)

    def commit(self) -> None:
        plain_git(self.folder, "commit", "-q", "-m", "by hand", check=False)
