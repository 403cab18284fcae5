"""tex-shell-escape: is the document the project's own, or made from what comes in?

Dismisses documents that lie in the project, and commands that run in a container or sandbox. Confirms only what is switched on
for a document that the same function writes from a parameter of its own.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.latex.command import command_text, document, written
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_KEPT = re.compile(r"bwrap|firejail|docker|podman|systemd-run|nsjail")
_OFF = re.compile(r"-no-shell-escape|-disable-write18")


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    here = (module.location(call),)
    text = command_text(module, call)
    if _OFF.search(text):
        return falls("the command forbids it", kind="constant", detail=text, at=here)
    if kept := _KEPT.search(text):
        return falls(f"it runs inside {kept[0]}", kind="guard", detail=text, at=here)
    environment = next((ast.unparse(k.value) for k in call.keywords if k.arg == "env"), "")
    if re.search(r"shell_escape['\"]?\s*[:=]\s*['\"]f", environment):
        return falls("its environment forbids it", kind="guard", detail=environment, at=here)
    own = document(module, call, project)
    if own:
        return falls(f"what is compiled is {own}, a file of the project", kind="constant", detail=own, at=here)
    made = written(module, call)
    if not finding.facts.get("option"):
        return cannot_tell("what the installation allows without an option is not to be seen")
    if made is None:
        return cannot_tell("where the document comes from is not to be seen")
    detail = ast.unparse(made.node)
    return stands(
        f"line {made.node.lineno} writes the document from the parameter `{made.parameter}`, and the command allows \\write18",
        kind="flow",
        detail=detail,
        at=(module.location(made.node), *here),
    )
