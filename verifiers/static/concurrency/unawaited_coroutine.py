"""unawaited-coroutine: does the name mean that `async def` here, and does nothing make an ordinary function of it?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, local_names

_NEUTRAL = frozenset({"staticmethod", "classmethod", "override", "final", "abstractmethod", "wraps"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses locals and names that are rebound to ordinary functions; leaves decorated and overridden ones open."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    parent = module.parents.get(call)
    here = (module.location(call),)
    if not isinstance(parent, ast.Expr):
        return falls("the coroutine is used by what stands around the call", kind="syntax", at=here)
    root = chain(call.func).partition(".")[0]
    function = module.enclosing_function(call)
    if root not in {"self", "cls"} and function is not None and root in local_names(function):
        return falls(f"`{root}` is a local name here", kind="definition", at=here)
    try:
        home = project.module(finding.facts.get("callee_path", ""))
    except (KeyError, NotParsed):
        return cannot_tell("the callee cannot be read")
    line = int(finding.facts.get("callee_line", "0"))
    callee = next((f for _, f in home.functions if f.lineno == line), None)
    if not isinstance(callee, ast.AsyncFunctionDef) or callee.name != chain(call.func).rpartition(".")[2]:
        return cannot_tell("the callee is not there, or is imported under another name")
    rival = _rival(home, callee)
    if rival is not None:
        return falls(
            f"`{callee.name}` is also bound by line {getattr(rival, 'lineno', 0)}, not as a coroutine function",
            kind="definition",
            at=(home.location(rival),),
        )
    strange = [d for d in callee.decorator_list if chain(d).rpartition(".")[2] not in _NEUTRAL]
    if strange:
        return cannot_tell(f"the decorator `{ast.unparse(strange[0])}` may return an ordinary function")
    record = project.index.functions.get(finding.facts.get("callee", ""))
    if record is not None and record.class_name:
        for cls in project.index.subclasses(record.class_name):
            override = project.index.functions.get(f"{cls.name}.{callee.name}")
            if override is not None and not override.is_async:
                return cannot_tell(f"`{cls.name}` overrides it with an ordinary method")
    return stands(
        f"`{callee.name}` is `async def` in {home.path}:{line}, undecorated, and the statement drops its coroutine",
        kind="definition",
        at=(module.location(call), home.location(callee)),
    )


def _rival(module: Module, callee: FunctionNode) -> ast.AST | None:
    """Another binding of the same name in the same scope that is no `async def`."""
    scope = module.parents.get(callee)
    while scope is not None and not isinstance(
        scope, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ):
        scope = module.parents.get(scope)
    for node in ast.walk(scope) if scope is not None else ():
        if node is callee or module.parents.get(node) is callee:
            continue
        if isinstance(node, ast.FunctionDef) and node.name == callee.name and _home(module, node) is scope:
            return node
        named = isinstance(node, ast.Assign) and any(chain(t) == callee.name for t in node.targets)
        if named and _home(module, node) is scope:
            return node
    return None


def _home(module: Module, node: ast.AST) -> ast.AST | None:
    for up in module.ancestors(node):
        if isinstance(up, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            return up
    return None
