"""Facts about a whole project that fit in memory when its trees do not: who is defined where, and who calls whom."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from harness.source.module import FunctionNode, Module
from harness.source.syntax import collector_paused


class Function(NamedTuple):
    """One function or method."""

    name: str
    """Dotted: module, then qualified name (`pkg.mod.Class.method`)."""
    path: str
    """File."""
    qualname: str
    """Qualified name inside the module."""
    line: int
    """Line of `def`."""
    parameters: tuple[str, ...]
    """Positional parameters in order, then keyword-only ones; without the stars."""
    is_async: bool
    """`async def`."""
    is_generator: bool
    """Its own body yields."""
    decorators: tuple[str, ...]
    """Resolved names of decorators (of the function called, for `@d(...)`)."""
    class_name: str | None
    """Dotted name of the class whose body it stands in."""
    test: bool
    """In test code."""


class Class(NamedTuple):
    """One class."""

    name: str
    """Dotted: module, then qualified name."""
    path: str
    """File."""
    line: int
    """Line of `class`."""
    bases: tuple[str, ...]
    """Resolved names of bases that are names."""
    methods: tuple[str, ...]
    """Names of functions in its body."""
    test: bool
    """In test code."""


class Call(NamedTuple):
    """One call expression."""

    target: str
    """Resolved dotted name; `?.name` when the receiver is no name (`f().name()`); `self.x` stays as it is."""
    path: str
    """File."""
    line: int
    """Line of the call."""
    column: int
    """`ast` column (UTF-8 bytes, from 0), so that the node can be found again."""
    caller: str
    """Qualified name of the innermost function around it, '' at module level."""
    test: bool
    """In test code."""


@dataclass
class Index:
    """The facts. Lists are in order of path and line."""

    module_paths: dict[str, str] = field(default_factory=dict)
    """Dotted module name -> path."""
    functions: dict[str, Function] = field(default_factory=dict)
    """Dotted name -> function; the last definition wins."""
    by_simple_name: dict[str, list[Function]] = field(default_factory=dict)
    """Last part of the name -> all functions so called."""
    classes: dict[str, Class] = field(default_factory=dict)
    """Dotted name -> class."""
    calls: dict[str, list[Call]] = field(default_factory=dict)
    """Last part of the target -> calls."""
    exported: dict[str, str] = field(default_factory=dict)
    """`package.name` -> dotted origin, for names a module imports from elsewhere (re-exports)."""

    def canonical(self, name: str) -> str:
        """Follow re-exports (at most 8) to the dotted name of the definition; the name itself when there is none."""
        for _ in range(8):
            if name in self.functions or name in self.classes or name in self.module_paths:
                return name
            head, _, last = name.rpartition(".")
            if name in self.exported:
                name = self.exported[name]
            elif head in self.exported:
                name = f"{self.exported[head]}.{last}"
            else:
                below = self._below_a_root(name)
                if below is None:
                    return name
                name = below
        return name

    def _below_a_root(self, name: str) -> str | None:
        """`name` with the one folder in front below which it exists, None when there is no such folder or several.

        A program that is started in `backend/`, which is no package, imports `db.users`; its dotted name is
        `backend.db.users`.
        """
        first = name.partition(".")[0]
        if first in self.module_paths:
            return None
        found = [f"{root}.{name}" for root in self._roots.get(first, ())]
        found = [f for f in found if f in self.module_paths or f.rpartition(".")[0] in self.module_paths]
        return found[0] if len(found) == 1 else None

    @cached_property
    def _roots(self) -> dict[str, list[str]]:
        """First part of a name -> folders, not packages, that hold a module or package so called."""
        table: dict[str, list[str]] = {}
        for name in self.module_paths:
            parts = name.split(".")
            for depth in range(1, len(parts)):
                folder = ".".join(parts[:depth])
                known = table.setdefault(parts[depth], [])
                if folder not in self.module_paths and folder not in known:
                    known.append(folder)
        return table

    def function(self, name: str) -> Function | None:
        """The function with this dotted name, re-exports followed."""
        return self.functions.get(self.canonical(name))

    def callers(self, function: Function) -> list[Call]:
        """Calls that may reach `function`: same last name, and the target resolves to it or its receiver is unknown.

        A call of a class counts as a call of its `__init__`.
        """
        last = function.qualname.rpartition(".")[2]
        if last == "__init__" and function.class_name:
            calls = self._calls_named(function.class_name)
            return [c for c in calls if self.canonical(c.target) == function.class_name]
        found = []
        for call in self._calls_named(function.name):
            target = self.canonical(call.target)
            if target == function.name or (function.class_name is not None and target not in self.functions):
                found.append(call)
        return found

    def _calls_named(self, name: str) -> list[Call]:
        """Calls by the last part of a dotted name, or by another name under which a module exports it."""
        last = name.rpartition(".")[2]
        others = self._renamed.get(name)
        if not others:
            return self.calls.get(last, [])
        found = [call for word in (last, *others) for call in self.calls.get(word, [])]
        return sorted(found, key=lambda c: (c.path, c.line, c.column))

    @cached_property
    def _renamed(self) -> dict[str, list[str]]:
        table: dict[str, list[str]] = {}
        for name, target in self.exported.items():
            last = name.rpartition(".")[2]
            if last != target.rpartition(".")[2]:
                others = table.setdefault(self.canonical(name), [])
                if last not in others:
                    others.append(last)
        return table

    def subclasses(self, name: str) -> list[Class]:
        """Classes that name `name` as a base, directly or not; nearer ones first."""
        found: dict[str, Class] = {}
        level = [name]
        while level:
            below = [c for parent in level for c in self._children.get(parent, []) if c.name not in found]
            found.update((c.name, c) for c in below)
            level = list(dict.fromkeys(c.name for c in below))
        return [c for c in found.values() if c.name != name]

    @cached_property
    def _children(self) -> dict[str, list[Class]]:
        table: dict[str, list[Class]] = {}
        for cls in self.classes.values():
            for base in dict.fromkeys(map(self.canonical, cls.bases)):
                table.setdefault(base, []).append(cls)
        return table


def build(modules: Iterable[Module]) -> Index:
    """Read every module once and keep no tree."""
    index = Index()
    with collector_paused():
        for module in modules:
            _add_module(index, module)
    return index


def _add_module(index: Index, module: Module) -> None:
    index.module_paths[module.name] = module.path
    for local, target in module.imports.items():
        index.exported[_dotted(module, local)] = target
    for qualname, cls in module.classes:
        _add_class(index, module, qualname, cls)
    generators = _generators(module)
    for qualname, node in module.functions:
        function = _function(module, qualname, node, is_generator=node in generators)
        index.functions[function.name] = function
        index.by_simple_name.setdefault(node.name, []).append(function)
    for call in module.nodes(ast.Call):
        _add_call(index, module, call)


def _dotted(module: Module, qualname: str) -> str:
    return f"{module.name}.{qualname}" if module.name else qualname


def _add_class(index: Index, module: Module, qualname: str, node: ast.ClassDef) -> None:
    bases = tuple(name for name in map(module.resolve, node.bases) if name)
    methods = tuple(s.name for s in node.body if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef))
    name = _dotted(module, qualname)
    index.classes[name] = Class(name, module.path, node.lineno, bases, methods, module.test)


def _function(module: Module, qualname: str, node: FunctionNode, *, is_generator: bool) -> Function:
    arguments = node.args
    names = tuple(a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
    decorators = tuple(
        name for name in (module.resolve(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list) if name
    )
    parent = module.parents.get(node)
    class_name = _dotted(module, module.qualname(parent)) if isinstance(parent, ast.ClassDef) else None
    return Function(
        name=_dotted(module, qualname),
        path=module.path,
        qualname=qualname,
        line=node.lineno,
        parameters=names,
        is_async=isinstance(node, ast.AsyncFunctionDef),
        is_generator=is_generator,
        decorators=decorators,
        class_name=class_name,
        test=module.test,
    )


def _generators(module: Module) -> set[ast.AST]:
    """Functions whose own body yields."""
    found: set[ast.AST] = set()
    for node in module.nodes(ast.Yield, ast.YieldFrom):
        for up in module.ancestors(node):
            if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
                found.add(up)
                break
    return found


def _add_call(index: Index, module: Module, call: ast.Call) -> None:
    target = module.resolve(call.func)
    if target is None:
        if not isinstance(call.func, ast.Attribute):
            return
        target = f"?.{call.func.attr}"
    function = module.enclosing_function(call)
    index.calls.setdefault(target.rpartition(".")[2], []).append(
        Call(
            target,
            module.path,
            call.lineno,
            call.col_offset,
            module.qualname(function) if function else "",
            module.test,
        )
    )
