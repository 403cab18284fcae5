"""Which folders the Python that runs us needs, wherever it is installed, and nothing of the home it may lie in."""

import os
import site
import sys
from pathlib import Path

from harness.sandbox.base import Mount

_SYSTEM = "/usr"


def interpreter_mounts() -> tuple[Mount, ...]:
    """Prefixes, package folders and link stations of `sys.executable` outside `/usr`, each at its own path.

    A folder that holds a whole home is never among them; a single file is taken instead.
    """
    wanted = [Path(p) for p in (sys.base_prefix, sys.base_exec_prefix, sys.prefix, sys.exec_prefix)]
    if site.ENABLE_USER_SITE and site.getusersitepackages() in sys.path:
        wanted.append(Path(site.getusersitepackages()))
    wanted += _stations(Path(sys.executable))
    found: dict[str, Mount] = {}
    for path in wanted:
        at = os.path.normpath(path)
        if path.exists() and not _covered(at, found) and not _too_much(Path(at)):
            found[at] = Mount(Path(os.path.realpath(path)), at)
    return tuple(found.values())


def _stations(executable: Path) -> list[Path]:
    """What each link on the way to the real executable needs: its prefix, or the file where that is no prefix."""
    found = []
    for _ in range(16):
        prefix = executable.parent.parent
        found.append(prefix if any(prefix.glob("lib*/python3.*")) else executable)
        if not executable.is_symlink():
            break
        target = executable.readlink()
        executable = target if target.is_absolute() else executable.parent / target
    return found


def _covered(path: str, mounts: dict[str, Mount]) -> bool:
    return any(path == at or path.startswith(at + "/") for at in (_SYSTEM, *mounts))


def _too_much(path: Path) -> bool:
    home = Path.home()
    return any(path == big or path in big.parents for big in (home, home.resolve(), Path("/root"), Path("/home")))
