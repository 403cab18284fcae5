"""Where a function of the project is used: which mentions of its name mean it, and which mean another of the same name."""

import ast
import io
import pathlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.source.index import Function
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.surroundings import chain

COMMON = frozenset(
    name
    for kind in (list, dict, set, str, bytes, int, tuple, io.TextIOWrapper, pathlib.Path, re.Pattern, re.Match)
    for name in dir(kind)
    if not name.startswith("_")
)
"""Methods of types that every program uses: `x.append(...)` says little about a class of the project that has one, too."""


class Use(NamedTuple):
    """One line that uses the function, or may."""

    user: str
    """Qualified name of the function around it, `module` at module and class level."""
    sure: bool
    """False when the object before the dot may be of another type."""


def uses(project: Project, module: Module, line: int, target: Function) -> list[Use] | None:
    """What a line of Python does with the name of `target`; None where it is only imported, defined or written about."""
    name = target.qualname.rpartition(".")[2]
    mentions = list(_mentions(module, name, line))
    found: list[Use] = []
    for node in mentions:
        sure = True
        if isinstance(node, ast.Attribute) and target.class_name and name in COMMON:
            means = _means(project, module, node, target.class_name)
            if means is False:
                continue
            sure = means is True
        around = module.enclosing_function(node)
        found.append(Use(module.qualname(around) if around else "module", sure))
    return found if mentions else None


def _mentions(module: Module, name: str, line: int) -> Iterator[ast.Name | ast.Attribute]:
    yield from (n for n in module.nodes(ast.Name) if n.id == name and n.lineno == line)
    yield from (
        n for n in module.nodes(ast.Attribute) if n.attr == name and n.lineno <= line <= (n.end_lineno or n.lineno)
    )


def _means(project: Project, module: Module, use: ast.Attribute, cls: str) -> bool | None:
    """Whether the object before the dot is of the class or its family; None when its type is not to be seen."""
    owner = use.value
    around = module.enclosing_class(use)
    if isinstance(owner, ast.Name) and owner.id in {"self", "cls"} and around is not None:
        return _related(
            project, f"{module.name}.{module.qualname(around)}" if module.name else module.qualname(around), cls
        )
    if isinstance(owner, ast.Name | ast.Attribute) and (dotted := module.resolve(owner)) is not None:
        canonical = project.index.canonical(dotted)
        if canonical in project.index.classes:
            return _related(project, canonical, cls)
    if not isinstance(owner, ast.Name | ast.Attribute):
        return _is_of(project, module, owner, cls)
    said = [_is_of(project, module, value, cls) for value in _bound(module, use, chain(owner))]
    if any(said):
        return True
    return False if said and all(s is False for s in said) else None


def _bound(module: Module, use: ast.AST, name: str) -> Iterator[ast.expr | None]:
    """What a name or attribute is given in the function, class or module that it belongs to; None for what is not to be seen."""
    owner = module.enclosing_class(use) if name.startswith("self.") else module.enclosing_function(use)
    for node in ast.walk(owner or module.tree):
        match node:
            case ast.Assign(targets=targets, value=value) if any(chain(t) == name for t in targets):
                yield value
            case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                if chain(target) == name:
                    yield value
            case ast.withitem(context_expr=value, optional_vars=target) if chain(target) == name:
                yield value
            case ast.arg(arg=argument) if argument == name:
                yield None
            case ast.For(target=target) | ast.AsyncFor(target=target) | ast.comprehension(target=target):
                if any(chain(t) == name for t in ast.walk(target)):
                    yield None


def _is_of(project: Project, module: Module, value: ast.expr | None, cls: str) -> bool | None:
    """Whether an expression makes an object of the class; False where it makes one of another type."""
    if isinstance(
        value,
        ast.Constant
        | ast.JoinedStr
        | ast.List
        | ast.Dict
        | ast.Set
        | ast.Tuple
        | ast.ListComp
        | ast.DictComp
        | ast.SetComp,
    ):
        return False
    if not isinstance(value, ast.Call) or (dotted := module.resolve(value.func)) is None:
        return None
    if dotted in {"list", "dict", "set", "str", "bytes", "tuple", "int", "open", "bytearray", "frozenset", "sorted"}:
        return False
    canonical = project.index.canonical(dotted)
    if canonical in project.index.classes:
        return _related(project, canonical, cls)
    return False if dotted.startswith(("collections.", "pathlib.", "re.", "io.")) else None


def _related(project: Project, one: str, other: str) -> bool:
    """Whether the classes are one, or one is below the other."""
    family = {one, *(c.name for c in project.index.subclasses(one))}
    return other in family or one in {c.name for c in project.index.subclasses(other)}
