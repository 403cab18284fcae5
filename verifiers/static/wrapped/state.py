"""State that outlives what it was made for: shared defaults, late-bound loop variables, collections changed under a loop."""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.wrapped.sites import FUNCTIONS, inner, site

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
_AT_ONCE = frozenset(
    {"map", "filter", "sorted", "min", "max", "any", "all", "sum", "list", "tuple", "set", "dict", "sort", "next"}
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


def late_binding(finding: Finding, project: Project) -> Ruling:
    """B023: confirms a function that is stored in the loop and called after it; dismisses one that is used up at once."""
    found = site(finding, project, ast.Name)
    if found is None or not isinstance(found.node, ast.Name):
        return cannot_tell("there is no name at this place")
    module, name = found
    made = next((u for u in module.ancestors(name) if isinstance(u, (*FUNCTIONS, ast.Lambda))), None)
    if made is None:
        return cannot_tell("there is no function around the name")
    loop = next((u for u in module.ancestors(made) if isinstance(u, ast.For | ast.AsyncFor | ast.While)), None)
    places = (module.location(name),)
    parent = module.parents.get(made)
    if isinstance(made, ast.Lambda) and isinstance(parent, ast.keyword):
        parent = module.parents.get(parent)
    if isinstance(made, ast.Lambda) and isinstance(parent, ast.Call):
        function = parent.func
        called = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if made is function or called in _AT_ONCE:
            return falls("the function is called before the loop moves on", kind="use", at=places)
        if (
            called in {"append", "add", "connect"}
            and isinstance(function, ast.Attribute)
            and loop is not None
            and called == "append"
            and made in parent.args
            and _called_after(module, loop, function.value)
        ):
            return stands("the function is stored in a list and called after the loop", kind="flow", at=places)
    return cannot_tell("when the function is called is not known")


def _called_after(module: Module, loop: ast.AST, store: ast.expr) -> bool:
    """Whether the elements of the list `store` are called behind the loop in the same function."""
    if not isinstance(store, ast.Name):
        return False
    scope: ast.AST = module.enclosing_function(loop) or module.tree
    last = getattr(loop, "end_lineno", 0)
    for node in inner(scope):
        if (
            isinstance(node, ast.For)
            and node.lineno > last
            and isinstance(node.iter, ast.Name)
            and node.iter.id == store.id
        ) and isinstance(node.target, ast.Name):
            name = node.target.id
            if any(
                isinstance(c, ast.Call) and isinstance(c.func, ast.Name) and c.func.id == name for c in ast.walk(node)
            ):
                return True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Subscript)
            and getattr(node, "lineno", 0) > last
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == store.id
        ):
            return True
    return False


def changed_while_looped(finding: Finding, project: Project) -> Ruling:
    """B909, PLE4703: dismisses when the loop is left right after the change; confirms a change of the very collection."""
    found = site(finding, project, ast.For, ast.Call, ast.Delete, ast.Assign, ast.AugAssign)
    if found is None:
        return cannot_tell("there is no loop at this place")
    module, node = found
    loop = (
        node if isinstance(node, ast.For) else next((u for u in module.ancestors(node) if isinstance(u, ast.For)), None)
    )
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Name):
        return cannot_tell("what is looped over is no plain name")
    name = loop.iter.id
    changes = [n for n in ast.walk(loop) if _removes(n, name)]
    if not changes:
        return cannot_tell("the collection is not shortened by name inside the loop")
    if any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(loop)):
        return cannot_tell(f"`{name}` is bound to something else inside the loop")
    for change in changes:
        statement = module.statement(change)
        parent = module.parents.get(statement)
        for field in ("body", "orelse", "finalbody"):
            body = getattr(parent, field, [])
            if statement in body and any(
                isinstance(s, ast.Break | ast.Return | ast.Raise) for s in body[body.index(statement) :]
            ):
                return falls("the loop is left right after the change", kind="guard", at=(module.location(statement),))
    return stands(
        f"line {getattr(changes[0], 'lineno', 0)} removes from `{name}` while the loop walks over it",
        kind="flow",
        at=(module.location(loop), module.location(changes[0])),
    )


def _removes(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        return node.func.value.id == name and node.func.attr in {"remove", "discard", "popitem", "clear"}
    if isinstance(node, ast.Delete):
        return any(
            isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name) and t.value.id == name for t in node.targets
        )
    return False
