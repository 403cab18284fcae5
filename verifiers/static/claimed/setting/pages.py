"""Templates: what do they show? (200, 209)"""

import re

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.project import Project
from verifiers.static.claimed.setting.place import HALF, OPEN
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_TEMPLATE = re.compile(r"\.(?:html?|jinja2?|j2|tmpl|mako|djhtml|xhtml)$", re.IGNORECASE)
_SHOWN = re.compile(r"\{\{-?\s*(?P<name>[\w.\[\]'\"]+)\s*(?P<filters>\|[^}]*)?-?\}\}")
_SECRET = re.compile(
    r"(?:^|[._])(?:password|passwd|pwd|ssn|social_security\w*|credit_?card\w*|card_?number|cvv|private_key|secret_key|api_?key)$",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"(?:^|[._])(?:traceback|stack_?trace|exc_info|__dict__|__traceback__)$|^(?:e|ex|exc|exception|error)\.args$",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(
    r"\{\{(?!\s*(?:csrf|url|static))|\{%-?\s*(?:include|block|extends|debug)|<!--|<script|Storage|console\.",
    re.IGNORECASE,
)
_MASKED = re.compile(r"slice|truncate|mask|last|length|default_if|yesno|date", re.IGNORECASE)


def secret(finding: Finding, project: Project) -> Ruling:
    """A secret that the template shows near the place."""
    return _ruled(finding, project, _SECRET, "a secret")


def error(finding: Finding, project: Project) -> Ruling:
    """An error whose inside the template shows near the place."""
    return _ruled(finding, project, _ERROR, "the inside of an error")


def _ruled(finding: Finding, project: Project, wanted: re.Pattern[str], what: str) -> Ruling:
    entry = project.entries.get(finding.path)
    if entry is None or entry.language == "binary" or not _TEMPLATE.search(finding.path):
        return cannot_tell("the file is no Python or template that can be read")
    shown = [
        (number, found["name"])
        for number, line in enumerate(project.lines(finding.path), 1)
        for found in _SHOWN.finditer(line)
        if wanted.search(found["name"]) and not _MASKED.search(found["filters"] or "")
    ]
    for number, name in sorted(shown, key=lambda s: (abs(s[0] - finding.line), s[0])):
        if abs(number - finding.line) <= HALF:
            at = Location(path=finding.path, line=number, end_line=number)
            return stands(f"the page shows {what}, as it is: `{name}`", kind="constant", at=(at,))
    if any(abs(number - finding.line) <= OPEN for number, _ in shown):
        return cannot_tell(f"the page shows {what} in a line that the claim does not name")
    around = "\n".join(project.lines(finding.path)[max(0, finding.line - 1 - HALF) : finding.line + HALF])
    if _UNCLEAR.search(around):
        return cannot_tell("what the page shows near this line does not show as a whole")
    here = Location(path=finding.path, line=finding.line, end_line=finding.line)
    return falls(f"nothing that the page shows near this line is {what}", kind="definition", at=(here,))
