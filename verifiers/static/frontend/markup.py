"""markup-from-parts: are the parts escaped, or do they come with the request?"""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.frontend.sources import escapes, from_request
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses text whose every part is escaped or constant; confirms text that holds a part of the request."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None or not call.args:
        return cannot_tell("there is no call at this place")
    text = call.args[0]
    values: list[ast.expr] = [text]
    if isinstance(text, ast.Call):
        values = [*text.args, *(k.value for k in text.keywords)]
    place = (module.location(call),)
    for value in values:
        if from_request(module, value):
            return stands(
                "a part of the text is what came with the request", kind="flow", at=(*place, module.location(value))
            )
    if all(escapes(module, value) for value in values):
        return falls("every part of the text is constant or escaped", kind="flow", at=place)
    return cannot_tell("who writes the parts of the text is not known")
