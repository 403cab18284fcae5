"""Whether a change is about one thing: files tied by folder, import, or name, and the commands that split what is not.

Two files belong together when they are in one folder, when one imports the other, when one has the other's file name in
its text, or when their names are the same but for `test_`. Documents and settings go with anything. Only files of the
change are looked at, so what is tied through a third file counts as two.
"""

import ast
import re
import shlex
import warnings
from collections.abc import Iterator, Mapping, Sequence

from harness.checkpoint.records import Part
from harness.files import decode_path

MOST_FILES = 400
"""Beyond that no advice is given: it is an import of something, or a sweep over everything."""
LARGEST = 512 * 1024
"""Bytes of a file whose text is looked at."""
_ACCOMPANY = (".md", ".rst", ".txt", ".toml", ".cfg", ".ini", ".lock", ".json", ".yml", ".yaml", ".svg", ".png", ".gitignore",
              ".gitattributes", "LICENSE")  # fmt: skip
_COMMON = frozenset({"__init__", "__main__", "conftest", "index", "main", "setup", "plugin", "types", "utils"})
_SHOWN = 6


def parts(files: Sequence[str], texts: Mapping[str, str]) -> tuple[Part, ...]:
    """Groups of the record paths `files` that have nothing to do with each other, largest first; () when it is one.

    `texts` holds the contents that could be read. What goes with anything is in the first group.
    """
    if len(files) > MOST_FILES:
        return ()
    code = [f for f in files if not f.endswith(_ACCOMPANY)]
    groups = _Groups(code)
    folders: dict[str, str] = {}
    stems: dict[str, str] = {}
    for file in code:
        groups.join(file, folders.setdefault(file.rpartition("/")[0], file))
        if (stem := _stem(file)) not in _COMMON:
            groups.join(file, stems.setdefault(stem, file))
    modules = {name: file for file in code for name in _modules(file)}
    names = {file.rpartition("/")[2]: file for file in code}
    for file in code:
        text = texts.get(file, "")
        for name in _imported(file, text):
            if (target := _target(name, modules)) is not None:
                groups.join(file, target)
        for name in set(re.findall(r"[\w-]+\.[A-Za-z]{1,5}\b", text)) & names.keys():
            groups.join(file, names[name])
    found = groups.all()
    if len(found) < 2:
        return ()
    others = [f for f in files if f.endswith(_ACCOMPANY)]
    found = [sorted([*found[0], *others]), *found[1:]]
    return tuple(Part(name=_name(group), files=tuple(group)) for group in found)


def commands(found: Sequence[Part], commit: str) -> tuple[str, ...]:
    """Commands that make one checkpoint a part out of the checkpoint `commit`, the newest; () where a name is not text."""
    if len(found) < 2 or any("\\x" in file for part in found for file in part.files):
        return ()
    first, *others = found
    lines = ["git reset --soft HEAD~1"]
    lines += [f"git restore --staged -- {_paths(part, found)}" for part in others]
    lines.append(f"harness checkpoint -m {shlex.quote(first.name)}")
    for part in others:
        lines.append(f"git restore --staged --source={commit[:12]} -- {_paths(part, found)}")
        lines.append(f"harness checkpoint -m {shlex.quote(part.name)}")
    return tuple(lines)


class _Groups:
    """Union of files into groups."""

    def __init__(self, files: Sequence[str]) -> None:
        self._above = {file: file for file in files}

    def root(self, file: str) -> str:
        while self._above[file] != file:
            file = self._above[file]
        return file

    def join(self, one: str, other: str) -> None:
        a, b = sorted((self.root(one), self.root(other)))
        self._above[b] = a

    def all(self) -> list[list[str]]:
        """Largest first, then by name."""
        found: dict[str, list[str]] = {}
        for file in sorted(self._above):
            found.setdefault(self.root(file), []).append(file)
        return sorted(found.values(), key=lambda group: (-len(group), group))


def _stem(file: str) -> str:
    stem = file.rpartition("/")[2].partition(".")[0]
    return stem.removeprefix("test_").removesuffix("_test")


def _modules(file: str) -> Iterator[str]:
    """Dotted names by which a Python file may be imported: its path, and each end of it that still has a package."""
    if not file.endswith(".py"):
        return
    dotted = file.removesuffix(".py").removesuffix("/__init__").split("/")
    yield ".".join(dotted)
    if dotted[0] in ("src", "lib", "python") and len(dotted) > 1:
        yield ".".join(dotted[1:])


def _imported(file: str, text: str) -> Iterator[str]:
    """Absolute dotted names that a Python file imports, also inside functions."""
    if not file.endswith(".py") or not text:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    here = file.split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)
            yield base


def _target(name: str, modules: Mapping[str, str]) -> str | None:
    """The file that a dotted name is in."""
    while name:
        if name in modules:
            return modules[name]
        name = name.rpartition(".")[0]
    return None


def _name(group: Sequence[str]) -> str:
    """The folder that all of a group's code is in, else that of its first file, else the file."""
    code = [f for f in group if not f.endswith(_ACCOMPANY)]
    folders = [f.split("/")[:-1] for f in code]
    shared = []
    for level in zip(*folders, strict=False):
        if len(set(level)) > 1:
            break
        shared.append(level[0])
    return "/".join(shared or folders[0]) or code[0]


def _paths(part: Part, found: Sequence[Part]) -> str:
    """Its files for a shell; a folder for more than a few, where no other part has files below it."""
    files = list(part.files)
    if len(files) > _SHOWN:
        folders = sorted({file.rpartition("/")[0] for file in files})
        others = [file for other in found if other is not part for file in other.files]
        alone = all(f and not any(file.startswith(f + "/") for file in others) for f in folders)
        files = [f + "/" for f in folders] if alone else files
    return " ".join(shlex.quote(":(top,literal)" + decode_path(file).decode()) for file in files)
