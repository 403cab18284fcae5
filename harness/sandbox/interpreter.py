"""Which folders a Python needs, wherever it is installed, and nothing of the home it may lie in."""

import os
import site
import sys
from collections.abc import Iterable
from pathlib import Path

from harness.places import home
from harness.sandbox.base import Mount

_SYSTEM = "/usr"


def interpreter_mounts() -> tuple[Mount, ...]:
    """Prefixes, package folders and link stations of `sys.executable` outside `/usr`, each at its own path.

    A folder that holds a whole home is never among them; a single file is taken instead.
    """
    wanted = [Path(p) for p in (sys.base_prefix, sys.base_exec_prefix, sys.prefix, sys.exec_prefix)]
    if site.ENABLE_USER_SITE and site.getusersitepackages() in sys.path:
        wanted.append(Path(site.getusersitepackages()))
    return mounts_of(Path(sys.executable), wanted)


def mounts_of(executable: Path, folders: Iterable[Path] = ()) -> tuple[Mount, ...]:
    """`folders`, and what each link on the way from `executable` needs, outside `/usr`, each at its own path.

    A folder that holds a whole home is never among them; a single file is taken instead.
    """
    wanted = list(folders)
    for station in stations(executable):
        prefix = prefix_of(station)
        wanted.append(prefix if prefix is not None and not _too_much(prefix) else station)
    found: dict[str, Mount] = {}
    for path in wanted:
        at = os.path.normpath(path)
        if path.exists() and not _covered(at, found) and not _too_much(Path(at)):
            found[at] = Mount(Path(os.path.realpath(path)), at)
    return tuple(found.values())


def stations(executable: Path) -> list[Path]:
    """The executable, and each link on the way to the real one."""
    found = [executable]
    while executable.is_symlink() and len(found) < 16:
        target = executable.readlink()
        executable = target if target.is_absolute() else executable.parent / target
        found.append(executable)
    return found


def prefix_of(executable: Path) -> Path | None:
    """The folder of the installation or virtual environment that an executable lies in, None where it lies in none."""
    prefix = executable.parent.parent
    return prefix if any(prefix.glob("lib*/python3.*")) else None


def _covered(path: str, mounts: dict[str, Mount]) -> bool:
    return any(path == at or path.startswith(at + "/") for at in (_SYSTEM, *mounts))


def _too_much(path: Path) -> bool:
    own = home()
    homes = (own, own.resolve()) if own else ()
    return any(path == big or path in big.parents for big in (*homes, Path("/root"), Path("/home")))
