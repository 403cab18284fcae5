"""fails-open: is this a yes-or-no check, does this way say yes, and is nothing looked at before?"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_INTENDED = re.compile(
    r"disabled|optional|not configured|skip|allow(?:s|ed)? (?:all|any|every)|opt[- ]in|by default|no-?op", re.IGNORECASE
)
_HARMLESS = frozenset({"FileExistsError", "StopIteration", "ImportError", "ModuleNotFoundError", "AssertionError"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses ways that do not end in yes; leaves open what the documentation speaks of or what a caller must mean."""
    module = module_of(finding, project)
    answer = node_at(module, finding, ast.Return) if module else None
    function = module.enclosing_function(answer) if module and answer else None
    if module is None or answer is None or function is None:
        return cannot_tell("there is no return at this place")
    at = module.location(answer)
    if not (isinstance(answer.value, ast.Constant) and answer.value.value is True):
        return falls("this way does not answer yes", kind="constant", at=(at,))
    refusal = _refusal(function)
    if refusal is None:
        return cannot_tell("the function never answers no, so its answer may be no permission")
    handler = next((a for a in module.ancestors(answer) if isinstance(a, ast.ExceptHandler)), None)
    if handler is not None and _only(handler, _HARMLESS):
        return cannot_tell("the exception that is caught says nothing of the check")
    if handler is not None and _raises_to_refuse(module, handler):
        return cannot_tell("which outcome the exception stands for does not show")
    if _documented(module, function, answer):
        return cannot_tell("text beside it says that this is meant")
    if re.search(r"required|needed|expired|blocked|banned|locked|invalid|missing|denied", function.name):
        return cannot_tell("yes may be the strict answer of this function")
    return stands(
        f"`{function.name}` answers yes here and no in line {refusal.lineno}, and nothing was checked on this way",
        kind="flow",
        at=(at, module.location(refusal)),
    )


def _refusal(function: FunctionNode) -> ast.stmt | None:
    """The first way of the function that refuses: `return False`, or a comparison whose outcome is returned."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            constant = isinstance(node.value, ast.Constant)
            if (isinstance(node.value, ast.Constant) and node.value.value is False) or (
                not constant and isinstance(node.value, ast.Compare | ast.Call | ast.BoolOp)
            ):
                return node
    return None


def _only(handler: ast.ExceptHandler, names: frozenset[str]) -> bool:
    if handler.type is None:
        return False
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return all(ast.unparse(t).rpartition(".")[2] in names for t in types)


def _raises_to_refuse(module: Module, handler: ast.ExceptHandler) -> bool:
    """The guarded block itself answers no, so the exception may mean that the bad thing is absent."""
    attempt = module.parents.get(handler)
    if not isinstance(attempt, ast.Try):
        return True
    inside = [n for s in attempt.body for n in ast.walk(s)]
    return any(
        isinstance(n, ast.Return) and isinstance(n.value, ast.Constant) and n.value.value is False for n in inside
    ) and not any(isinstance(n, ast.Return) and not isinstance(n.value, ast.Constant) for n in inside)


def _documented(module: Module, function: FunctionNode, answer: ast.Return) -> bool:
    nearby = [module.line_text(line).partition("#")[2] for line in range(answer.lineno - 3, answer.lineno + 1)]
    return any(_INTENDED.search(text) for text in (ast.get_docstring(function) or "", *nearby))
