"""late-binding-closure: is the closure really kept until the loop has gone on?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of
from verifiers.static.reading import chain, inside_all, tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

KEEPERS = frozenset({"append", "add", "insert", "appendleft", "put", "setdefault"})
IMMEDIATE = frozenset(
    {"sorted", "sort", "min", "max", "map", "filter", "any", "all", "sum", "list", "next", "reduce", "sub"}
)
Closure = ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms closures stored into a container or attribute that lives outside the loop; dismisses those used up at once."""
    module = module_of(finding, project)
    name = finding.facts.get("name", "")
    closure = _closure_at(module, finding) if module else None
    loop = _loop_around(module, closure, name) if module and closure else None
    if module is None or closure is None or loop is None:
        return cannot_tell("there is no closure over a loop variable at this place")
    if isinstance(loop, ast.ListComp | ast.SetComp | ast.DictComp):
        return stands(
            "the comprehension collects the functions before any is called", kind="flow", at=(module.location(closure),)
        )
    holders: list[tuple[ast.AST, ast.AST]] = []
    if isinstance(closure, ast.Lambda):
        holders = [(closure, module.parents[closure])]
    else:
        holders = [
            (n, module.parents[n])
            for n in inside_all(loop.body)
            if isinstance(n, ast.Name) and n.id == closure.name and isinstance(n.ctx, ast.Load)
        ]
        if closure.decorator_list:
            return cannot_tell("a decorator decides what becomes of the function")
    fates = [_fate(module, value, parent, loop) for value, parent in holders]
    if "kept" in fates:
        return stands(
            f"the function is stored for later while `{name}` goes on changing", kind="flow",
            at=(module.location(loop.target), module.location(closure)),
        )  # fmt: skip
    if all(fate == "used" for fate in fates):
        return falls(
            "the function is used up in the same round of the loop", kind="flow", at=(module.location(closure),)
        )
    return cannot_tell("what becomes of the function is decided elsewhere")


def _closure_at(module: Module, finding: Finding) -> Closure | None:
    closures: list[Closure] = [
        *module.nodes(ast.Lambda),
        *module.nodes(ast.FunctionDef),
        *module.nodes(ast.AsyncFunctionDef),
    ]
    for node in closures:
        if node.lineno == finding.line and module.location(node).column == finding.column:
            return node
    return None


def _loop_around(
    module: Module, closure: ast.AST, name: str
) -> ast.For | ast.ListComp | ast.SetComp | ast.DictComp | None:
    for up in module.ancestors(closure):
        targets: list[ast.expr] = []
        if isinstance(up, ast.For):
            targets = [up.target]
        elif isinstance(up, ast.ListComp | ast.SetComp | ast.DictComp):
            targets = [g.target for g in up.generators]
        if any(isinstance(n, ast.Name) and n.id == name for t in targets for n in ast.walk(t)):
            return up if isinstance(up, ast.For | ast.ListComp | ast.SetComp | ast.DictComp) else None
        if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            return None
    return None


def _fate(module: Module, value: ast.AST, parent: ast.AST, loop: ast.For) -> str:
    """`kept`, `used`, or '' when it cannot be told."""
    if isinstance(parent, ast.keyword):
        value, parent = parent, module.parents[parent]
    if isinstance(parent, ast.Call):
        if parent.func is value:
            return "used"
        if tail(parent.func) in IMMEDIATE:
            return "used"
        if tail(parent.func) in KEEPERS and isinstance(parent.func, ast.Attribute):
            return "kept" if _lives_outside(parent.func.value, loop) and not _leaves(module, parent, loop) else ""
        return ""
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Subscript | ast.Attribute):
        target = parent.targets[0].value
        return "kept" if _lives_outside(target, loop) and not _leaves(module, parent, loop) else ""
    if isinstance(parent, ast.Return):
        return "used"
    return ""


def _lives_outside(container: ast.AST, loop: ast.For) -> bool:
    root = chain(container).partition(".")[0]
    bound = {
        n.id for n in inside_all([loop.target, *loop.body]) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return bool(root) and root not in bound


def _leaves(module: Module, node: ast.AST, loop: ast.For) -> bool:
    """The loop ends in this very round."""
    statement = module.statement(node)
    block = next(
        (
            b
            for f in ("body", "orelse")
            if isinstance(b := getattr(module.parents[statement], f, None), list) and statement in b
        ),
        [],
    )
    return any(isinstance(s, ast.Break | ast.Return) for s in block) or isinstance(
        loop.body[-1], ast.Break | ast.Return
    )
