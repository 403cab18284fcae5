"""Which environment is meant: the interpreter, its prefix, and the folders of packages that belong to it.

The project's own `.venv` or `venv` when nobody says, because the user made it (one that git tracks is refused, like any
environment of a repository); else the one that is named.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.errors import UsageError
from harness.files import displayable
from harness.repo.environments import NAMES, outside, tracked
from harness.sandbox.python import located

_MAKE = "Make one with `python3 -m venv .venv`, or name one with --python PATH."


class Place(NamedTuple):
    """One environment."""

    python: Path
    """Its interpreter, links kept."""
    prefix: Path
    """Its folder."""
    base: Path
    """The interpreter of the installation that it was made from; its own outside a virtual environment."""
    version: str
    """Of the language."""
    sites: tuple[Path, ...]
    """Folders of packages, first the ones that come first on the path."""

    @property
    def virtual(self) -> bool:
        """Whether it is a virtual environment."""
        return (self.prefix / "pyvenv.cfg").is_file()


def find(root: Path, given: str) -> Place:
    """The environment of the project in `root`, or the one at `given`. Nothing is started.

    Raises UsageError: none there, broken, tracked by git, or the system's own, which its package tool owns.
    """
    named = outside(given, root)
    path = Path(named) if named else _own(root)
    _whole(path)
    python = located(path)
    prefix = python.parent.parent
    settings = _settings(prefix)
    if not settings:
        python = Path(os.path.realpath(python))
        prefix = python.parent.parent
    base = _base(python, settings)
    version = _version(base, settings)
    short = ".".join(version.split(".")[:2])
    sites = [*_sites(prefix, short)]
    if not sites:
        raise UsageError(
            f"{_shown(path)} has no folder of packages for Python {short or '?'}: it is no environment", hint=_MAKE
        )
    if not settings and (owned := next(_managed(prefix, short), None)):
        raise UsageError(
            f"{_shown(python)} is the system's own Python, which the system's package tool owns ({_shown(owned)})",
            hint="Experiments do not belong there. " + _MAKE,
        )
    if settings.get("include-system-site-packages", "").lower() == "true":
        sites += [site for site in _sites(base.parent.parent, short) if site not in sites]
    return Place(python, prefix, base, version, tuple(sites))


def _own(root: Path) -> Path:
    for name in NAMES:
        folder = root / name
        if not (folder / "pyvenv.cfg").is_file():
            continue
        if folder.is_symlink() or tracked(folder):
            raise UsageError(
                f"{_shown(folder)} is part of the repository, which does not choose what is used",
                hint="Make an environment of your own and name it with --python PATH.",
            )
        return folder
    active = os.environ.get("VIRTUAL_ENV")
    hint = f"Name the active one with --python {_shown(Path(active))}" if active else _MAKE
    raise UsageError(f"{_shown(root)} has no virtual environment ({' or '.join(NAMES)})", hint=hint)


def _whole(path: Path) -> None:
    """Raises UsageError for a virtual environment whose interpreter is gone."""
    folder = path if path.is_dir() else path.parent.parent
    links = [folder / "bin" / name for name in ("python", "python3")]
    broken = [p for p in links if p.is_symlink() and not p.exists()]
    if (folder / "pyvenv.cfg").is_file() and not any(p.exists() for p in links):
        gone = f"{_shown(Path(os.path.realpath(broken[0])))} is gone" if broken else "it has no bin/python"
        raise UsageError(
            f"the virtual environment {_shown(folder)} is broken: {gone}",
            hint=f"Make it again: python3 -m venv --clear {_shown(folder)}",
        )


def _settings(prefix: Path) -> dict[str, str]:
    """`pyvenv.cfg`, {} outside a virtual environment."""
    try:
        text = (prefix / "pyvenv.cfg").read_text("utf-8", "replace")
    except OSError:
        return {}
    pairs = (line.partition("=") for line in text.splitlines())
    return {key.strip().lower(): value.strip() for key, equals, value in pairs if equals}


def _base(python: Path, settings: dict[str, str]) -> Path:
    real = Path(os.path.realpath(python))
    home = settings.get("home", "")
    if not home or real.parent == Path(os.path.realpath(home)):
        return real
    found = [Path(home, name) for name in (real.name, "python3", "python")]
    return next((p for p in found if p.is_file()), real)


def _version(base: Path, settings: dict[str, str]) -> str:
    """From the header of the installation, which an upgrade in place changes; else what the environment was made with."""
    short = re.search(r"3\.\d+", Path(os.path.realpath(base)).name)
    folders = sorted((base.parent.parent / "include").glob(f"python{short[0] if short else '3.*'}"))
    for folder in folders:
        try:
            text = (folder / "patchlevel.h").read_text("utf-8", "replace")
        except OSError:
            continue
        if found := re.search(r'#define\s+PY_VERSION\s+"([\w.+]+)"', text):
            return found[1]
    said = settings.get("version") or settings.get("version_info") or ""
    return ".".join(said.split(".")[:3]) or (short[0] if short else "")


def _sites(prefix: Path, short: str) -> Iterator[Path]:
    seen: set[Path] = set()
    kinds = (f"lib*/python{short}/site-packages", f"lib*/python{short}/dist-packages", "lib*/python3/dist-packages")
    for kind in (*kinds, "Lib/site-packages"):
        for site in sorted(prefix.glob(kind)):
            real = site.resolve()
            if real not in seen and site.is_dir():
                seen.add(real)
                yield site


def _managed(prefix: Path, short: str) -> Iterator[Path]:
    """The mark of PEP 668."""
    yield from (p for p in sorted(prefix.glob(f"lib*/python{short}/EXTERNALLY-MANAGED")) if p.is_file())


def _shown(path: Path) -> str:
    short = os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
    return displayable(short, keep="")
