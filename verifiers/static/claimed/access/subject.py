"""The function that a claim is about, and what is called from it."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.claimed.size import is_large

_DEPTH = 3
"""Calls that are followed from a function into others."""
_MOST = 40
"""Functions that are looked at from one."""
_SO_CALLED = 5
"""Methods of one name that are followed."""


class Subject(NamedTuple):
    """A function of the project."""

    module: Module
    node: FunctionNode

    @property
    def name(self) -> str:
        """Dotted name, module in front."""
        qualname = self.module.qualname(self.node)
        return f"{self.module.name}.{qualname}" if self.module.name else qualname

    @property
    def parameters(self) -> list[ast.arg]:
        """All that can be given by name or position."""
        return [*self.node.args.posonlyargs, *self.node.args.args, *self.node.args.kwonlyargs]


def module_of(finding: Finding, project: Project) -> Module | None:
    """The parsed file of the claim."""
    return _module(project, finding.path)


def subject_at(module: Module, line: int) -> Subject | None:
    """The innermost function around `line`, its decorators included, or the one that begins below comments there."""
    around = []
    for _, node in module.functions:
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        while first > 1 and module.line_text(first - 1).startswith("#"):
            first -= 1
        if first <= line <= (node.end_lineno or node.lineno):
            around.append((node.lineno, node))
    return Subject(module, max(around, key=lambda a: a[0])[1]) if around else None


def callee(module: Module, call: ast.Call, project: Project) -> Subject | None:
    """The function of the project that a call reaches, by name."""
    return named(module, call.func, project)


def named(module: Module, node: ast.expr, project: Project) -> Subject | None:
    """The function of the project that an expression names."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}:
        cls = module.enclosing_class(node)
        for statement in cls.body if cls is not None else ():
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == node.attr:
                return Subject(module, statement)
        return None
    name = module.resolve(node)
    if name is None:
        return None
    function = project.index.function(name)
    if function is None and "." not in name and module.name:
        function = project.index.function(f"{module.name}.{name}")
    if function is None and "." not in name:
        function = next(
            (f for f in (project.index.function(f"{b}.{name}") for b in stars(module)) if f is not None), None
        )
    if function is None:
        return None
    home = _module(project, function.path)
    found = dict(home.functions).get(function.qualname) if home is not None else None
    return Subject(home, found) if home is not None and found is not None and not is_large(home, found) else None


def stars(module: Module) -> list[str]:
    """Dotted names of the modules from which all names are imported."""
    found = []
    for node in module.nodes(ast.ImportFrom):
        if any(a.name == "*" for a in node.names):
            package = module.package[: len(module.package) - (node.level - 1)] if node.level else []
            found.append(".".join([*package, *([node.module] if node.module else [])]))
    return found


def reached(subject: Subject, project: Project, *, loosely: bool = False) -> Iterator[Subject]:
    """The function, then those that it calls by name, nearest first.

    `loosely` also follows calls of methods of objects that nothing is known of, to every method of the project so called.
    """
    seen = {subject.name}
    level = [subject]
    for _ in range(_DEPTH):
        yield from level
        below = []
        for one in level:
            for call in (n for n in ast.walk(one.node) if isinstance(n, ast.Call)):
                known = callee(one.module, call, project)
                for next_one in [known] if known is not None else _so_called(call, project) if loosely else []:
                    if next_one.name not in seen and len(seen) < _MOST:
                        seen.add(next_one.name)
                        below.append(next_one)
        level = below


def _so_called(call: ast.Call, project: Project) -> list[Subject]:
    found = []
    if isinstance(call.func, ast.Attribute):
        for function in project.index.by_simple_name.get(call.func.attr, [])[:_SO_CALLED]:
            home = _module(project, function.path) if function.class_name and not function.test else None
            node = dict(home.functions).get(function.qualname) if home is not None else None
            if home is not None and node is not None and not is_large(home, node):
                found.append(Subject(home, node))
    return found


def _module(project: Project, path: str) -> Module | None:
    entry = project.entries.get(path)
    if entry is None or entry.language != "python":
        return None
    try:
        return project.module(path)
    except (NotParsed, OSError):
        return None
