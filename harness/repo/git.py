"""The one place that runs git: arguments in a list, an environment of ours, a time limit, a limit on what it says.

git is run on repositories of our own making only (`harness.repo.shadow`); nothing here makes a foreign `.git` safe.
"""

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from harness.files import displayable

SECONDS = 120.0
OUTPUT = 256 * 1024 * 1024
WRITTEN = "written"
_KEPT = ("PATH", "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "TEMP", "TMP", "TMPDIR")
SETTINGS = {
    "core.symlinks": "false",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.splitIndex": "false",
    "core.quotePath": "false",
    "safe.bareRepository": "explicit",
    "safe.directory": "*",
    "protocol.allow": "never",
    "submodule.recurse": "false",
}


class GitFailed(Exception):
    """git is not there, failed, took too long or said too much. The message is one line, safe to show."""


def environment(home: Path) -> dict[str, str]:
    """What git gets: nothing inherited that could steer it, no file of the system or the user.

    New objects go to the folder `WRITTEN` of the git directory `home` where there is one, never to a borrowed store.
    """
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    if (home / WRITTEN).is_dir():
        kept |= {"GIT_OBJECT_DIRECTORY": str(home / WRITTEN), "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(home / "objects")}
    return kept | {
        "HOME": str(home),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_ALLOW_PROTOCOL": "file",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
    }


def binary() -> str | None:
    """Where git is, by the absolute folders of PATH; None when there is none."""
    folders = [f for f in os.environ.get("PATH", "").split(os.pathsep) if Path(f).is_absolute()]
    return shutil.which("git", path=os.pathsep.join(folders))


def run(
    arguments: Sequence[str | bytes],
    *,
    gitdir: Path,
    worktree: Path | None = None,
    questions: bytes = b"",
    settings: Mapping[str, str] = {},
    output: int = OUTPUT,
) -> bytes:
    """What git says. Raises GitFailed."""
    asked = stream(arguments, gitdir=gitdir, worktree=worktree, questions=questions, settings=settings)
    with asked as answer:
        said = answer.read(output + 1)
        if len(said) > output:
            raise GitFailed(f"git {_verb(arguments)} said more than {output} bytes")
    return said


@contextmanager
def stream(
    arguments: Sequence[str | bytes],
    *,
    gitdir: Path,
    worktree: Path | None = None,
    questions: bytes = b"",
    settings: Mapping[str, str] = {},
    seconds: float = SECONDS,
) -> Iterator[IO[bytes]]:
    """git at work: what it says, to be read in the body. Raises GitFailed at the end when it did not succeed.

    `settings` are added to ours and outrank them.
    """
    git = binary()
    if git is None:
        raise GitFailed("git is not installed")
    command: list[str | bytes] = [git, "--no-pager", "--literal-pathspecs", f"--git-dir={gitdir}"]
    if worktree is not None:
        command.append(f"--work-tree={worktree}")
    for name, value in (SETTINGS | dict(settings)).items():
        command += ["-c", f"{name}={value}"]
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as complaints:
        asked.write(questions)
        asked.seek(0)
        process = subprocess.Popen(
            [*command, *arguments],
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=environment(gitdir),
            cwd=gitdir,
        )
        late = threading.Event()
        timer = threading.Timer(seconds, _stop, (process, late))
        timer.start()
        try:
            with process, process.stdout or asked as answer:
                try:
                    yield answer
                except BaseException:
                    process.kill()
                    raise
        finally:
            timer.cancel()
        if late.is_set():
            raise GitFailed(f"git {_verb(arguments)} took longer than {seconds:g} s")
        if process.returncode:
            complaints.seek(0)
            raise GitFailed(f"git {_verb(arguments)}: {_first_line(complaints.read(4096)) or process.returncode}")


def _stop(process: "subprocess.Popen[bytes]", late: threading.Event) -> None:
    late.set()
    process.kill()


def _verb(arguments: Sequence[str | bytes]) -> str:
    return os.fsdecode(arguments[0])


def _first_line(complaints: bytes) -> str:
    lines = complaints.decode("utf-8", "replace").strip().splitlines()
    return displayable(lines[0]) if lines else ""
