"""Pythons in which a reproducer can run: the one that the user named, else ours, and the newest one on PATH for projects that
need a newer one."""

import functools
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

from harness.contracts import Bench
from harness.places import home
from harness.sandbox.base import Mount


class Interpreter(NamedTuple):
    """One Python."""

    executable: str
    """What is started."""
    readable: tuple[Path | Mount, ...]
    """Folders that the sandbox must show beyond what it always shows."""
    packages: str
    """Folder of our installed packages, for an interpreter that does not know it; those in C do not load there."""


OURS = Interpreter(sys.executable, (), "")


def candidates() -> tuple[str, ...]:
    """Programs on PATH that are called like a Python newer than ours, newest first; whether they start is not asked."""
    folders = os.pathsep.join(p for p in os.environ.get("PATH", "").split(os.pathsep) if Path(p).is_absolute())
    names = [f"python3.{minor}" for minor in range(sys.version_info.minor + 8, sys.version_info.minor, -1)]
    found = [shutil.which(name, path=folders) for name in names] if folders else []
    return tuple(program for program in found if program)


def chosen(bench: Bench) -> Interpreter:
    """The one that the user named, else ours."""
    return Interpreter(bench.python.executable, bench.python.readable, "") if bench.python else OURS


@functools.cache
def newer() -> Interpreter | None:
    """The newest of the candidates that starts; None when none does. Asked once a process."""
    for found in candidates():
        command = [found, "-I", "-c", "import sys; print(sys.executable); print(sys.base_prefix)"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=20, cwd="/", check=True)
        except (OSError, subprocess.SubprocessError):
            continue
        executable, prefix = done.stdout.splitlines()[:2]
        if Path(prefix) in (home(), Path("/")):
            continue
        return Interpreter(executable, (Path(prefix),), sysconfig.get_path("purelib"))
    return None
