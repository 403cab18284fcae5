"""Pages and scripts of a project, and how a claim about a place in one of them is made."""

import re
from collections.abc import Iterator

from harness.files import displayable
from harness.schema.finding import AbsenceSearch, Claim, Rule, Severity
from harness.schema.location import Location, RelatedLocation
from harness.source.page import Page
from harness.source.project import Project
from harness.source.script import Script

_OTHERS = frozenset({"vendor", "vendors", "node_modules", "lib", "libs", "third_party", "dist", "bower_components"})
_TEST = re.compile(r"(?:^|[._/-])(?:tests?|specs?)(?:[._/-]|$)", re.IGNORECASE)
SIZE_CAP = 300_000
"""Bytes; larger files are bundles."""


def pages(project: Project) -> Iterator[Page]:
    """Pages and templates by path, test data left out."""
    for path in project.paths("html", test=False):
        if project.entries[path].size <= SIZE_CAP:
            yield Page(path, project.text(path).replace("\r\n", "\n"))


def scripts(project: Project) -> Iterator[Script]:
    """Script files by path, then scripts inside pages; libraries and bundles left out."""
    for path in project.paths("javascript", "typescript", test=False):
        if project.entries[path].size > SIZE_CAP or library(path) or _TEST.search(path):
            continue
        text = project.text(path)
        if max(map(len, text.split("\n")), default=0) < 2000:
            yield Script(path, text.replace("\r\n", "\n"))
    for page in pages(project):
        yield from page.scripts()


def library(path: str) -> bool:
    """Whether a script is somebody else's, by its path."""
    parts = path.lower().split("/")
    return path.endswith(".min.js") or any(part in _OTHERS for part in parts[:-1])


def claim(
    rule: Rule,
    project: Project,
    path: str,
    line: int,
    column: int,
    *,
    scenario: str,
    fix: str,
    end_line: int | None = None,
    severity: Severity | None = None,
    facts: dict[str, str] | None = None,
    related: tuple[RelatedLocation, ...] = (),
    absence: AbsenceSearch | None = None,
) -> Claim:
    """A claim about a place in a page or script."""
    lines = project.lines(path)
    return Claim(
        rule=rule.id,
        severity=severity or rule.severity,
        cwe=rule.cwe,
        location=Location(path=path, line=line, end_line=min(max(line, end_line or line), len(lines)), column=column),
        quote=lines[line - 1].strip(),
        scenario=displayable(scenario),
        fix=displayable(fix),
        facts=facts or {},
        related=related,
        absence=absence,
    )
