"""What is audited, and why the rest is not. Every reason is text for people.

Rules that a repository could use to hide code are few and visible: whatever they leave out is listed with its reason.
"""

import fnmatch
from collections.abc import Sequence

from harness.languages import language

LARGEST = 2 * 1024 * 1024
"""Bytes of a file."""
MOST_FILES = 50_000
MOST_BYTES = 1024 * 1024 * 1024
"""Of all files together."""
DEEPEST = 64
"""Folders within folders."""
MOST_ENTRIES = 200_000
"""Names looked at in one folder."""

_FOLDERS = {
    ".git": "git data", ".hg": "Mercurial data", ".svn": "Subversion data", ".bzr": "Bazaar data",
    ".harness": "data of this tool",
    ".venv": "virtual environment", "venv": "virtual environment", ".virtualenv": "virtual environment",
    "node_modules": "installed packages", "bower_components": "installed packages", "site-packages": "installed packages",
    "__pypackages__": "installed packages", ".eggs": "installed packages",
    "__pycache__": "cache", ".tox": "cache", ".nox": "cache", ".mypy_cache": "cache", ".ruff_cache": "cache",
    ".pytest_cache": "cache", ".hypothesis": "cache", ".cache": "cache", ".ipynb_checkpoints": "cache",
    ".next": "build output", ".nuxt": "build output", ".svelte-kit": "build output", "htmlcov": "build output",
    ".idea": "editor settings", ".vscode": "editor settings",
    "vendor": "vendored", "_vendor": "vendored", "vendored": "vendored", "third_party": "vendored", "third-party": "vendored",
}  # fmt: skip
_OUTPUT = frozenset({"build", "dist", "target", "out", "_build"})
_MANIFESTS = frozenset(
    {b"pyproject.toml", b"setup.py", b"setup.cfg", b"package.json", b"Makefile", b"Cargo.toml", b"pom.xml", b"conf.py"}
)
_MINIFIED = ("*.min.js", "*.min.css", "*-min.js", "*.min.mjs", "*.bundle.js", "*.js.map", "*.css.map")
_LINE = 1000


class Scope:
    """The rules, with the user's own patterns.

    A pattern with a `/` inside is matched against the path from the root, any other against each name in it; `*` also
    matches `/`. What matches a folder leaves out all below it.
    """

    def __init__(self, exclude: Sequence[str] = ()) -> None:
        self._anchored = [p.strip("/") for p in exclude if "/" in p.strip("/")]
        self._anywhere = [p.strip("/") for p in exclude if p.strip("/") and "/" not in p.strip("/")]

    def folder(self, path: str, siblings: frozenset[bytes] | None, *, tracked: bool) -> str | None:
        """Why a folder is left out as a whole, None when it is not.

        `siblings` are the names beside it where they are known; `tracked` says that git tracks files below it.
        """
        name = path.rpartition("/")[2]
        lowered = name.lower()
        if lowered in (".git", "git~1"):
            return _FOLDERS[".git"]
        if name in _FOLDERS and not (name == "venv" and tracked):  # a package may be called so
            return _FOLDERS[name]
        if name.endswith((".egg-info", ".dist-info")):
            return "installed packages"
        if name in _OUTPUT and not tracked and siblings is not None and siblings & _MANIFESTS:
            return "build output"
        return self._excluded(path)

    def file(self, path: str, size: int) -> str | None:
        """Why a file is left out, by its name and size."""
        name = path.rpartition("/")[2]
        if name.lower() in (".git", "git~1"):
            return _FOLDERS[".git"]
        if (reason := self._excluded(path)) is not None:
            return reason
        if size > LARGEST:
            return "larger than 2 MB"
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in _MINIFIED):
            return "minified"
        return None

    def content(self, path: str, content: bytes) -> str | None:
        """Why a file is left out, by what is in it."""
        kind = language(path, content[:8192])
        if kind == "binary":
            return "binary"
        if kind in ("javascript", "css") and len(content) > 10 * _LINE and len(content) > _LINE * content.count(b"\n"):
            return "minified"
        return None

    def _excluded(self, path: str) -> str | None:
        name = path.rpartition("/")[2]
        for pattern in self._anywhere:
            if fnmatch.fnmatchcase(name, pattern):
                return f"excluded by `{pattern}`"
        for pattern in self._anchored:
            if fnmatch.fnmatchcase(path, pattern):
                return f"excluded by `{pattern}`"
        return None
