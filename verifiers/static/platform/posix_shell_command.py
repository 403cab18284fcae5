"""posix-shell-command: is the line kept to POSIX, and does the project mean to run on Windows?"""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.platform.support import guard, support
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, local_names


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses guarded lines, shadowed names and projects for POSIX; confirms when the project says Windows."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    here = (module.location(call),)
    function = module.enclosing_function(call)
    if function is not None and chain(call.func).partition(".")[0] in local_names(function):
        return falls("the name is a local here", kind="definition", at=here)
    kept = guard(module, call)
    if kept is not None:
        return falls(
            "it is kept to some platforms",
            kind="guard",
            at=(module.location(kept),) if hasattr(kept, "lineno") else here,
        )
    said = support(project)
    if said is None:
        return cannot_tell("the project does not say whether it runs on Windows")
    if not said.windows:
        return falls(f"the project is for “{said.words}” ({said.path}:{said.line})", kind="documentation", at=here)
    return stands(
        f"cmd.exe has no `{finding.facts.get('word', '')}`; the project says “{said.words}” ({said.path}:{said.line})",
        kind="constant",
        at=here,
    )
