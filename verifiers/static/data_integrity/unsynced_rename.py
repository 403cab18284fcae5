"""unsynced-rename: is the file synced by somebody this function calls, and does the code promise to survive a crash?

Dismisses when a function of the project that is called in between syncs. Confirms only where the code itself speaks of
durability: without that promise a loss after a power failure is a choice.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import inside

_PROMISE = re.compile(
    r"durab|crash[- ]?(safe|proof)|power (fail|loss|cut)|survives? (a )?(crash|power)|fsync|never lose", re.I
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    function = module.enclosing_function(call) if module and call else None
    if module is None or call is None or function is None:
        return cannot_tell("there is no call at this place")
    first = int(finding.facts.get("write_line", "0"))
    for node in inside(function.body):
        if not isinstance(node, ast.Call) or not first <= node.lineno <= call.lineno:
            continue
        record = project.index.function(module.resolve(node.func) or "")
        if record is None:
            continue
        try:
            home = project.module(record.path)
        except NotParsed:
            continue
        body = next((f for _, f in home.functions if f.lineno == record.line), None)
        if body is not None and "fsync" in ast.unparse(body):
            return falls(f"`{record.qualname}` in line {node.lineno} syncs", kind="guard", at=(home.location(body),))
    cls = module.enclosing_class(function)
    texts = [ast.get_docstring(function), ast.get_docstring(cls) if cls else None, ast.get_docstring(module.tree)]
    promise = next((m for text in texts if text and (m := _PROMISE.search(text))), None)
    if promise is None:
        return cannot_tell("nothing here promises that the file survives a loss of power")
    return stands(
        f"the text promises “{promise.group(0)}”, and nothing syncs between line {first} and the rename in line {call.lineno}",
        kind="search",
        at=(module.location(call), module.location(function)),
    )
