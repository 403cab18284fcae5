"""The history of the pinned commit, for verifiers: which commits touched a file, since when each line stands, what changed.

Messages, authors and dates are never told: they say what somebody wanted, and who hears "security fix" looks less closely.
Answers are functions from text arguments to text, like those of `harness.source.tools`; nothing raises on bad arguments. A
path is one of the pinned files, a revision an id of the history of the pinned commit, and both are looked up before git sees
them. GitPython is asked about a shadow of our own making (`harness.repo.shadow`), so nothing of the repository acts.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import JsonValue

from harness.files import decode_path, displayable
from harness.redact import keeps_secrets
from harness.repo import git as own_git
from harness.repo.guard import Unreadable
from harness.repo.shadow import Shadow, discover
from harness.schema.tree import Tree

if TYPE_CHECKING:
    from git import Commit, Repo
    from git.diff import DiffConstants

COMMITS = 30
"""Commits that one answer lists."""
LINES = 400
LINE_CHARACTERS = 400
LARGEST = 2 << 20
"""Bytes of a file at a revision whose lines are looked at."""
DEEPEST = 10_000
"""Commits back in which a revision is looked for."""

SHORT = 12


class Tool(NamedTuple):
    """One question a model may ask: the fields of `harness.source.tools.Reading`."""

    name: str
    description: str
    parameters: dict[str, JsonValue]
    call: Callable[[Mapping[str, JsonValue]], str]


class History:
    """What may be asked about one pinned commit. Safe to use from several threads: each answer opens its own repository."""

    def __init__(self, tree: Tree, shadow: Shadow, prefix: str) -> None:
        self._tree = tree
        self._head = tree.head or ""
        self._shadow = shadow
        self._prefix = prefix
        self._files = {f.path for f in tree.files if f.language != "binary" and not keeps_secrets(f.path)}

    def log(self, arguments: Mapping[str, JsonValue]) -> str:
        """Ids of the commits that touched a file, newest first, with the number of lines each changed."""

        def rows(repo: "Repo", path: str) -> Iterator[str]:
            for commit in repo.iter_commits(self._head, paths=path, max_count=COMMITS, no_merges=True):
                changed = commit.stats.files.get(path, {"insertions": 0, "deletions": 0})
                yield f"{commit.hexsha[:SHORT]} +{changed['insertions']} -{changed['deletions']}"

        return self._about(arguments, rows) or "error: no commit touched this file"

    def blame(self, arguments: Mapping[str, JsonValue]) -> str:
        """The lines of a file, each with the id of the commit that brought it."""
        first = max(1, _number(arguments, "line", 1) - _number(arguments, "around", 20))
        last = min(first + LINES, _number(arguments, "line", LINES) + _number(arguments, "around", 20))

        def rows(repo: "Repo", path: str) -> Iterator[str]:
            number = 0
            for commit, lines in _blamed(repo, self._head, path):
                for line in lines:
                    number += 1
                    if first <= number <= last:
                        text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
                        yield f"{commit.hexsha[:SHORT]} {number:5} {text[:LINE_CHARACTERS]}"

        return self._about(arguments, rows) or "error: the file has no such line in the pinned commit"

    def diff(self, arguments: Mapping[str, JsonValue]) -> str:
        """What one commit changed in a file."""
        wanted = str(arguments.get("commit", ""))

        def rows(repo: "Repo", path: str) -> Iterator[str]:
            commit = self._commit(repo, wanted)
            if commit is None:
                yield f"error: no commit {displayable(wanted[:60], keep='')!r} in the history of the pinned one"
                return
            if _size(commit, path) > LARGEST or any(_size(parent, path) > LARGEST for parent in commit.parents):
                yield "error: the file is too large to be compared"
                return
            options: dict[str, Any] = {"no_ext_diff": True, "no_textconv": True, "unified": 5}
            before = commit.parents[0] if commit.parents else None
            changes = (
                before.diff(commit, paths=path, create_patch=True, **options)
                if before
                else commit.diff(_nothing(), paths=path, create_patch=True, **options)
            )
            for change in changes:
                patch = change.diff if isinstance(change.diff, bytes) else str(change.diff).encode()
                yield from (line[:LINE_CHARACTERS] for line in patch.decode("utf-8", "replace").splitlines()[:LINES])

        return self._about(arguments, rows) or "error: the commit did not touch this file"

    def _about(self, arguments: Mapping[str, JsonValue], rows: Callable[["Repo", str], Iterator[str]]) -> str:
        path = arguments.get("path")
        if not isinstance(path, str) or path.removeprefix("./") not in self._files:
            return f"error: no file {displayable(str(path)[:80], keep='')!r} in this revision"
        place = self._prefix + os.fsdecode(decode_path(path.removeprefix("./")))
        try:
            with _opened(self._shadow.gitdir) as repo:
                return "\n".join(rows(repo, place))
        except Exception as error:  # noqa: BLE001  # the boundary to a library with errors of many kinds: a tool never raises
            return f"error: git could not tell ({type(error).__name__})"

    def _commit(self, repo: "Repo", wanted: str) -> "Commit | None":
        """The commit of this id, when it is an ancestor of the pinned one."""
        if not 7 <= len(wanted) <= 64 or any(c not in "0123456789abcdef" for c in wanted):
            return None
        for commit in repo.iter_commits(self._head, max_count=DEEPEST):
            if commit.hexsha.startswith(wanted):
                return commit
        return None


def tools(history: History | None) -> tuple[Tool, ...]:
    """What a model is offered; without a history each tool says that there is none, as a recording may want."""
    return (
        Tool("git_log", "Ids of the commits that touched a file, newest first, with the lines each added and removed.",
             _schema({"path": ("string", "File.")}), history.log if history else _none),
        Tool("git_blame", "Lines of a file, each with the id of the commit that brought it.",
             _schema({"path": ("string", "File."), "line": ("integer", "Line in the middle."),
                      "around": ("integer", "Lines before and after.")}), history.blame if history else _none),
        Tool("git_diff", "What one commit changed in a file.",
             _schema({"path": ("string", "File."), "commit": ("string", "Id, as git_log or git_blame tell it.")}),
             history.diff if history else _none),
    )  # fmt: skip


def _none(arguments: Mapping[str, JsonValue]) -> str:
    del arguments
    return "error: this folder has no history"


def open_history(tree: Tree, home: Path) -> History | None:
    """The history of a pinned tree, from a shadow made in `home` (made anew); None without a commit or without git.

    Objects stay where they are, in the audited repository: one that has gone in the meantime is an answer that says so.
    """
    origin = Path(tree.origin)
    folder = origin if origin.is_dir() else origin.parent
    found = discover(folder) if tree.head and folder.is_dir() and own_git.binary() else None
    if found is None:
        return None
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    try:
        shadow = Shadow(found, home)
    except (OSError, Unreadable):
        return None
    if shadow.commit(tree.head or "") != tree.head:
        return None
    prefix = "" if folder == shadow.top else os.fsdecode(folder.relative_to(shadow.top)) + "/"
    return History(tree, shadow, prefix)


@contextmanager
def _opened(gitdir: Path) -> Iterator["Repo"]:
    """The shadow through GitPython, in the environment that our own calls of git have."""
    for name in [n for n in os.environ if n.startswith("GIT_")]:
        del os.environ[name]  # GitPython hands on all there is; only a process of ours is affected
    from git import Repo

    repo = Repo(gitdir)
    try:
        repo.git.update_environment(
            **own_git.environment(gitdir), GIT_DIR=str(gitdir), GIT_LITERAL_PATHSPECS="1", GIT_NO_PAGER="1"
        )
        repo.git.set_persistent_git_options(c=[f"{name}={value}" for name, value in own_git.SETTINGS.items()])
        yield repo
    finally:
        repo.close()


def _schema(fields: Mapping[str, tuple[str, str]]) -> dict[str, JsonValue]:
    properties: dict[str, JsonValue] = {n: {"type": kind, "description": text} for n, (kind, text) in fields.items()}
    return {"type": "object", "properties": properties, "required": ["path"], "additionalProperties": False}


def _blamed(repo: "Repo", revision: str, path: str) -> "list[tuple[Commit, list[str | bytes]]]":
    found: list[Any] = list(repo.blame(revision, path) or ())  # declared as either of the two shapes it can have
    return [(entry[0], entry[1] or []) for entry in found]


def _nothing() -> "DiffConstants":
    from git import NULL_TREE

    return NULL_TREE


def _size(commit: "Commit", path: str) -> int:
    try:
        return int(commit.tree[path].size)
    except KeyError:
        return 0


def _number(arguments: Mapping[str, JsonValue], name: str, default: int) -> int:
    value = arguments.get(name)
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**7 else default
