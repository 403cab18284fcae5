"""Figures a document names, whether they are there, and the box that stands for one that is not."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from agent.tex.source import mask

_GRAPHIC = re.compile(r"\\includegraphics\s*\*?(?:\[[^\]]*\])?\s*\{\s*(?P<path>[^{}#\\]+?)\s*\}")
_FOLDERS = re.compile(r"\\graphicspath\s*\{((?:\s*\{[^{}]*\})+)\s*\}")
_ENDINGS = ("", ".pdf", ".png", ".jpg", ".jpeg", ".eps")
_OF_A_PACKAGE = re.compile(r"^example-(?:image|grid)")


class Graphic(NamedTuple):
    """One `\\includegraphics`."""

    path: str
    """As written."""
    start: int
    """Offset of the command."""
    end: int
    """Offset behind it."""


def graphics(tex: str) -> Iterator[Graphic]:
    """All of them, in order; those whose path is made by a macro are left out."""
    for found in _GRAPHIC.finditer(mask(tex)):
        yield Graphic(found["path"], found.start(), found.end())


def missing(tex: str, work: Path) -> Iterator[Graphic]:
    """Those that are no file below `work`; a path that leads out of it counts as missing whatever is there."""
    folders = [work]
    if found := _FOLDERS.search(mask(tex)):
        folders += [work / name for name in re.findall(r"\{([^{}]*)\}", found[1]) if not _outside(name)]
    for one in graphics(tex):
        if _outside(one.path) or not (_OF_A_PACKAGE.match(one.path) or _there(folders, one.path)):
            yield one


def _outside(name: str) -> bool:
    return name.startswith(("/", "~")) or ".." in Path(name).parts


def _there(folders: list[Path], name: str) -> bool:
    return any((folder / f"{name}{ending}").is_file() for folder in folders for ending in _ENDINGS)


def placeholder(what: str, path: str) -> str:
    """A box that says which file is missing."""
    return rf"\fbox{{\parbox{{0.8\linewidth}}{{\centering Missing {what}: \texttt{{\detokenize{{{path}}}}}}}}}"
