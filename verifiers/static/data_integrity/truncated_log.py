"""truncated-log: is it meant to start anew, and are the earlier entries not written again?

Dismisses functions whose name or text says that they clear, rotate or begin, files that are written only when missing,
and functions that read the old entries first. Confirms recording functions and siblings of an append.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.data_integrity.file_use import only_if_missing, renamed_away, temporary
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import inside

_ANEW = re.compile(
    r"reset|clear|rotate|truncat|init|start|begin|create|new|rewrite|compact|prune|trim|purge|erase|empty|main|setup|export"
    r"|migrat|save_all|dump",
    re.IGNORECASE,
)
_ONE = re.compile(r"(^|_)(append|record|log|add|track)(_|$)", re.IGNORECASE)


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    function = module.enclosing_function(call)
    here = (module.location(call),)
    path = finding.facts.get("path", "")
    if function is None:
        return cannot_tell("module level code may mean to start anew")
    said = f"{function.name} {ast.get_docstring(function) or ''}"
    if _ANEW.search(said):
        return falls(f"`{function.name}` says that it starts anew", kind="documentation", at=here)
    if only_if_missing(module, call):
        return falls("it is written only when there is no such file yet", kind="guard", at=here)
    if renamed_away(module, function, path) is not None or temporary(path):
        return falls("what is written is a temporary file", kind="flow", at=here)
    for node in inside(function.body):
        if (
            isinstance(node, ast.Call)
            and node.lineno < call.lineno
            and path in ast.unparse(node)
            and "read" in ast.unparse(node)
        ):
            return falls(
                f"line {node.lineno} reads the earlier entries first", kind="flow", at=(module.location(node),)
            )
    if not _ONE.search(function.name):
        return cannot_tell(f"whether `{function.name}` means to start anew is not to be seen")
    if len(function.args.args) - (1 if module.enclosing_class(function) else 0) < 1:
        return cannot_tell(f"`{function.name}` takes no entry")
    return stands(
        f"`{function.name}` adds one entry and opens `{path}` for overwriting, reading nothing of it first",
        kind="search",
        at=here,
    )
