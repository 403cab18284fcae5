"""A git directory of our own that knows what a foreign one knows.

HEAD, references, index, `info/exclude` and `info/attributes` are copied as data, the stores of objects are borrowed by
link, the configuration is ours. So git answers for the foreign repository and never reads a configuration, hook, attribute
driver, alternate or remote of it. What it says of the work tree is names; contents are read by `harness.repo.guard`.
"""

import os
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.files import displayable
from harness.repo import git
from harness.repo.guard import Entry, Guard, Kind, Unreadable

LONGEST_INDEX = 512 * 1024 * 1024
MOST_REFERENCES = 100_000
_REFERENCE = re.compile(rb"(?:[0-9a-f]{40}(?:[0-9a-f]{24})?|ref: refs/[^\s.][^\s]*)\n?")
_STORE = re.compile(rb"[0-9a-f]{2}|pack")


class Found(NamedTuple):
    """Where a repository is."""

    top: Path
    """Root of its work tree."""
    own: Path
    """Git directory of this work tree."""
    common: Path
    """Git directory that holds references and objects; the same unless the work tree is a linked one."""


class Blob(NamedTuple):
    """One entry of a commit's tree."""

    path: bytes
    mode: str
    """Six octal digits: `100644`, `120000` for a link, `160000` for a submodule."""
    id: str
    size: int


def discover(folder: Path) -> Found | None:
    """The repository whose work tree holds `folder`; None without one, or where its `.git` is not to be trusted.

    A `.git` that is a link is not, nor a file that no linked work tree of another repository answers for, nor one above
    `folder` that belongs to neither us nor the owner of `folder`: its list of ignored files could hide what is audited.
    """
    owners = {os.geteuid(), folder.stat().st_uid}
    for top in (folder, *folder.parents):
        place = top / ".git"
        try:
            status = place.lstat()
        except OSError:
            continue
        if top != folder and status.st_uid not in owners:
            return None
        if stat.S_ISDIR(status.st_mode):
            return Found(top, place, place)
        return _linked(top) if stat.S_ISREG(status.st_mode) else None
    return None


def undiscovered(folder: Path) -> str:
    """Why there is no shadow of a repository around `folder`, as the end of a sentence."""
    if git.binary() is None:
        return "git is not installed"
    for top in (folder, *folder.parents):
        place = top / ".git"
        if place.is_symlink() or place.is_file():
            return f"the .git of {displayable(str(top))} leads elsewhere (a submodule, or a separate git directory)"
        if place.is_dir():
            return f"the repository around {displayable(str(folder))} cannot be read, or belongs to somebody else"
    return "it is in no git repository"


def _linked(top: Path) -> Found | None:
    """A linked work tree: its git directory must name `top` in turn, so that nobody is led into another's repository."""
    try:
        with Guard(top) as guard:
            said = guard.read(b".git", 4096)
        own = (top / os.fsdecode(said.removeprefix(b"gitdir: ").strip())).resolve()
        if not said.startswith(b"gitdir: ") or own.parent.name != "worktrees":
            return None
        with Guard(own) as guard:
            answer = Path(os.fsdecode(guard.read(b"gitdir", 4096).strip())).resolve()
    except (OSError, ValueError, RuntimeError, Unreadable):
        return None
    common = own.parent.parent
    return Found(top, own, common) if answer == top.resolve() / ".git" else None


