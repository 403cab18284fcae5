"""version-differs: both versions read again by the rules of PEP 440, and whether the sentence is about this project."""

import re

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.docs.prose import other_times
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses equal versions; confirms different ones in a statement about the project as it is."""
    said, other = finding.facts.get("said", ""), finding.facts.get("other", "")
    place = (finding.location, *(r.location for r in finding.related))
    try:
        left, right = Version(said), Version(other)
    except InvalidVersion as error:
        return cannot_tell(f"one of the two is no version: {error}")
    if left == right:
        return falls(f"{said} and {other} are the same version", kind="constant", at=place)
    if finding.path.endswith(".py"):
        return stands(f"the module says {said}, the package {other}", kind="constant", at=place)
    match = re.search(r"requires-python\s*=\s*[\"']([^\"']+)[\"']", project.text("pyproject.toml"))
    try:
        wanted = SpecifierSet(match.group(1)) if match else None
    except InvalidSpecifier:
        wanted = None
    if wanted is None:
        return cannot_tell("requires-python cannot be read")
    if other_times(finding, project) is not None:
        return cannot_tell("the passage speaks of another time")
    line = project.lines(finding.path)[finding.line - 1]
    if re.search(r"\b(?:only|feature|syntax|if you|on python|when|example)\b", line, re.IGNORECASE):
        return cannot_tell("the sentence may be about a part of the project")
    if not wanted.contains(f"{left}.99"):
        return stands(f"requires-python {wanted} refuses Python {said}", kind="constant", at=place)
    return cannot_tell(f"Python {said} is allowed; whether older ones are meant to work is not known")
