"""What a file is, by its name and first bytes."""

import fnmatch
from pathlib import PurePosixPath

_SUFFIXES = {
    ".py": "python", ".pyi": "python", ".pyw": "python",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".ts": "typescript", ".tsx": "typescript", ".vue": "html", ".svelte": "html",
    ".html": "html", ".htm": "html", ".jinja": "html", ".jinja2": "html", ".j2": "html",
    ".css": "css", ".md": "markdown", ".markdown": "markdown", ".rst": "rst", ".txt": "text",
    ".toml": "toml", ".yaml": "yaml", ".yml": "yaml", ".json": "json", ".ini": "ini", ".cfg": "ini",
    ".sh": "shell", ".bash": "shell", ".sql": "sql", ".tex": "latex", ".bib": "bibtex", ".xml": "xml",
}  # fmt: skip
_NAMES = {"Dockerfile": "dockerfile", "Makefile": "make", "README": "text", "INSTALL": "text"}
_TEST_NAMES = ("test_*.py", "*_test.py", "conftest.py", "tests.py")
_TEST_FOLDERS = frozenset({"test", "tests", "testing", "__tests__", "spec", "specs"})


def language(path: str, head: bytes) -> str:
    """Language of a file from its record path and its first bytes (4 kB are plenty)."""
    if b"\0" in head:
        return "binary"
    name = PurePosixPath(path).name
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if name in _NAMES:
        return _NAMES[name]
    first = head.split(b"\n", 1)[0]
    if first.startswith(b"#!"):
        return "python" if b"python" in first else "shell" if first.rstrip().endswith(b"sh") else "other"
    return "other"


def is_test(path: str) -> bool:
    """Whether a path is test code by its place or name."""
    parts = PurePosixPath(path).parts
    if any(part.lower() in _TEST_FOLDERS for part in parts[:-1]):
        return True
    return any(fnmatch.fnmatch(parts[-1], pattern) for pattern in _TEST_NAMES) if parts else False
