"""State that outlives what it was made for: defaults that all calls share."""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.wrapped.sites import FUNCTIONS, site

_CHANGES = frozenset(
    {
        "append",
        "add",
        "update",
        "extend",
        "insert",
        "pop",
        "popitem",
        "remove",
        "discard",
        "clear",
        "setdefault",
        "sort",
    }
)


def shared_default(finding: Finding, project: Project) -> Ruling:
    """B006: confirms only a default that the function itself changes or gives away to be changed."""
    found = site(finding, project, ast.List, ast.Dict, ast.Set, ast.Call, ast.ListComp, ast.DictComp, ast.SetComp)
    if found is None:
        return cannot_tell("there is no default at this place")
    module, default = found
    owner = next((u for u in module.ancestors(default) if isinstance(u, FUNCTIONS)), None)
    if not isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef):
        return cannot_tell("the default belongs to no function")
    name = _parameter(owner, default)
    if name is None:
        return cannot_tell("the default belongs to no parameter")
    places = (module.location(default),)
    nodes = [n for statement in owner.body for n in (statement, *ast.walk(statement))]
    rebound = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)]
    change = next((n for n in nodes if _changes(n, name)), None)
    if change is not None:
        if any(r.lineno <= getattr(change, "lineno", 0) for r in rebound):
            return cannot_tell(f"`{name}` is bound to something else before it is changed")
        return stands(
            f"line {getattr(change, 'lineno', 0)} changes `{name}`, and the next call starts with the result",
            kind="flow",
            at=(*places, module.location(change)),
        )
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    if all(_only_read(module, use) for use in uses):
        return falls(
            f"`{owner.name}` only reads `{name}`, so nobody can change the shared object", kind="use", at=places
        )
    return cannot_tell(f"`{name}` is passed on, and what happens to it there is not followed")


def _parameter(function: FunctionNode, default: ast.AST) -> str | None:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = list(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    pairs += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    return next((argument.arg for argument, value in pairs if value is default), None)


def _changes(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
        return isinstance(node.func.value, ast.Name) and node.func.value.id == name
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = node.targets
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
        if isinstance(node.target, ast.Name) and node.target.id == name and isinstance(node.op, ast.Add | ast.BitOr):
            return True
    return any(isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name) and t.value.id == name for t in targets)


def _only_read(module: Module, use: ast.Name) -> bool:
    """The use takes something out of the object or looks at it, and gives the object itself to nobody."""
    parent = module.parents.get(use)
    if isinstance(parent, ast.Subscript) and parent.value is use:
        return isinstance(parent.ctx, ast.Load)
    if isinstance(parent, ast.For | ast.comprehension) and parent.iter is use:
        return True
    if isinstance(
        parent, ast.Compare | ast.If | ast.UnaryOp | ast.IfExp | ast.Starred | ast.BinOp | ast.FormattedValue
    ):
        return not (isinstance(parent, ast.IfExp) and parent.test is not use)
    if isinstance(parent, ast.keyword):
        return parent.arg is None
    if isinstance(parent, ast.Attribute):
        return parent.attr in {"get", "items", "keys", "values", "copy", "index", "count"}
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        return use in parent.args and parent.func.id in {
            "len",
            "list",
            "dict",
            "set",
            "tuple",
            "sorted",
            "any",
            "all",
            "sum",
            "str",
            "repr",
            "enumerate",
            "isinstance",
            "bool",
            "frozenset",
            "max",
            "min",
        }
    return False
