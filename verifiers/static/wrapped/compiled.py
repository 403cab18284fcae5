"""Errors that the compiler reports: the module is compiled, never run."""

import warnings

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.project import Project
from verifiers.static.locate import module_of
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms when compiling the module stops at this line."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the module does not parse")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(module.text, module.path, "exec", dont_inherit=True)
    except SyntaxError as error:
        at = error.lineno or 1
        if at != finding.line:
            return cannot_tell(f"the compiler stops earlier, in line {at}")
        place = Location(path=module.path, line=at, end_line=at)
        return stands(f"the compiler stops here: {error.msg}", kind="syntax", at=(place,))
    except (ValueError, RecursionError, MemoryError) as error:
        return cannot_tell(f"the module cannot be compiled here: {error!r}")
    return falls("the module compiles", kind="syntax", at=(Location(path=module.path, line=1, end_line=1),))
