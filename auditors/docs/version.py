"""version-differs: two places of the project that name different versions of it, or of the Python it needs.

Why: the package says one version and the program another, so bug reports name the wrong one; or a reader installs on a
Python that the package refuses.

Example: `version = "2.1.0"` in pyproject.toml and `__version__ = "2.0.0"` in the package; "Python 3.8+" in the README and
`requires-python = ">=3.10"`.

What it cannot see: versions that are computed.
"""

import ast
import re
from collections.abc import Iterator

from auditors.docs.documents import claim, documents, packages, pyproject
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location, RelatedLocation
from harness.source.project import Project

RULE = Rule(id="version-differs", group="docs", title="Versions that disagree", severity=Severity.LOW, page=__doc__)
_PROSE = re.compile(
    r"\b(?:requires?|needs?|supports?|works with|runs on|tested (?:on|with))?\s*\bpython\s*(?:\(?>=\s*|v)?(3\.\d{1,2})"
    r"\s*(?:\+|\bor (?:newer|later|above|higher|greater)\b|\band (?:newer|later|above|up)\b)",
    re.IGNORECASE,
)


def check(project: Project) -> Iterator[Claim]:
    """The version of the package first, then the Python it needs."""
    table = pyproject(project).get("project", {})
    if not isinstance(table, dict):
        return
    version = table.get("version")
    if isinstance(version, str):
        yield from _package(project, version)
    requires = table.get("requires-python")
    lowest = re.search(r">=?\s*(\d+)\.(\d+)", requires) if isinstance(requires, str) else None
    if lowest is not None:
        yield from _python(project, (int(lowest.group(1)), int(lowest.group(2))))


def _package(project: Project, version: str) -> Iterator[Claim]:
    for name in sorted(packages(project)):
        module = project.module_named(name)
        if module is None:
            continue
        for node in module.tree.body:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
                continue
            said = node.value.value
            named = any(isinstance(t, ast.Name) and t.id == "__version__" for t in node.targets)
            if named and isinstance(said, str) and said != version:
                yield module.claim(
                    RULE,
                    node,
                    scenario=f"A bug report with `{name}.__version__` names {said}, but the package is installed as {version}.",
                    fix="Read one of the two from the other, for instance with importlib.metadata.version.",
                    facts={"said": said, "other": version},
                    related=_line(project, "pyproject.toml", r"^\s*version\s*="),
                )


def _python(project: Project, lowest: tuple[int, int]) -> Iterator[Claim]:
    for document in documents(project):
        if "/" in document.path and not re.search(
            r"install|index|readme|getting|quick|contributing", document.path, re.IGNORECASE
        ):
            continue
        for number, line in enumerate(project.lines(document.path), 1):
            match = _PROSE.search(line)
            if match is None:
                continue
            said = tuple(int(part) for part in match.group(1).split("."))
            if said != lowest:
                wanted = ".".join(map(str, lowest))
                yield claim(
                    RULE,
                    project,
                    document.path,
                    number,
                    column=match.start(1) + 1,
                    width=len(match.group(1)),
                    scenario=f"A reader on Python {match.group(1)} goes by this line; the package asks for {wanted} or newer.",
                    fix=f"Say {wanted} here, or change requires-python.",
                    facts={"said": match.group(1), "other": wanted},
                    related=_line(project, "pyproject.toml", r"^\s*requires-python\s*="),
                )


def _line(project: Project, path: str, pattern: str) -> tuple[RelatedLocation, ...]:
    for number, line in enumerate(project.lines(path), 1):
        if re.search(pattern, line):
            place = Location(path=path, line=number, end_line=number)
            return (RelatedLocation(role="definition", location=place, message="the other version"),)
    return ()


CHECK = Check(rules=(RULE,), project=check)
