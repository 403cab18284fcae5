"""swallowed-assertion: does control go from the failing assertion through the handler to a normal end of the test?"""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.control import FELL_OFF, RETURNED, Flow
from verifiers.static.locate import module_of
from verifiers.static.reading import inside_all, remark, tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """A handler that notes the failure in a variable, or is followed by another assertion, leaves the claim open."""
    module = module_of(finding, project)
    line = int(finding.facts.get("handler", "0"))
    handler = next((h for h in module.nodes(ast.ExceptHandler) if h.lineno == line), None) if module else None
    function = module.enclosing_function(handler) if module and handler else None
    if module is None or handler is None or function is None:
        return cannot_tell("there is no handler at this place")
    attempt = module.parents[handler]
    place = (finding.location, module.location(handler.body[0]))
    inner = [n for n in inside_all(getattr(attempt, "body", [])) if getattr(n, "lineno", 0) == finding.line]
    found = [
        n for n in inner if isinstance(n, ast.Assert) or (isinstance(n, ast.Call) and tail(n.func).startswith(("assert", "fail")))
    ]  # fmt: skip
    if not found:
        return cannot_tell("what is in the try block is not certainly an assertion")
    earlier = [h for h in getattr(attempt, "handlers", []) if h.lineno < handler.lineno]
    if any(tail(h.type) == "AssertionError" for h in earlier):
        return falls(
            "an earlier handler takes the AssertionError", kind="guard", at=(module.location(earlier[0].body[0]),)
        )
    flow = Flow(function)
    if flow.path(flow.at(handler), [FELL_OFF, RETURNED], after=False) is None:
        return falls("the handler does not lead to a normal end", kind="flow", at=place)
    if any(isinstance(n, ast.Assign | ast.AugAssign) or tail(getattr(n, "func", None)) in {"append", "add", "put", "set"}
           for n in inside_all(handler.body)):  # fmt: skip
        return cannot_tell("the handler notes what happened")
    if note := remark(module, handler.lineno, handler.body[-1].end_lineno):
        return cannot_tell(f"a comment explains it: {note[:100]}")
    behind = [
        n for n in inside_all(function.body) if isinstance(n, ast.Assert) and n.lineno > (handler.end_lineno or line)
    ]
    if behind or any(isinstance(up, ast.For | ast.While) for up in module.ancestors(handler)):
        return cannot_tell("it goes on to other assertions, or tries again")
    return stands("the AssertionError ends in the handler, and the test passes", kind="flow", at=place)
