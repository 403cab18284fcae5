"""Virtual environments in the audited folder: whose they are.

One that git does not track was most likely made by the user, who may want the project's tests run with it; nobody but the
user says so. One that is part of the repository is never used: a repository does not choose what is executed.
"""

import os
import re
import shlex
from pathlib import Path

from harness.errors import UsageError
from harness.files import displayable

NAMES = (".venv", "venv")
"""What people call the environment of a project."""
_LARGEST_INDEX = 256 << 20


def advice(root: Path) -> str:
    """The flag that would have the environment in `root` used, as a sentence; '' when there is none to be advised."""
    for name in NAMES:
        folder = root / name
        made = (folder / "pyvenv.cfg").is_file() and (folder / "bin" / "python").is_file()
        if made and not folder.is_symlink() and not tracked(folder):
            shown = os.path.relpath(folder) if folder.resolve().is_relative_to(Path.cwd()) else str(folder.resolve())
            return displayable(
                f"the project's dependencies may be in its virtual environment: --python {shlex.quote(shown)}"
            )
    return ""


def outside(given: str, root: Path) -> str | None:
    """The path that was given for an interpreter, made absolute, None for ''. Raises UsageError for one that git tracks."""
    if not given:
        return None
    path = Path(os.path.abspath(Path(given).expanduser()))  # noqa: PTH100  # links stay: they make a virtual environment
    if path.is_relative_to(Path(os.path.abspath(root))) and tracked(path):  # noqa: PTH100  # compared with the one above
        raise UsageError(
            f"--python {displayable(given)} is part of the repository, which does not choose what is executed",
            hint="Make an environment of your own and install the project's dependencies there.",
        )
    return str(path)


def tracked(path: Path) -> bool:
    """Whether git tracks `path`, or anything below it, in the work tree around it. No git is run: its index is read."""
    path = Path(os.path.abspath(path))  # noqa: PTH100  # git tracks names, whatever they point to
    top = next((p for p in path.parents if (p / ".git").exists()), None)
    if top is None:
        return False
    try:
        index = _git_folder(top / ".git") / "index"
        if index.stat().st_size > _LARGEST_INDEX:
            return True
        content = index.read_bytes()
    except OSError:
        return False
    if content[4:8] == b"\0\0\0\4" and b"venv.cfg" in content:  # names share beginnings there: be on the safe side
        return True
    name = re.escape(os.fsencode(path.relative_to(top)))
    return re.search(rb"(?<!/)" + name + rb"[/\0]", content) is not None


def _git_folder(path: Path) -> Path:
    """The folder, also where `.git` is a file that names it."""
    if path.is_dir():
        return path
    words = path.read_text("utf-8", "replace")[:4096].strip().removeprefix("gitdir:").strip()
    return path.parent / words