class Shadow:
    """Made in `home`, an empty folder of the caller's, who removes it. Raises OSError, Unreadable.

    `index` is the name of another index in the git directory: a hook sees the one that is about to be committed. `wide`
    says that ids have 64 digits; else the references tell, as far as there are any.
    """

    def __init__(self, found: Found, home: Path, *, index: str = "index", wide: bool = False) -> None:
        self.top = found.top
        self.gitdir = home
        with Guard(found.own) as own:
            head = own.read(b"HEAD", 4096)
            self._put(b"HEAD", head if _REFERENCE.fullmatch(head) else b"ref: refs/heads/unborn\n")
            names = [e.name for e in own.entries(b"", 10_000) if e.kind is Kind.FILE]
            if index != "index" and os.fsencode(index) not in names:
                raise Unreadable(f"there is no index called {index}")
            for name in names:
                if name == os.fsencode(index):
                    self._put(b"index", own.read(name, LONGEST_INDEX))
                    _same_time(self.gitdir / "index", found.own / index)
                elif name.startswith(b"sharedindex."):
                    self._put(name, own.read(name, LONGEST_INDEX))
        with Guard(found.common) as common:
            self.wide = self._references(common, wide or len(head.strip()) == 64)
            self._borrow(common, found.common)
            for name in (b"packed-refs", b"info/exclude", b"info/attributes", b"shallow"):
                self._copied(common, name)
        self._put(b"config", configuration(wide=self.wide))
        # From the beginning: git also writes objects where it is only asked (a sparse index is unfolded into trees).
        (home / git.WRITTEN).mkdir(exist_ok=True)

    def _put(self, name: bytes, content: bytes) -> None:
        path = self.gitdir / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def _copied(self, guard: Guard, name: bytes) -> None:
        try:
            self._put(name, guard.read(name, LONGEST_INDEX))
        except Unreadable:
            return

    def _references(self, guard: Guard, wide: bool) -> bool:
        """Copy what stands under `refs/`. Returns whether ids have 64 digits."""
        (self.gitdir / "refs").mkdir()
        left = MOST_REFERENCES
        folders = [b"refs"]
        while folders and left > 0:
            folder = folders.pop()
            for entry in _entries(guard, folder, left):
                left -= 1
                path = folder + b"/" + entry.name
                if entry.kind is Kind.FOLDER and path.count(b"/") < 30:
                    folders.append(path)
                elif entry.kind is Kind.FILE and entry.size < 4096:
                    content = guard.read(path, 4096)
                    if _REFERENCE.fullmatch(content):
                        self._put(path, content)
                        wide = wide or len(content.strip()) == 64
        return wide

    def _borrow(self, guard: Guard, common: Path) -> None:
        """Link the stores of objects one by one: a list of further stores in `objects/info` stays out."""
        (self.gitdir / "objects" / "info").mkdir(parents=True)
        for entry in guard.entries(b"objects", 1000):
            if entry.kind is Kind.FOLDER and _STORE.fullmatch(entry.name):
                name = os.fsdecode(entry.name)
                (self.gitdir / "objects" / name).symlink_to(common / "objects" / name)

    # questions

    def commit(self, revision: str) -> str | None:
        """Id of the commit that `revision` names, None when it names none."""
        if not revision or "\0" in revision:
            return None
        try:
            said = git.run(
                ["rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"], gitdir=self.gitdir
            )
        except (git.GitFailed, OSError, ValueError):  # OSError: longer than a command line may be
            return None
        return said.decode("ascii", "replace").strip()

    def names(self) -> list[str]:
        """Branches, remote branches and tags, as people call them."""
        said = git.run(["for-each-ref", "--format=%(refname:lstrip=2)", "--count=5000"], gitdir=self.gitdir)
        return said.decode("utf-8", "replace").splitlines()

    def index(self) -> dict[bytes, str]:
        """Tracked path, from the top -> blob id; a submodule has the id of its commit."""
        return {path: name for path, (_, name) in self.tracked().items()}

    def tracked(self) -> dict[bytes, tuple[str, str]]:
        """Tracked path, from the top -> mode (as in `Blob`) and blob id."""
        said = git.run(["ls-files", "-z", "--stage"], gitdir=self.gitdir, worktree=self.top)
        table = {}
        for row in said.split(b"\0")[:-1]:
            facts, _, path = row.partition(b"\t")
            mode, name, *_ = facts.decode("ascii").split(" ")
            table[path] = (mode, name)
        return table

    def tree(self, commit: str) -> str:
        """Id of a commit's tree. Raises git.GitFailed."""
        return git.run(["rev-parse", "--verify", f"{commit}^{{tree}}"], gitdir=self.gitdir).decode("ascii").strip()

    def staged(self) -> str:
        """Id of the tree that a commit of the index would have. Raises git.GitFailed, also while conflicts are left.

        git writes the index again for that, without a look at the files; so a younger index would take changed ones for clean.
        """
        index, kept = self.gitdir / "index", self.gitdir / "index.kept"
        if index.exists():
            shutil.copy2(index, kept)
        try:
            return git.run(["write-tree"], gitdir=self.gitdir).decode("ascii").strip()
        finally:
            if kept.exists():
                kept.replace(index)

    def patched(self, commit: str, patch: bytes) -> str:
        """Id of the commit's tree with a patch applied; the index is used up for it. Raises git.GitFailed."""
        git.run(["read-tree", commit], gitdir=self.gitdir)
        arguments = ["apply", "--cached", "--whitespace=nowarn", "-"]
        with git.stream(arguments, gitdir=self.gitdir, questions=patch) as answer:
            answer.read()
        return self.staged()

    def merge_base(self, one: str, other: str) -> str | None:
        """The newest common ancestor of two commits, None when they have none."""
        try:
            said = git.run(["merge-base", one, other], gitdir=self.gitdir)
        except git.GitFailed:
            return None
        return said.decode("ascii").split("\n")[0] or None

    def with_trailer(self, key: str) -> str | None:
        """The newest commit up to HEAD whose message ends with a trailer `key`, within the last 10,000."""
        form = f"--format=%H%x1f%(trailers:key={key},valueonly,separator=%x20)"
        said = git.run(["log", "-z", "--max-count=10000", form, "HEAD", "--"], gitdir=self.gitdir)
        for row in said.decode("utf-8", "replace").split("\0"):
            name, _, value = row.partition("\x1f")
            if value.strip():
                return name
        return None

    def untracked(self, folder: bytes) -> list[bytes]:
        """Paths below `folder` ('' for all) that are neither tracked nor ignored; a nested repository ends in `/`."""
        arguments: list[str | bytes] = ["ls-files", "-z", "--others", "--exclude-standard", "--"]
        said = git.run([*arguments, folder] if folder else arguments, gitdir=self.gitdir, worktree=self.top)
        return said.split(b"\0")[:-1]

    def unstaged(self) -> list[bytes]:
        """Tracked paths whose file is not what the index says. Raises git.GitFailed."""
        arguments = ["diff-files", "-z", "--name-only", "--ignore-submodules=all"]
        return git.run(arguments, gitdir=self.gitdir, worktree=self.top).split(b"\0")[:-1]

    def blobs(self, commit: str, *, sizes: bool) -> list[Blob]:
        """The tree of a commit, flat. Sizes are 0 unless asked for: each costs a look at the object."""
        arguments = ["ls-tree", "-r", "-z", *(["-l"] if sizes else []), "--end-of-options", commit]
        said = git.run(arguments, gitdir=self.gitdir)
        found = []
        for row in said.split(b"\0")[:-1]:
            facts, _, path = row.partition(b"\t")
            mode, _, name, *size = facts.split()
            bytes_ = int(size[0]) if size and size[0].isdigit() else 0
            found.append(Blob(path, mode.decode("ascii"), name.decode("ascii"), bytes_))
        return found

    def missing(self, ids: list[str]) -> set[str]:
        """Of these objects those that are not here (a partial clone, a borrowed store). Raises git.GitFailed."""
        questions = "".join(f"{name}\n" for name in ids).encode("ascii")
        said = git.run(["cat-file", "--batch-check=%(objectname)", "--buffer"], gitdir=self.gitdir, questions=questions)
        return {row.split(" ")[0] for row in said.decode("ascii").splitlines() if row.endswith(" missing")}

    def contents(self, blobs: list[Blob]) -> Iterator[tuple[Blob, bytes]]:
        """Contents as stored, in order, never through a filter. Raises git.GitFailed."""
        questions = "".join(f"{blob.id}\n" for blob in blobs).encode("ascii")
        with git.stream(["cat-file", "--batch", "--buffer"], gitdir=self.gitdir, questions=questions) as answer:
            for blob in blobs:
                heading = answer.readline(200).split()
                if len(heading) != 3 or heading[1] != b"blob":
                    raise git.GitFailed(f"git cat-file: object {blob.id} cannot be read")
                size = int(heading[2])
                if size != blob.size:
                    raise git.GitFailed(f"git cat-file: object {blob.id} has another size than its tree says")
                yield blob, answer.read(size)
                answer.read(1)


def _entries(guard: Guard, folder: bytes, limit: int) -> list[Entry]:
    try:
        return guard.entries(folder, limit)
    except Unreadable:
        return []


def _same_time(copy: Path, original: Path) -> None:
    """git takes a file for unchanged when the index is younger than it, so a copy must not be younger than its original."""
    try:
        written = original.lstat().st_mtime_ns
    except OSError:
        return
    os.utime(copy, ns=(written, written))


def configuration(*, wide: bool) -> bytes:
    """The whole configuration of a git directory of ours; `wide` when ids have 64 digits."""
    text = "[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
    return (text + ("[extensions]\n\tobjectformat = sha256\n" if wide else "")).encode()
