"""Which functions of the project a call may reach."""

import ast

from harness.source.index import Class, Index
from harness.source.module import Module

_TOO_COMMON = frozenset({*dir(str), *dir(dict), *dir(list), *dir(set)}) | {
    "read", "write", "close", "open", "save", "run", "send", "execute", "search",
}  # fmt: skip
"""Names that say nothing of the class of their receiver."""
MOST_CANDIDATES = 3


def callees(
    module: Module, call: ast.Call, index: Index, receiver_class: str | None, owner: str | None
) -> tuple[str, ...]:
    """Dotted names, certain ones alone, else all methods of that name when they are few.

    `receiver_class` is the dotted class of the receiver where it shows; `owner` is the class around the caller.
    """
    target = module.resolve(call.func)
    if receiver_class is not None and isinstance(call.func, ast.Attribute):
        known = method(index, receiver_class, call.func.attr)
        if known:
            return (known,)
    if target is not None:
        if target.startswith("self.") and owner and target.count(".") == 1:
            found = method(index, owner, target[5:])
            if found:
                return (found,)
        canonical = index.canonical(target)
        if canonical in index.functions:
            return (canonical,)
        if canonical in index.classes:
            found = method(index, canonical, "__init__")
            return (found,) if found else ()
        receiver = target.rpartition(".")[0]
        if receiver and receiver.partition(".")[0] in module.imports.values():
            return ()
    if isinstance(call.func, ast.Name):
        return _nested(module, call, index)
    if not isinstance(call.func, ast.Attribute) or call.func.attr in _TOO_COMMON:
        return ()
    named = [f for f in index.by_simple_name.get(call.func.attr, []) if f.class_name and not f.test]
    return tuple(f.name for f in named) if len(named) <= MOST_CANDIDATES else ()


def _nested(module: Module, call: ast.Call, index: Index) -> tuple[str, ...]:
    """A function defined inside the one that calls it, or beside it."""
    around = module.enclosing_function(call)
    while around is not None and isinstance(call.func, ast.Name):
        name = ".".join(p for p in (module.name, module.qualname(around), call.func.id) if p)
        if name in index.functions:
            return (name,)
        around = module.enclosing_function(around)
    return ()


def method(index: Index, cls: str, name: str, depth: int = 6) -> str | None:
    """Dotted name of the method `name` of the class or its nearest base in the project."""
    found: Class | None = index.classes.get(index.canonical(cls))
    if found is None or depth == 0:
        return None
    if name in found.methods:
        return f"{found.name}.{name}"
    for base in found.bases:
        inherited = method(index, base, name, depth - 1)
        if inherited:
            return inherited
    return None
