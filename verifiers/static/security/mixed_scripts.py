"""mixed-script-identifier: does the name really stand there, and does it look like one that is written in one alphabet?"""

import unicodedata

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_LOOKS = str.maketrans(
    "аеорсухіјѕԁԛԝһЕАВСНКМОРТХІЈЅοαρυνικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsdqwhEABCHKMOPTXIJSoapuvikABEZHIKMNOPTYX"
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms a name whose every foreign letter has a Latin twin; names such as `Δx` that deceive nobody stay open."""
    name = finding.facts.get("name", "")
    place = (finding.location,)
    if not name or name not in project.lines(finding.path)[finding.line - 1]:
        return falls("the name does not stand on this line", kind="search", at=place)
    twin = name.translate(_LOOKS)
    if not twin.isascii():
        odd = next(c for c in twin if not c.isascii())
        return cannot_tell(f"`{unicodedata.name(odd, odd).lower()}` is taken for no Latin letter")
    return stands(f"`{name}` looks like `{twin}` and is another name", kind="constant", at=place)
