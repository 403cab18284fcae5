"""The Python that the user names for the code of the project: where it is, what it needs to be seen inside, what is in it.

It is only ever started in the sandbox, also to be asked for its version: an environment that lies in the audited folder may
have been put there by whoever wrote the rest of it.
"""

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

from harness.errors import UsageError
from harness.files import displayable, sha256
from harness.sandbox.base import Limits, Mount, Sandbox
from harness.sandbox.interpreter import mounts_of, prefix_of, stations

OLDEST = (3, 8)
"""What runs inside is written for this version and newer ones."""
_HINT = "Name an interpreter or a virtual environment that has the project's dependencies, such as --python .venv"
_PROBE = """
import sys
said = {"version": list(sys.version_info[:3]), "prefix": sys.prefix, "packages": {}, "digest": ""}
if sys.version_info >= (3, 8):
    import hashlib
    from importlib.metadata import distributions
    found = []
    for one in distributions():
        name, listed = one.metadata["Name"] or "", one.read_text("RECORD") or one.read_text("METADATA") or ""
        found.append("%s %s %s" % (name, one.version, hashlib.sha256(listed.encode()).hexdigest()))
        if name.lower() in ("pytest", "coverage"):
            said["packages"][name.lower()] = one.version
    said["digest"] = hashlib.sha256(chr(10).join(sorted(found)).encode()).hexdigest()
import json
print(json.dumps(said))
"""


class ProjectPython(NamedTuple):
    """An interpreter that was found to start in the sandbox."""

    executable: str
    """Absolute path, the same inside."""
    version: tuple[int, int, int]
    """Of the language."""
    readable: tuple[Mount, ...]
    """What the sandbox must show of it: its prefix and that of the installation below it, nothing around them."""
    pytest: str
    """Version of its own pytest, '' when it has none."""
    coverage: str
    """Version of its own coverage, '' when it has none."""
    digest: str
    """Changes with the version and with what is installed; part of cache keys."""

    def __str__(self) -> str:
        return displayable(f"Python {self.number} at {self.executable}")

    @property
    def number(self) -> str:
        """`3.12.1`."""
        return ".".join(map(str, self.version))


class _Said(BaseModel):
    version: tuple[int, int, int]
    prefix: str
    packages: dict[str, str]
    digest: str


def located(given: Path) -> Path:
    """The interpreter that a path names: itself, or the one of the virtual environment that it is. Nothing is started.

    Raises UsageError: not there, not an interpreter, or where other users of the machine could exchange it.
    """
    path = Path(os.path.abspath(given.expanduser()))  # noqa: PTH100  # links stay: they make a virtual environment
    if path.is_dir():
        inside = [path / "bin" / name for name in ("python", "python3")]
        found = next((p for p in inside if p.is_file()), None)
        if found is None:
            raise UsageError(f"--python {displayable(str(given))}: there is no bin/python in this folder", hint=_HINT)
        path = found
    if not path.is_file():
        raise UsageError(f"--python {displayable(str(given))}: there is no such file or folder", hint=_HINT)
    if not os.access(path, os.X_OK):
        raise UsageError(f"--python {displayable(str(given))}: it is not executable", hint=_HINT)
    for station in stations(path):
        open_one = _open_to_others(station)
        if open_one is not None:
            raise UsageError(
                f"--python {displayable(str(given))}: other users of this machine can exchange {displayable(str(open_one))}",
                hint="Use an environment in a folder that only you can write to.",
            )
    return path


def examine(given: Path, sandbox: Sandbox) -> ProjectPython:
    """The interpreter as it shows itself in the sandbox. Raises UsageError, SandboxUnavailable."""
    path = located(given)
    readable = mounts_of(path, _prefixes(path))
    done = sandbox.run([str(path), "-I", "-c", _PROBE], readable=readable, limits=Limits(wall_s=60))
    try:
        said = _Said.model_validate_json(done.stdout)
    except ValidationError as error:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit code {done.returncode}"]
        raise UsageError(
            displayable(f"--python {given}: it does not start in the sandbox: {words[-1][:200]}"), hint=_HINT
        ) from error
    number = ".".join(map(str, said.version))
    if said.version[:2] < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise UsageError(
            f"--python {displayable(str(given))}: it is Python {number}; {oldest} or newer is needed", hint=_HINT
        )
    versions = {name: said.packages.get(name, "") for name in ("pytest", "coverage")}
    digest = sha256("\0".join((str(path), number, *(str(m.source) for m in readable), said.digest)))
    for name, version in versions.items():
        if not re.fullmatch(r"[\w.+!-]{0,40}", version):
            raise UsageError(f"--python {displayable(str(given))}: it names no version of {name}", hint=_HINT)
    return ProjectPython(str(path), said.version, readable, versions["pytest"], versions["coverage"], digest)


def _prefixes(executable: Path) -> list[Path]:
    """The installation that a virtual environment made of copies was made from, by its own word."""
    try:
        text = (executable.parent.parent / "pyvenv.cfg").read_text("utf-8", "replace")
    except OSError:
        return []
    home = re.search(r"^home\s*=\s*(/.*\S)\s*$", text, re.MULTILINE)
    prefix = prefix_of(Path(home.group(1), "python3")) if home else None
    return [prefix] if prefix is not None else []


def _open_to_others(path: Path) -> Path | None:
    """The first part of a path that somebody other than root and us could exchange, None when there is none."""
    parts = (path, *path.parents)
    for part, above in zip(parts, (*path.parents, None), strict=True):
        state = part.lstat()
        if not stat.S_ISLNK(state.st_mode) and state.st_mode & stat.S_IWOTH and not state.st_mode & stat.S_ISVTX:
            return part
        shared = above is not None and above.lstat().st_mode & stat.S_IWOTH
        if shared and state.st_uid not in (0, os.geteuid()):
            return part
    return None
