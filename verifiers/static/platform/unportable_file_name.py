"""unportable-file-name: compare the names again as the file systems do."""

import unicodedata

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.project import Project
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_FORBIDDEN = set('<>:"|?*')
_RESERVED = {"CON", "PRN", "AUX", "NUL", *(f"COM{n}" for n in range(1, 10)), *(f"LPT{n}" for n in range(1, 10))}


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms two paths of the tree that NTFS and APFS take for one, and parts that Win32 refuses."""
    here = (Location(path=finding.path, line=1, end_line=1),)
    if finding.path not in project.entries:
        return cannot_tell("there is no such file")
    other = finding.facts.get("other")
    if other is not None:
        if other not in project.entries or other == finding.path:
            return falls("the other file is not there", kind="search", at=here)
        one, two = (unicodedata.normalize("NFC", p).upper() for p in (finding.path, other))
        if one != two:
            return cannot_tell("not every file system that ignores case takes these for one name")
        same = project.entries[other].sha256 == project.entries[finding.path].sha256
        if same:
            return cannot_tell("both files have the same content: whichever is kept, nothing is lost")
        return stands(f"`{other}` and `{finding.path}` differ in case only, and in content", kind="search", at=here)
    part = finding.facts.get("part", "")
    if part not in finding.path.split("/"):
        return cannot_tell("the name is not part of this path")
    refused = _FORBIDDEN & set(part)
    if refused or part[-1:] in {".", " "} or part.partition(".")[0].upper() in _RESERVED:
        return stands(f"Win32 has no file called `{part}`", kind="constant", at=here)
    return falls(f"Win32 can hold `{part}`", kind="constant", at=here)
