"""bandit:B613: do the direction marks of the line leave other text in another order than it runs in?"""

import unicodedata

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_OPENING = {"LRE", "RLE", "LRO", "RLO"}
_ISOLATING = {"LRI", "RLI", "FSI"}


def reordered(finding: Finding, project: Project) -> Ruling:
    """Confirms marks that are not closed within their line, or that override directions; balanced embeddings stay open.

    The algorithm closes every mark at the end of the line (Unicode Standard Annex 9), so an open one reaches the code behind it.
    """
    lines = project.lines(finding.path)
    line = lines[finding.line - 1] if finding.line <= len(lines) else ""
    marks = [c for c in line if unicodedata.bidirectional(c) in _OPENING | _ISOLATING | {"PDF", "PDI"}]
    place = (finding.location,)
    if not marks:
        return falls("the line holds no direction mark", kind="constant", at=place)
    kinds = [unicodedata.bidirectional(c) for c in marks]
    names = ", ".join(dict.fromkeys(f"U+{ord(c):04X} {unicodedata.name(c, '').lower()}" for c in marks))
    depth = 0
    for kind in kinds:
        depth += 1 if kind in _OPENING | _ISOLATING else -1
    if depth > 0 or {"RLO", "LRO"} & set(kinds):
        return stands(f"what is shown is not what runs: {names}", kind="constant", at=place)
    return cannot_tell(f"the marks are closed within the line: {names}")
