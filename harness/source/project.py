"""The audited project as checks and verifiers see it: files by path, modules parsed once and kept while memory allows."""

import fnmatch
import os
import re
from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from harness.files import decode_path
from harness.languages import language
from harness.schema.run import Skip
from harness.schema.tree import FileEntry, Tree
from harness.source.index import Index, build
from harness.source.module import Module
from harness.source.syntax import NotParsed

KEPT_CHARACTERS = 6_000_000
"""Source text whose trees stay in memory: about 80 bytes of tree for a character, so half a gigabyte at most."""


class Project:
    """Read access to a pinned revision. Made once a run; workers inherit it by fork."""

    def __init__(self, tree: Tree, *, keep: int = KEPT_CHARACTERS) -> None:
        self.tree = tree
        self.root = Path(tree.root)
        self.entries: dict[str, FileEntry] = {entry.path: entry for entry in tree.files}
        self.failures: dict[str, str] = {}
        """Python files that do not parse -> why; complete once `modules()` has been walked through."""
        self._keep = keep
        self._modules: OrderedDict[str, Module] = OrderedDict()
        self._kept = 0

    # files

    def paths(self, *languages: str, test: bool | None = None) -> list[str]:
        """Paths in scope, sorted; of these languages when any are given; only (non-)test code when `test` is given."""
        return [
            e.path
            for e in self.tree.files
            if (not languages or e.language in languages) and (test is None or e.test is test)
        ]

    def matching(self, *patterns: str) -> list[str]:
        """Paths that match any `fnmatch` pattern (case-sensitive; `*` also matches `/`)."""
        return [p for p in self.entries if any(fnmatch.fnmatchcase(p, pattern) for pattern in patterns)]

    def left_out(self, path: str) -> Skip | None:
        """Why `path` may be in the repository and not among the files: it, or a folder around it, was left out.

        Long lists of what was left out end in a count; any file may then be one of the rest, unless all of those are
        binary and this is text by its name.
        """
        for skip in self.tree.excluded:
            if skip.path == "./":
                if not skip.reason.startswith("binary") or language(path, b"") == "other":
                    return skip
            elif path == skip.path.rstrip("/") or path.startswith(skip.path.rstrip("/") + "/"):
                return skip
        return None

    def left_out_below(self, tail: str, folder: str) -> Skip | None:
        """The same for a file of which only the end of the path is known, below a folder whose path holds `folder`."""
        for skip in self.tree.excluded:
            if f"/{skip.path}".endswith(f"/{tail}") or (skip.path.endswith("/") and folder in skip.path):
                return skip
        return self.left_out(tail)

    def disk_path(self, path: str) -> Path:
        """Where the copy of `path` lies."""
        return Path(os.fsdecode(os.fsencode(self.root) + b"/" + decode_path(path)))

    def read_bytes(self, path: str) -> bytes:
        """Content of a file in scope. Raises KeyError for any other path."""
        entry = self.entries[path]
        return self.disk_path(entry.path).read_bytes()

    def text(self, path: str) -> str:
        """Content as text: the declared encoding for Python, UTF-8 otherwise; bytes that do not decode become U+FFFD."""
        raw = self.read_bytes(path)
        return decode_source(raw, python=self.entries[path].language == "python")

    def lines(self, path: str) -> list[str]:
        """Lines without line ends, split at \\n, \\r\\n and \\r only."""
        return self.text(path).replace("\r\n", "\n").replace("\r", "\n").split("\n")

    # modules

    def module(self, path: str) -> Module:
        """The parsed module. Raises NotParsed, KeyError."""
        module = self._modules.get(path)
        if module is not None:
            self._modules.move_to_end(path)
            return module
        if path in self.failures:
            raise NotParsed(self.failures[path])
        try:
            module = Module(path, self.text(path), test=self.entries[path].test)
        except NotParsed as error:
            self.failures[path] = str(error)
            raise
        self._modules[path] = module
        self._kept += len(module.text)
        while self._kept > self._keep and len(self._modules) > 1:
            _, old = self._modules.popitem(last=False)
            self._kept -= len(old.text)
        return module

    def modules(self, *, test: bool | None = False) -> Iterator[Module]:
        """Every module that parses, by path; test code only with `test=True`, both with `test=None`.

        What does not parse is noted in `failures` and left out. Keep no references to the modules: they are many.
        """
        for path in self.paths("python", test=test):
            try:
                yield self.module(path)
            except NotParsed:
                continue

    def modules_matching(self, pattern: re.Pattern[bytes], *, test: bool | None = False) -> Iterator[Module]:
        """Modules whose bytes match `pattern`, as `modules` gives them; the others are not even parsed."""
        for path in self.paths("python", test=test):
            if path in self._modules or pattern.search(self.read_bytes(path)):
                try:
                    module = self.module(path)
                except NotParsed:
                    continue
                if pattern.search(module.text.encode("utf-8", "surrogatepass")):
                    yield module

    def module_named(self, name: str) -> Module | None:
        """The module with this dotted name, None when there is none or it does not parse."""
        path = self.index.module_paths.get(name)
        if path is None:
            return None
        try:
            return self.module(path)
        except NotParsed:
            return None

    @cached_property
    def index(self) -> Index:
        """Functions, classes, constants and calls of the whole project (tests included). Built on first use."""
        return build(self.modules(test=None))


def decode_source(raw: bytes, *, python: bool) -> str:
    """Bytes of a source file as text, by PEP 263 for Python."""
    encoding = "utf-8"
    if raw.startswith(b"\xef\xbb\xbf"):
        raw = raw[3:]
    elif python:
        encoding = _declared(raw)
    try:
        return raw.decode(encoding, "replace")
    except LookupError:
        return raw.decode("utf-8", "replace")


def _declared(raw: bytes) -> str:
    for line in raw.split(b"\n", 2)[:2]:
        match = re.match(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)", line)
        if match:
            return match.group(1).decode("ascii")
        if line.strip() and not line.lstrip().startswith(b"#"):
            break
    return "utf-8"
