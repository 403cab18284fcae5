"""Read-only tools over the pinned revision, as functions from text arguments to text. Nothing here raises on bad arguments.

Paths are record paths and are looked up in the list of pinned files, so there is no way to any other file: an absolute
path, `..` and a link are simply not in the list.
"""

import fnmatch
import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from pydantic import JsonValue

from harness.redact import keeps_secrets
from harness.source.project import Project

READ_LINES = 400
MATCHES = 60
LINE_CHARACTERS = 400
PATTERN_CHARACTERS = 300


class Reading(NamedTuple):
    """One tool: what the model is told and what it does."""

    name: str
    description: str
    parameters: dict[str, JsonValue]
    call: Callable[[Mapping[str, JsonValue]], str]


def tools(project: Project) -> tuple[Reading, ...]:
    """All tools over one revision."""
    reader = _Reader(project)
    return (
        Reading("list_dir", "Files and folders directly below a folder of the repository.",
                _schema({"path": ("string", "Folder; empty for the root.")}, required=()), reader.list_dir),
        Reading("read_file", f"Numbered lines of a file, at most {READ_LINES} at once; continue with offset.",
                _schema({"path": ("string", "File."), "offset": ("integer", "First line, from 1."),
                         "limit": ("integer", "Number of lines.")}, required=("path",)), reader.read_file),
        Reading("grep", "Lines that match a regular expression, as path:line: text.",
                _schema({"pattern": ("string", "Python regular expression."),
                         "paths": ("string", "Restrict to paths that match this pattern, such as src/*.py.")},
                        required=("pattern",)), reader.grep),
        Reading("find_symbol", "Where a function, method or class is defined in Python code.",
                _schema({"name": ("string", "Name, or dotted name.")}, required=("name",)), reader.find_symbol),
        Reading("callers", "Places that call a function or method.",
                _schema({"name": ("string", "Name, or dotted name.")}, required=("name",)), reader.callers),
    )  # fmt: skip


def _schema(fields: Mapping[str, tuple[str, str]], *, required: tuple[str, ...]) -> dict[str, JsonValue]:
    properties: dict[str, JsonValue] = {n: {"type": kind, "description": text} for n, (kind, text) in fields.items()}
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


class _Reader:
    def __init__(self, project: Project) -> None:
        self._project = project

    def list_dir(self, arguments: Mapping[str, JsonValue]) -> str:
        folder = _text(arguments, "path").strip("/")
        prefix = "" if folder in {"", "."} else folder + "/"
        below = [p[len(prefix) :] for p in self._project.entries if p.startswith(prefix)]
        if not below:
            return f"error: no folder {folder!r} in this revision"
        names = sorted({name.split("/", 1)[0] + ("/" if "/" in name else "") for name in below})
        return "\n".join(names)

    def read_file(self, arguments: Mapping[str, JsonValue]) -> str:
        path = _text(arguments, "path").removeprefix("./")
        entry = self._project.entries.get(path)
        if entry is None:
            return f"error: no file {path!r} in this revision{self._near(path)}"
        if entry.language == "binary":
            return f"error: {path} is a binary file"
        if keeps_secrets(path):
            return f"error: {path} is a place for credentials and is not shown"
        lines = self._project.lines(path)
        start = max(1, _number(arguments, "offset", 1))
        count = min(READ_LINES, max(1, _number(arguments, "limit", READ_LINES)))
        if start > len(lines):
            return f"error: {path} has {len(lines)} lines"
        part = lines[start - 1 : start - 1 + count]
        text = "\n".join(f"{n:5} {line[:LINE_CHARACTERS]}" for n, line in enumerate(part, start))
        end = start - 1 + len(part)
        return text if end >= len(lines) else f"{text}\n[{len(lines)} lines in all; continue with offset={end + 1}]"

    def grep(self, arguments: Mapping[str, JsonValue]) -> str:
        pattern = _text(arguments, "pattern")[:PATTERN_CHARACTERS]
        try:
            wanted = re.compile(pattern)
        except (re.error, RecursionError) as error:
            return f"error: not a regular expression: {error}"
        if _explosive(pattern):
            return "error: nested repetition can take for ever; write a simpler pattern"
        glob = _text(arguments, "paths") or "*"
        found: list[str] = []
        for path, entry in self._project.entries.items():
            if entry.language == "binary" or keeps_secrets(path) or not fnmatch.fnmatchcase(path, glob):
                continue
            for number, line in enumerate(self._project.lines(path), 1):
                if wanted.search(line[:LINE_CHARACTERS]):
                    found.append(f"{path}:{number}: {line.rstrip()[:LINE_CHARACTERS]}")
                    if len(found) >= MATCHES:
                        return "\n".join([*found, f"[first {MATCHES} matches; narrow the pattern or the paths]"])
        return "\n".join(found) or "no match"

    def find_symbol(self, arguments: Mapping[str, JsonValue]) -> str:
        name = _text(arguments, "name")
        index = self._project.index
        last = name.rpartition(".")[2]
        found = [f"{f.path}:{f.line}: {'async ' if f.is_async else ''}def {f.qualname}({', '.join(f.parameters)})"
                 for f in index.by_simple_name.get(last, []) if f.name.endswith(name)]  # fmt: skip
        found += [f"{c.path}:{c.line}: class {c.name}({', '.join(c.bases)})" for c in index.classes.values()
                  if c.name.rpartition(".")[2] == last and c.name.endswith(name)]  # fmt: skip
        return "\n".join(found[:MATCHES]) or f"no function or class {name!r}"

    def callers(self, arguments: Mapping[str, JsonValue]) -> str:
        name = _text(arguments, "name")
        index = self._project.index
        functions = [f for f in index.by_simple_name.get(name.rpartition(".")[2], []) if f.name.endswith(name)]
        if not functions:
            return f"no function {name!r}"
        calls = {(c.path, c.line, c.caller) for f in functions for c in index.callers(f)}
        rows = [
            f"{path}:{line}: in {caller or 'module level'}: {self._line(path, line)}"
            for path, line, caller in sorted(calls)
        ]
        return "\n".join(rows[:MATCHES]) or f"nobody in this revision calls {name!r}"

    def _line(self, path: str, line: int) -> str:
        lines = self._project.lines(path)
        return lines[line - 1].strip()[:LINE_CHARACTERS] if line <= len(lines) else ""

    def _near(self, path: str) -> str:
        name = PurePosixPath(path).name
        same = [p for p in self._project.entries if PurePosixPath(p).name == name][:3]
        return f"; there is {', '.join(same)}" if same else ""


def _text(arguments: Mapping[str, JsonValue], name: str) -> str:
    value = arguments.get(name)
    return value if isinstance(value, str) else ""


def _number(arguments: Mapping[str, JsonValue], name: str, default: int) -> int:
    value = arguments.get(name)
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _explosive(pattern: str) -> bool:
    """A repetition inside a repetition: the usual cause of exponential time."""
    return re.search(r"\([^)]*[*+}][^)]*\)\s*[*+{]", pattern) is not None
