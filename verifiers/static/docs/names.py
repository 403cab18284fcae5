"""doc-name: does the word exist anywhere in the code, and does the passage speak of the present?"""

import re

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.docs.prose import first_line, other_times
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_MADE_UP = re.compile(
    r"\bentry[- _]?points?\b|\blogger\b|\bsettings?\b|\bnamespace\b|\bsignal\b|\bextension\b|\bplug-?in\b",
    re.IGNORECASE,
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms a name whose last missing part no code of the project spells, in a passage about the present."""
    name, part = finding.facts.get("name", ""), finding.facts.get("part", "")
    if not name or not part:
        return cannot_tell("the claim names nothing")
    whole = first_line(project, re.compile(rf"[\"']{re.escape(name)}[\"'.]"), "python", having=name)
    if whole is not None:
        return falls(f"the code uses `{name}` as a text", kind="search", at=(whole,))
    defined = first_line(
        project,
        re.compile(
            rf"^\s*(?:async\s+)?(?:def|class)\s+{part}\b|\b{part}\s*(?::[^=\n]+)?=[^=]|^\s+{part}\s*:|\bas\s+{part}\b|[\"']{part}[\"']",
            re.MULTILINE,
        ),
        "python",
        having=part,
    )
    if defined is not None:
        return cannot_tell(f"{defined} spells `{part}`, which may be reached in a way that is not followed")
    script = first_line(
        project, re.compile(rf"\b{re.escape(part)}\b"), "javascript", "typescript", "html", "css", having=part
    )
    if script is not None:
        return falls(f"`{part}` is a name of {script}, not of Python", kind="search", at=(script,))
    if re.search(r"tutorial|(?:^|/)intro|contributing|howto|quick", finding.path, re.IGNORECASE):
        return cannot_tell("a lesson may speak of what its reader is about to write")
    when = other_times(finding, project)
    if when is not None:
        return cannot_tell("the passage speaks of another time, or of something made up")
    lines = project.lines(finding.path)
    around = "\n".join(lines[max(0, finding.line - 4) : finding.line + 3])
    if _MADE_UP.search(around):
        return cannot_tell("the name may belong to a group, a logger or a setting, which no statement defines")
    return stands(f"no code of the project spells `{part}`", kind="search", at=(finding.location,))
