"""unportable-file-name: a file whose name some systems cannot hold, or two that are one on some systems.

Why: on Windows and macOS `Readme.md` and `README.md` are one file: a checkout keeps one of them, and git shows the other as
changed for ever. Windows has no names with `: ? * < > | "`, with a dot or space at the end, or called `con`, `nul`, `aux`;
a checkout there stops with an error.

Example:

    docs/Readme.md and docs/README.md
    notes/12:30.txt

What it cannot see: names that are made at run time.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePosixPath

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location, RelatedLocation
from harness.source.project import Project

RULE = Rule(
    id="unportable-file-name",
    group="platform",
    title="Name that not every system can hold",
    severity=Severity.MEDIUM,
    cwe=178,
    page=__doc__,
)

_BAD = re.compile(r'[:?*<>|"\x00-\x1f]|[. ]$')
_DEVICES = re.compile(r"^(con|nul|aux|prn|com[1-9]|lpt[1-9])(\.|$)", re.IGNORECASE)


def check(project: Project) -> Iterator[Claim]:
    """One claim a path that collides with an earlier one when case is ignored, and one a path Windows cannot hold."""
    by_fold: dict[str, list[str]] = defaultdict(list)
    for path in sorted(project.entries):
        by_fold[path.casefold()].append(path)
        bad = next((part for part in PurePosixPath(path).parts if _BAD.search(part) or _DEVICES.search(part)), None)
        if bad is not None and "\\x" not in bad:
            yield _claim(
                project,
                path,
                f"`git clone` on Windows stops at `{path}`: no file there can be called `{bad}`.",
                {"shape": "name", "part": bad},
            )
    for paths in by_fold.values():
        for path in paths[1:]:
            yield _claim(
                project,
                path,
                f"A checkout on Windows or macOS keeps one of `{paths[0]}` and `{path}`: the other one's content is lost there.",
                {"shape": "case", "other": paths[0]},
            )


def _claim(project: Project, path: str, scenario: str, facts: dict[str, str]) -> Claim:
    lines = project.lines(path)
    number = next((n for n, line in enumerate(lines, 1) if line.strip()), 1)
    other = facts.get("other")
    return Claim(
        rule=RULE.id,
        severity=RULE.severity,
        cwe=RULE.cwe,
        location=Location(path=path, line=number, end_line=number),
        quote=lines[number - 1].strip() if lines else "",
        scenario=scenario,
        fix="Rename it.",
        facts=facts,
        related=(RelatedLocation(role="sibling", location=Location(path=other, line=1, end_line=1)),) if other else (),
    )


CHECK = Check(rules=(RULE,), project=check)
