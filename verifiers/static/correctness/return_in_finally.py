"""return-in-finally: can the protected code raise at all, and does the jump leave the finally block?"""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import inside_all, remark
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses jumps of a loop inside the block and conditional ones that look at the exception."""
    module = module_of(finding, project)
    jump = node_at(module, finding, ast.Return, ast.Break, ast.Continue) if module else None
    if module is None or jump is None:
        return cannot_tell("there is no jump at this place")
    child: ast.AST = jump
    attempt: ast.Try | None = None
    for up in module.ancestors(jump):
        if isinstance(up, ast.For | ast.While) and not isinstance(jump, ast.Return):
            return falls(
                "the jump belongs to a loop inside the finally block", kind="syntax", at=(module.location(jump),)
            )
        if isinstance(up, ast.Try) and child in up.finalbody:
            attempt = up
            break
        if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            break
        child = up
    if attempt is None:
        return falls("the jump is not in a finally block", kind="syntax", at=(module.location(jump),))
    if child is not jump:
        return cannot_tell("the jump depends on a condition inside the finally block")
    if not any(isinstance(n, ast.Call | ast.Raise | ast.Subscript | ast.Await) for n in inside_all(attempt.body)):
        return falls("nothing in the try block raises", kind="syntax", at=(module.location(attempt.body[0]),))
    if any(h.type is None or getattr(h.type, "id", "") == "BaseException" for h in attempt.handlers):
        return falls("every exception is caught before", kind="syntax", at=(module.location(attempt.handlers[0]),))
    if note := remark(module, jump.lineno):
        return cannot_tell(f"a comment speaks of it: {note[:100]}")
    return stands(
        "an exception from the try block reaches `finally` and is dropped by the jump", kind="flow",
        at=(module.location(attempt.body[0]), module.location(jump)),
    )  # fmt: skip
