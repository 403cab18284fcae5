"""Which files are documents of the present, what the project is called, and how a claim about a line of text is made."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from auditors.docs.markup import Document, read
from harness.files import displayable
from harness.schema.finding import AbsenceSearch, Claim, Rule, Severity
from harness.schema.location import Location, RelatedLocation
from harness.source.project import Project

LANGUAGES = ("markdown", "rst", "text")
HISTORIC = re.compile(
    r"(?:^|/)(?:change(?:log|s)?|history|news|releases?|release[-_ ]notes|whats?[-_]?new|migrat\w*|upgrad\w*|todo|authors|"
    r"licen[cs]e\w*|copying|notice|deprecat\w*|internals/deprecation|devlog|adr|rfcs?|proposals?|decisions?|archive)"
    r"(?:[./_-]|$)",
    re.IGNORECASE,
)
"""Documents that speak of other times than the present."""
PAST = re.compile(
    r"\b(?:remov|renam|deprecat|no longer|used to|formerly|previous|legacy|obsolete|old(?:er)? |before |replac|instead of|"
    r"moved|dropped|was called|versionchanged|versionadded|backward|histor|removed in|e\.g\.|for example|imagin|suppose|hypothe|"
    r"your[-_ ]|my[-_]?(?:app|project|module|package))",
    re.IGNORECASE,
)
"""Words of a paragraph that speaks of what is gone, or of something made up."""
_SIZE_CAP = 1 << 20
_NOT_PACKAGES = frozenset(
    {"tests", "test", "docs", "doc", "examples", "example", "scripts", "tools", "benchmarks", "testing"}
)


def documents(project: Project) -> Iterator[Document]:
    """Documents of the present, by path; test data, histories and plain text that is no README are left out."""
    for path in project.paths(*LANGUAGES, test=False):
        entry = project.entries[path]
        name = path.rpartition("/")[2]
        if HISTORIC.search(path) or entry.size > _SIZE_CAP:
            continue
        if (
            entry.language == "text"
            and not re.match(r"(?:readme|install|contributing)\b", name, re.IGNORECASE)
            and not (
                path.startswith(("docs/", "doc/"))
                and re.search(r"^(?:\.\. |[=~-]{4,}$)", project.text(path), re.MULTILINE)
            )
        ):
            continue
        yield read(path, project.lines(path), entry.language)


def pyproject(project: Project) -> dict[str, Any]:
    """The parsed pyproject.toml at the root, empty when there is none or it does not parse."""
    if "pyproject.toml" not in project.entries:
        return {}
    try:
        return tomllib.loads(project.text("pyproject.toml"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def packages(project: Project) -> frozenset[str]:
    """Names of the top-level packages and modules that the project offers for import."""
    found = set()
    for path in project.paths("python", test=False):
        parts = path.split("/")
        if parts[0] in {"src", "lib"}:
            parts = parts[1:]
        if len(parts) == 2 and parts[1] == "__init__.py" and parts[0].isidentifier():
            found.add(parts[0])
    return frozenset(found - _NOT_PACKAGES)


def commands(project: Project) -> dict[str, str]:
    """Command of the project -> `module:function`, from pyproject.toml, setup.cfg and setup.py."""
    table = pyproject(project).get("project", {})
    scripts = table.get("scripts", {}) if isinstance(table, dict) else {}
    found = {k: v for k, v in scripts.items() if isinstance(v, str)} if isinstance(scripts, dict) else {}
    for path in ("setup.cfg", "setup.py"):
        if path in project.entries:
            section = re.search(
                r"console_scripts['\"]?\s*[=:]\s*\[?(.*?)(?:\n\s*\[|\n\S|\]|\Z)", project.text(path), re.S
            )
            for name, target in re.findall(r"([\w.-]+)\s*=\s*([\w.]+:[\w.]+)", section.group(1) if section else ""):
                found.setdefault(name, target)
    return found


def paragraph(lines: list[str], number: int) -> str:
    """The lines around line `number` up to blank ones, joined, with the heading above them."""
    first = last = number - 1
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    heading = next((lines[n] for n in range(first, max(-1, first - 40), -1) if re.match(r"\s*#{1,6} ", lines[n])), "")
    return "\n".join([heading, *lines[first : last + 1]])


def claim(
    rule: Rule,
    project: Project,
    path: str,
    line: int,
    *,
    scenario: str,
    fix: str,
    column: int = 1,
    width: int | None = None,
    facts: dict[str, str] | None = None,
    related: tuple[RelatedLocation, ...] = (),
    absence: AbsenceSearch | None = None,
    severity: Severity | None = None,
) -> Claim:
    """A claim about a line of a text file."""
    lines = project.lines(path)
    return Claim(
        rule=rule.id,
        severity=severity or rule.severity,
        cwe=rule.cwe,
        location=Location(
            path=path, line=line, end_line=line, column=column, end_column=column + width if width else None
        ),
        quote=lines[line - 1].strip() if line <= len(lines) else "",
        scenario=displayable(scenario),
        fix=displayable(fix),
        facts=facts or {},
        related=related,
        absence=absence,
    )


def occurrences(project: Project, pattern: str, globs: tuple[str, ...]) -> int:
    """Lines that match, counted the way admission counts them."""
    search = re.compile(pattern)
    return sum(1 for path in project.matching(*globs) for line in project.lines(path) if search.search(line))
