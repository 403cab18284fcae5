"""pytest and coverage for a Python that lacks them: our own, read-only and behind everything that it has itself.

Only these packages and what they need are shown, never the folder they lie in: a dependency that the project misses must
stay missing, or its tests would run against versions that nobody chose.
"""

from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from harness.sandbox.base import Mount
from harness.sandbox.python import ProjectPython

AT = "/provided"


class Lacking(Exception):
    """The interpreter has not what is needed and ours does not serve; the message says what to install."""


class Provided(NamedTuple):
    """What to show besides the interpreter."""

    readable: tuple[Mount, ...] = ()
    """Packages, each below `path`."""
    path: str = ""
    """Folder to append to `sys.path`, '' when nothing is lacking."""


def provided(python: ProjectPython | None, *names: str) -> Provided:
    """What `python` lacks of `names` (`pytest`, `coverage`); nothing for None, the Python that runs us. Raises Lacking."""
    if python is None:
        return Provided()
    lacking = [name for name in names if not {"pytest": python.pytest, "coverage": python.coverage}[name]]
    found: dict[str, Mount] = {}
    for name in lacking:
        for one in _closure(name, python):
            for top in sorted({Path(f).parts[0] for f in one.files or ()} - {"..", "__pycache__"}):
                source = Path(str(one.locate_file(top)))
                if source.exists():
                    found[top] = Mount(source, f"{AT}/{top}")
    return Provided(tuple(found.values()), AT) if found else Provided()


def _closure(name: str, python: ProjectPython) -> Iterator[Distribution]:
    """The package and what it needs in that Python. Raises Lacking when one of them is not here or not for it."""
    target = {
        "python_version": ".".join(map(str, python.version[:2])),
        "python_full_version": python.number,
        "extra": "",
    }
    wanted, seen = [name], set[str]()
    while wanted:
        this = canonicalize_name(wanted.pop())
        if this in seen:
            continue
        seen.add(this)
        try:
            one = distribution(this)
        except PackageNotFoundError:
            raise Lacking(_advice(name, python, f"{this}, which it needs, is not here")) from None
        asked = one.metadata.json.get("requires_python", "")
        asked = asked if isinstance(asked, str) else ""
        if not SpecifierSet(asked).contains(python.number):
            raise Lacking(_advice(name, python, f"{this} {one.version} needs {asked}"))
        requirements = map(Requirement, one.requires or ())
        wanted += [r.name for r in requirements if r.marker is None or r.marker.evaluate(target)]
        yield one


def _advice(name: str, python: ProjectPython, why: str) -> str:
    return f"{python} has no {name}, and ours does not serve it ({why}): {python.executable} -m pip install pytest coverage"
