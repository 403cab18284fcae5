"""mutable-default-mutated: a default argument that is one shared list, dict or set is changed in the function.

Why: the default is made once, at `def`. Every call that leaves the argument out works on what earlier calls left in it.

Example:

    def collect(name, found=[]):     # def collect(name, found=None): found = [] if found is None else found
        found.append(name)
        return found

What it cannot see: changes made by functions the default is handed to.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import defaults, dotted
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="mutable-default-mutated",
    group="correctness",
    title="Shared mutable default is changed",
    severity=Severity.MEDIUM,
    page=__doc__,
)
MUTATORS = frozenset(
    {
        "append",
        "extend",
        "insert",
        "add",
        "update",
        "setdefault",
        "pop",
        "popitem",
        "remove",
        "discard",
        "clear",
        "sort",
    }
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """The first change of each parameter whose default is a display or an empty `list()`, `dict()`, `set()`."""
    if module.test:
        return
    del project
    for _, function in module.functions:
        for argument, default in defaults(function):
            if not _mutable(default):
                continue
            change = next((n for n in ast.walk(function) if _changes(n, argument.arg)), None)
            if change is None:
                continue
            yield module.claim(
                RULE,
                change,
                scenario=f"Two calls of `{function.name}` that leave out `{argument.arg}` share one object: the second sees "
                f"what the first put into it here.",
                fix=f"Use `{argument.arg}=None` and make a new object in the function.",
                facts={"name": argument.arg, "function": module.qualname(function)},
                related=(module.related("definition", default, "the shared default"),),
            )


def _mutable(node: ast.expr) -> bool:
    if isinstance(node, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp):
        return True
    return isinstance(node, ast.Call) and dotted(node.func) in {
        "list",
        "dict",
        "set",
        "defaultdict",
        "collections.defaultdict",
    }


def _changes(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in MUTATORS and isinstance(node.func.value, ast.Name) and node.func.value.id == name
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        return isinstance(node.value, ast.Name) and node.value.id == name
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) and node.target.id == name
    return False


CHECK = Check(rules=(RULE,), module=check)
