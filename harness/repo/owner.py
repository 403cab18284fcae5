"""What the owner of a repository has told git: who commits, what is never added, which filters there are.

git is asked under the owner's own configuration, as in `harness.repo.hooks`. What is asked are values; git runs nothing for
that, and no value is ever run by us.
"""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from harness.errors import UsageError
from harness.files import displayable
from harness.repo import git

_STEERING = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
"""Of the variables that git reads, those that only say who somebody is."""
_CARRIED = ("core.autocrlf", "core.eol", "core.fileMode", "core.ignoreCase", "core.precomposeUnicode")
"""How files are compared and stored; values, never commands."""
_LISTS = {"core.excludesFile": "ignore", "core.attributesFile": "attributes"}
"""Files of the owner's own that say what is never added, and which line ends and filters files have; with their usual names."""


class Identity(NamedTuple):
    """Who commits, each as git writes it into a commit: `Name <address> seconds zone`."""

    author: bytes
    committer: bytes


def identity(top: Path) -> Identity:
    """The owner. Raises UsageError when git does not know."""
    author, committer = (_ask(top, "var", name) for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"))
    if not author or not committer:
        raise UsageError(
            "git does not know who you are, so nothing can be committed",
            hint="git config user.name NAME; git config user.email ADDRESS",
        )
    return Identity(author.strip(), committer.strip())


def settings(top: Path) -> dict[str, str]:
    """How the owner's git looks at files, for our own calls: line ends, modes, attributes, and the list of what is never added."""
    found = {}
    for name in _CARRIED:
        if value := _text(_ask(top, "config", "--get", name)):
            found[name] = value
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path("~/.config").expanduser())
    for name, default in _LISTS.items():
        place = _text(_ask(top, "config", "--get", "--type=path", name))
        found[name] = str(top / place) if place else str(Path(home) / "git" / default)
    return found


def filters(top: Path) -> frozenset[str]:
    """Names of the filters that git would run on contents here."""
    said = _text(_ask(top, "config", "--name-only", "--get-regexp", r"^filter\..*\.(clean|smudge|process)$"))
    return frozenset(line.removeprefix("filter.").rpartition(".")[0] for line in said.splitlines())


def wide(top: Path) -> bool:
    """Whether ids of this repository have 64 digits; before the first commit nothing else tells."""
    return _text(_ask(top, "rev-parse", "--show-object-format")) == "sha256"


def _text(said: bytes) -> str:
    return said.decode("utf-8", "surrogateescape").strip()


def _ask(top: Path, *arguments: str) -> bytes:
    """git's answer, b'' for none."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith("GIT_") or n.startswith(_STEERING)}
    try:
        done = subprocess.run(
            [git.binary() or "git", "-c", "core.fsmonitor=false", *arguments],
            cwd=top, env=kept | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}, capture_output=True, check=False, timeout=30,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"git cannot be asked: {displayable(str(error))}") from error
    return done.stdout if done.returncode == 0 else b""
