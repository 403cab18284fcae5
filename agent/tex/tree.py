"""The TeX of this machine: its programs, and the trees the sandbox must show."""

import contextlib
import os
import re
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from harness.sandbox.base import Mount

_VARIABLES = ("TEXMFROOT", "TEXMFDIST", "TEXMFMAIN", "TEXMFLOCAL", "TEXMFSYSVAR", "TEXMFSYSCONFIG")
_SHOWN_ANYWAY = Path("/usr")


class TexTree(NamedTuple):
    """The TeX of this machine, as the sandbox must show it."""

    xelatex: str
    """Absolute path of the program."""
    bibtex: str
    """Absolute path of the program, '' when there is none."""
    readable: tuple[Path | Mount, ...]
    """Trees, configuration and fonts outside of what the sandbox shows anyway."""
    configuration: str
    """Search path of texmf.cnf, absolute: the working folder is not in it."""


def tex_tree() -> TexTree:
    """Where this machine's TeX lives. The programs asked are the system's own, in an empty folder and environment."""
    xelatex = program("xelatex")
    kpsewhich = program("kpsewhich")
    values: list[str] = []
    configuration = ""
    if kpsewhich:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            values = [_variable(kpsewhich, name) for name in _VARIABLES]
            configuration = ":".join(p for p in _variable(kpsewhich, "TEXMFCNF").split(":") if Path(p).is_absolute())
    folders = [*values, "/etc/texmf", "/var/lib/texmf", "/etc/fonts", "/var/cache/fontconfig", "/usr/local/share/fonts"]
    shown = dict.fromkeys(Path(f) for f in folders if f and Path(f).is_dir())
    outside = tuple(p for p in shown if not p.is_relative_to(_SHOWN_ANYWAY))
    return TexTree(xelatex, program("bibtex"), outside, configuration)


def _variable(kpsewhich: str, name: str) -> str:
    command = [kpsewhich, f"-var-value={name}"]
    done = subprocess.run(command, capture_output=True, timeout=20, env={"PATH": "/usr/bin:/bin"}, cwd="/", check=False)
    return done.stdout.decode("utf-8", "replace").strip()


def program(name: str) -> str:
    """Absolute path, from absolute entries of PATH only."""
    folders = [p for p in os.environ.get("PATH", "").split(os.pathsep) if Path(p).is_absolute()]
    return (shutil.which(name, path=os.pathsep.join(folders)) or "") if folders else ""


@lru_cache(maxsize=512)
def installed(*names: str) -> tuple[str, ...]:
    """Those of the files (`siunitx.sty`) that TeX would find, in the order given. Names with a path are none."""
    kpsewhich = program("kpsewhich")
    asked = [name for name in names if re.fullmatch(r"[\w.+-]+", name) and not name.startswith("-")]
    if not kpsewhich or not asked:
        return ()
    try:
        done = subprocess.run(
            [kpsewhich, *asked], capture_output=True, timeout=20, env={"PATH": "/usr/bin:/bin"}, cwd="/", check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    found = {Path(line).name for line in done.stdout.decode("utf-8", "replace").splitlines()}
    return tuple(name for name in asked if name in found)
