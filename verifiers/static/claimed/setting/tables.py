"""Passwords in files that are no Python: XML, YAML, JSON, INI, environment files, SQL, scripts."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.project import Project
from verifiers.static.claimed.setting.place import HALF
from verifiers.static.claimed.setting.shapes import ADDRESS, LONG_TEXT
from verifiers.static.claimed.setting.words import (
    DEVELOPMENT,
    SECRET,
    credential,
    is_digest,
    is_made_up,
    is_placeholder,
    opens,
)
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_ELEMENT = re.compile(r"<(?P<name>[\w:.-]+)[^<>]*>(?P<text>[^<>]+)</(?P=name)>")
_PAIR = re.compile(
    r"""(?<![\w<])["']?(?P<name>[\w.-]+)["']?\s*[:=]\s*(?:"(?P<a>[^"]*)"|'(?P<b>[^']*)'|(?P<c>[^\s"',;#{}\[\]()<>]+))"""
)
_DATA = re.compile(r"\.(?:xml|ya?ml|json|ini|cfg|conf|toml|properties|env)$|(?:^|/)\.env[^/]*$", re.IGNORECASE)
_SCRIPT = re.compile(r"\.(?:js|ts|jsx|tsx|mjs|php|rb|java|go|sh)$", re.IGNORECASE)
_SEED = re.compile(r"\binsert\s+into\b|identified\s+by|\bpassword\b", re.IGNORECASE)


class Entry(NamedTuple):
    """A name with its text."""

    line: int
    name: str
    text: str


def entries(lines: list[str], *, quoted: bool) -> Iterator[Entry]:
    """Names and texts, line by line; only texts in quotes where `quoted`."""
    for number, line in enumerate(lines, 1):
        for found in _ELEMENT.finditer(line):
            yield Entry(number, found["name"], found["text"].strip())
        for pair in _PAIR.finditer(line):
            text = pair["a"] or pair["b"] or (pair["c"] if not quoted else "") or ""
            if text:
                yield Entry(number, pair["name"], text)


def secret(finding: Finding, project: Project) -> Ruling:
    """A password or key of a data file or script near the place."""
    return _ruled(finding, project, frozenset({"password", "key"}))


def clear(finding: Finding, project: Project) -> Ruling:
    """A password that a data file keeps as it is."""
    return _ruled(finding, project, frozenset({"password"}))


def _ruled(finding: Finding, project: Project, wanted: frozenset[str]) -> Ruling:
    path = finding.path
    is_data, is_script = _DATA.search(path) is not None, _SCRIPT.search(path) is not None
    if path not in project.entries or project.entries[path].language == "binary":
        return cannot_tell("the file cannot be read")
    lines = project.lines(path)
    around = range(max(1, finding.line - HALF), finding.location.end_line + HALF + 1)
    if not is_data and not is_script:
        return cannot_tell("what kind of file this is does not show")
    named = [e for e in entries(lines, quoted=is_script) if credential(e.name) in wanted]
    near = sorted((e for e in named if e.line in around), key=lambda e: (abs(e.line - finding.line), e.line))
    if not near:
        here = Location(path=path, line=finding.line, end_line=finding.line)
        if named or any(_SEED.search(text) or ADDRESS.search(text) for text in lines):
            return cannot_tell("a password is elsewhere in this file")
        if any(SECRET.search(e.name) or LONG_TEXT.fullmatch(e.text) for e in entries(lines, quoted=False)):
            return cannot_tell("something in this file may be a secret by its name or form")
        return falls("no entry of this file is named like a password or key", kind="definition", at=(here,))
    if DEVELOPMENT.search(path) or project.entries[path].test:
        return cannot_tell("this file is for development, or an example")
    real = [e for e in near if not is_placeholder(e.text)]
    if not real:
        at = Location(path=path, line=near[0].line, end_line=near[0].line)
        return falls(f"`{near[0].name}` is to be filled in", kind="constant", at=(at,))
    first = real[0]
    if is_made_up(first.text) or is_digest(first.text) or not opens(first.name, first.text):
        return cannot_tell(f"`{first.name}` is a digest, a name or made up")
    at = Location(path=path, line=first.line, end_line=first.line)
    return stands(f"`{first.name}` stands in this file as it is", kind="constant", at=(at,))
