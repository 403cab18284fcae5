"""Where git looks for the hooks of a repository: asked of git itself, since the user's own configuration decides.

The only place where a repository's configuration is read on purpose: somebody who sets a hook in it trusts it. What is
asked is a value; git runs nothing for that.
"""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from harness.errors import UsageError
from harness.files import displayable
from harness.repo import git
from harness.repo.shadow import discover, undiscovered


class HooksFolder(NamedTuple):
    """The folder."""

    path: Path
    """Where it is, or would be."""
    top: Path
    """Root of the work tree."""
    configured: bool
    """Whether `core.hooksPath` of the repository names it."""


def hooks_folder(folder: Path) -> HooksFolder:
    """The folder of hooks. Raises UsageError where it is shared with other repositories, or hooks are switched off."""
    found = discover(folder.resolve()) if git.binary() else None
    if found is None:
        raise UsageError(f"{displayable(str(folder))} can have no hook: {undiscovered(folder.resolve())}")
    said = _ask(found.top, "config", "--show-scope", "--get", "--type=path", "core.hooksPath")
    scope, _, value = said.partition("\t")
    if not value:
        return HooksFolder(found.common / "hooks", found.top, configured=False)
    if scope not in ("local", "worktree"):
        raise UsageError(
            f"core.hooksPath is set for all your repositories ({scope}: {displayable(value)})",
            hint="Set one of this repository's own first: git config core.hooksPath .git/hooks",
        )
    path = found.top / value
    if path.exists() and not path.is_dir():
        raise UsageError(f"hooks are switched off here: core.hooksPath is {displayable(value)}")
    return HooksFolder(path, found.top, configured=True)


def _ask(top: Path, *arguments: str) -> str:
    """git's answer under the user's own configuration, '' for none."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        [git.binary() or "git", "-c", "core.fsmonitor=false", *arguments],
        cwd=top, env=inherited | {"GIT_TERMINAL_PROMPT": "0"}, capture_output=True, check=False, timeout=30,
    )  # fmt: skip
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
