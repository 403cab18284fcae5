"""implicit-none-return: which path falls off the end, and is it one that happens: a handler that only reports, or a plain skip?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode
from harness.source.project import Project
from verifiers.static.control import ENTRY, FELL_OFF, Edge, Flow
from verifiers.static.locate import module_of
from verifiers.static.reading import chain, inside_all, remark
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms a swallowed exception that ends in None where the caller dereferences; exhausted choices stay open."""
    module = module_of(finding, project)
    function = None
    if module is not None:
        at_line = (node for _, node in module.functions if node.lineno == finding.line)
        function = next(at_line, None)
    if module is None or function is None:
        return cannot_tell("there is no function at this place")
    flow = Flow(function)
    trail = flow.path([ENTRY], [FELL_OFF])
    if trail is None:
        return falls("no path falls off the end", kind="flow", at=(module.location(function),))
    if _says_none(function):
        return falls("its annotation says that it may answer None", kind="definition", at=(module.location(function),))
    if any(isinstance(n, ast.Yield | ast.YieldFrom) for n in inside_all(function.body)):
        return falls("it is a generator", kind="syntax", at=(module.location(function),))
    handlers = [s for n, s in enumerate(flow.nodes) if isinstance(s, ast.ExceptHandler) and _falls(flow, n)]
    caller = (
        project.module(finding.facts["caller_path"]) if finding.facts.get("caller_path") in project.entries else None
    )
    line = int(finding.facts.get("caller_line", "0"))
    use = None
    for call in caller.nodes(ast.Call) if caller else ():
        parent = caller.parents.get(call) if caller else None
        named = chain(call.func).rpartition(".")[2] == function.name
        if call.lineno == line and named and isinstance(parent, ast.Attribute | ast.Subscript) and parent.value is call:
            use = call
    if caller is None or use is None:
        return cannot_tell("the caller does not use the answer at once")
    if any(isinstance(up, ast.Try) for up in caller.ancestors(use)):
        return cannot_tell("the caller stands in a try statement")
    if not handlers:
        return cannot_tell("the choices before the end may be exhaustive")
    handler = handlers[0]
    if note := remark(module, handler.lineno, handler.body[-1].end_lineno):
        return cannot_tell(f"a comment speaks of it: {note[:100]}")
    return stands(
        f"an exception caught in line {handler.lineno} ends in None, which {finding.facts['caller_path']}:{line} dereferences",
        kind="flow", at=(module.location(handler.body[0]), caller.location(use)),
    )  # fmt: skip


def _falls(flow: Flow, handler: int) -> bool:
    """From the handler straight to the end, without a choice."""

    def chosen(edge: Edge) -> bool:
        return edge.raised or (edge.choice is not None and not isinstance(edge.choice, ast.ExceptHandler))

    return flow.path([handler], [FELL_OFF], closed=chosen, after=False) is not None


def _says_none(function: FunctionNode) -> bool:
    if function.returns is None:
        return False
    text = ast.unparse(function.returns)
    return "None" in text or "Optional" in text or text == "Any"
