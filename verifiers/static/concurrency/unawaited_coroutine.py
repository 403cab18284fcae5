"""unawaited-coroutine: does the name mean that `async def` here, and does nothing make an ordinary function of it?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, inside, local_names

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
    root, _, method = chain(call.func).partition(".")
    function = module.enclosing_function(call)
    is_local = root not in {"self", "cls"} and function is not None and root in local_names(function)
    if is_local and not method:
        return falls(f"`{root}` is a local name here", kind="definition", at=here)
    if finding.facts.get("callee", "").startswith("asyncio."):
        if is_local or module.resolve(call.func) != finding.facts["callee"]:
            return falls(f"`{root}` is not the module asyncio here", kind="definition", at=here)
        return stands(
            f"`{finding.facts['callee']}` is a coroutine function, and the statement drops its coroutine",
            kind="definition",
            at=here,
        )
    if (
        is_local
        and function is not None
        and not _always(module, project, function, root, finding.facts.get("callee", ""))
    ):
        return cannot_tell(f"`{root}` may be an object of another class")
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


def _always(module: Module, project: Project, function: FunctionNode, name: str, callee: str) -> bool:
    """Whether the local is bound once, or annotated, and to the class that holds the callee."""
    owner = callee.rpartition(".")[0]
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    kinds = [a.annotation for a in arguments if a.arg == name]
    stores = [
        n for n in inside(function.body) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
    ]
    if not kinds and len(stores) == 1:
        parent = module.parents.get(stores[0])
        value = parent.value if isinstance(parent, ast.Assign | ast.AnnAssign) else None
        kinds = [value.func] if isinstance(value, ast.Call) else [None]
    resolved = [project.index.canonical(module.resolve(k) or "") if k is not None else "" for k in kinds]
    family = {owner, *(c.name for c in project.index.subclasses(owner))}
    return len(resolved) == 1 and resolved[0] in family and len(stores) <= 1


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
