"""A throw-away environment layered over a real one: it sees all that the real one has, and takes whatever is installed.

It is a virtual environment of the same installation. A `.pth` file of its own puts the real one's packages behind its own,
so a newer version that an experiment installs wins; pip takes out nothing that lies outside the environment it runs in. The
console scripts of the real one are there too, started with this interpreter. The command itself is trusted like any that
its user types: one that writes into the real environment by path does so, and is told on (`harness.environment.trial`).

A folder belongs to whoever holds its lock, which the command inherits: what a killed process leaves behind is swept by the
next one, and nothing is swept that a command still uses.
"""

import fcntl
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from harness.environment.place import Place
from harness.errors import UsageError
from harness.files import displayable

_PREFIX = "trial-"
_LOCK = ".lock"
_KEPT = ".kept"
_OWN_SCRIPTS = re.compile(r"(?i)python[\d.]*|pip[\d.]*|easy_install[-\d.]*|activate.*|deactivate.*")
_LONG = b"'''exec'"
"""How installers begin the second line of a script whose interpreter's path is too long for the first."""
_STEERING = ("PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_PYTHON", "UV_PYTHON", "CONDA_PREFIX",
             "__PYVENV_LAUNCHER__")  # fmt: skip
"""Variables that would send an installer elsewhere."""


class Disposable(NamedTuple):
    """One, ready for use."""

    folder: Path
    """Its prefix."""
    real: Place
    """What it is layered over."""
    lock: int
    """Descriptor of its lock, for the command to inherit."""

    @property
    def place(self) -> Place:
        """It as an environment: its own packages alone, without those below."""
        own = _site(self.folder)
        return Place(self.folder / "bin" / "python", self.folder, self.real.base, self.real.version, (own,))

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """What a command gets: as if this one were activated and the real one were not."""
        kept = {name: value for name, value in inherited.items() if name not in _STEERING}
        real = {os.path.realpath(self.real.prefix / "bin"), os.path.realpath(self.real.python.parent)}
        folders = inherited.get("PATH", os.defpath).split(os.pathsep)
        if self.real.virtual:
            folders = [f for f in folders if os.path.realpath(f) not in real]
        return kept | {
            "PATH": os.pathsep.join((str(self.folder / "bin"), *folders)),
            "VIRTUAL_ENV": str(self.folder),
            "UV_PROJECT_ENVIRONMENT": str(self.folder),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }

    def keep(self) -> None:
        """Let it stay, also when others sweep. Raises OSError."""
        (self.folder / _KEPT).touch()


@contextmanager
def disposable(real: Place, folder: Path) -> Iterator[Disposable]:
    """One in `folder`, removed at the end of the block unless it was kept. Raises UsageError when it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(folder):
            _sweep(folder)
            at = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
            lock = os.open(at / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError as error:
        raise UsageError(
            f"no disposable environment can be made: {error.strerror or error}",
            hint="Set HARNESS_STATE_DIR to a folder that is writable.",
        ) from error
    try:
        _make(real, at)
        yield Disposable(at, real, lock)
    finally:
        if not (at / _KEPT).exists():
            _remove(at)
        os.close(lock)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Making and sweeping exclude each other: one that has no lock yet is never taken for a leftover."""
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sweep(folder: Path) -> None:
    """Remove what dead processes left."""
    for at in sorted(folder.glob(f"{_PREFIX}*")):
        if not (at / _KEPT).exists() and not at.is_symlink() and not _used(at):
            _remove(at)


def _used(at: Path) -> bool:
    try:
        lock = os.open(at / _LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def _remove(at: Path) -> None:
    """The lock goes last: while anything is left, it can be told whose it is."""
    for inner in at.iterdir():
        if inner.is_dir() and not inner.is_symlink():
            shutil.rmtree(inner, ignore_errors=True)
        elif inner.name != _LOCK:
            with suppress(OSError):
                inner.unlink()
    shutil.rmtree(at, ignore_errors=True)


def _make(real: Place, at: Path) -> None:
    done = subprocess.run(
        [str(real.base), "-I", "-m", "venv", "--without-pip", "--symlinks", str(at)],
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise UsageError(
            displayable(f"{real.base} cannot make a virtual environment: {last[0]}", keep=""),
            hint="It lacks the module venv: on Debian, apt-get install python3-venv.",
        )
    lines = "".join(f"import site; site.addsitedir({str(site)!r})\n" for site in real.sites)
    (_site(at) / "harness-layer.pth").write_text(lines, encoding="utf-8")
    _pip(real, at)
    if real.virtual:
        _scripts(real, at)


def _site(at: Path) -> Path:
    """Raises UsageError where venv made something else."""
    found = sorted(at.glob("lib/python3.*/site-packages"))
    if len(found) != 1:
        raise UsageError(f"{displayable(str(at), keep='')} is no virtual environment of the usual layout")
    return found[0]


def _pip(real: Place, at: Path) -> None:
    """pip of the layer below; where it has none, the one that comes with Python, when it is first called."""
    python = shlex.quote(str(at / "bin" / "python"))
    have = any((site / "pip").is_dir() for site in real.sites)
    first = "" if have else f"{python} -c 'import pip' 2>/dev/null || {python} -I -m ensurepip >/dev/null || exit\n"
    short = ".".join(real.version.split(".")[:2])
    for name in ("pip", "pip3", f"pip{short}"):
        _start(at / "bin" / name, f'{first}exec {python} -m pip "$@"\n')


def _scripts(real: Place, at: Path) -> None:
    """Console scripts of the real environment, started with this interpreter; programs of other kinds as they are."""
    theirs = str(real.prefix / "bin").encode()
    for script in sorted((real.prefix / "bin").iterdir()):
        target = at / "bin" / script.name
        if _OWN_SCRIPTS.fullmatch(script.name) or target.exists() or not script.is_file():
            continue
        with script.open("rb") as stream:
            text = stream.read() if stream.read(2) == b"#!" else b""
        first, _, rest = text.partition(b"\n")
        second = rest.partition(b"\n")[0]
        if theirs + b"/python" in first:
            body = rest
        elif first.strip() == b"/bin/sh" and second.startswith(_LONG) and theirs + b"/python" in second:
            body = rest.split(b"\n", 2)[-1]
        else:
            target.symlink_to(script)
            continue
        python = shlex.quote(str(at / "bin" / "python"))
        start = f"#!/bin/sh\n'''exec' {python} \"$0\" \"$@\"\n' '''\n".encode()
        target.write_bytes(start + body)
        target.chmod(0o755)


def _start(at: Path, command: str) -> None:
    at.write_text(f"#!/bin/sh\n{command}", encoding="utf-8")
    at.chmod(0o755)
