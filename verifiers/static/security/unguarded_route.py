"""unguarded-route: does another guard stand before it, or does the function look for itself?"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_LOOKS = re.compile(
    r"current_user|is_authenticated|is_admin|require|permission|authori[sz]|authenticat|get_jwt|verify|check_|abort|session"
    r"|g\.user|token|api_?key|signature|Forbidden|Unauthorized",
    re.IGNORECASE,
)
_HOOKS = frozenset({"before_request", "before_app_request", "middleware"})
_READS = re.compile(r"^(?:get|list|show|view|read|search|find|index|export|download)", re.IGNORECASE)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismissed when a hook or a dependency guards all; open when the body looks at the caller, or nothing changes."""
    module = module_of(finding, project)
    function: FunctionNode | None = None
    if module is not None:
        function = node_at(module, finding, ast.FunctionDef) or node_at(module, finding, ast.AsyncFunctionDef)
    if module is None or function is None:
        return cannot_tell("there is no function at this place")
    at = module.location(function)
    guard = finding.facts.get("guard", "")
    own = [ast.unparse(d) for d in function.decorator_list]
    if any(guard and guard in text for text in own):
        return falls(f"the guard is there: `@{guard}`", kind="guard", at=(at,))
    hook = _hook(module)
    if hook is not None:
        return falls("a hook of this module looks at every request first", kind="guard", at=(at, module.location(hook)))
    text = " ".join(ast.unparse(s) for s in function.body)
    if _LOOKS.search(text) or any(_LOOKS.search(t) for t in own) or _LOOKS.search(ast.unparse(function.args)):
        return cannot_tell("the function looks at the caller itself")
    if any("dependencies" in ast.unparse(call) for call in module.nodes(ast.Call)):
        return cannot_tell("the router may bring the guard with it")
    beside = module.line_text(function.lineno - len(function.decorator_list) - 1)
    if re.search(
        r"public|anonymous|no (?:auth|login)|open to", f"{beside} {ast.get_docstring(function) or ''}", re.IGNORECASE
    ):
        return cannot_tell("text beside it says that it is public")
    if finding.facts.get("changes") != "yes":
        return cannot_tell("it only reads, which may be meant for everybody")
    siblings = _siblings(module, guard, function)
    if len(siblings) < 2:
        return cannot_tell("too few routes beside it have the guard")
    return stands(
        f"{len(siblings)} routes that change things have `@{guard}` and this one has no guard at all",
        kind="guard",
        at=(at, *(module.location(s) for s in siblings[:3])),
    )


def _hook(module: Module) -> FunctionNode | None:
    for _, function in module.functions:
        for decorator in function.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(called, ast.Attribute) and called.attr in _HOOKS:
                return function
    return None


def _siblings(module: Module, guard: str, this: FunctionNode) -> list[FunctionNode]:
    """Functions with the guard whose name does not say that they only read."""
    return [
        f
        for _, f in module.functions
        if f is not this and not _READS.match(f.name) and any(guard in ast.unparse(d) for d in f.decorator_list)
    ]
