"""Which functions a call reaches, which calls reach a function, and what they give for a parameter."""

import ast
from abc import abstractmethod
from typing import NamedTuple

from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.output import bindings
from verifiers.static.claimed.output.classes import Classes
from verifiers.static.claimed.output.origin import OBJECT, OUTSIDER, REQUEST, STORED, UNKNOWN, Origin, Place

MOST_CALLERS = 24
Pick = int | str | None


class Entered(NamedTuple):
    """A call that the trace went into."""

    path: str
    call: ast.Call
    callee: Place
    bound: bool
    """The first parameter is the receiver."""


Stack = tuple[Entered, ...]


class Calling(Classes):
    """Calls of one project; receivers are told apart by where they come from."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._callers: dict[Place, list[Entered]] = {}

    @abstractmethod
    def of(self, module: Module, node: ast.expr, stack: Stack = (), pick: Pick = None) -> list[Origin]:
        """Origins of an expression."""

    def given(
        self, module: Module, function: FunctionNode, argument: ast.arg, stack: Stack
    ) -> list[tuple[Module, ast.expr, Stack]]:
        """Expressions that calls give for a parameter: the call of the stack, else every caller's."""
        place = Place(module.path, module.qualname(function))
        inner = bool(stack) and stack[-1].callee == place
        found = []
        for entered in [stack[-1]] if inner else self.callers(module, function)[:MOST_CALLERS]:
            home, value = self.module(entered.path), argument_of(function, argument, entered)
            if home is not None and isinstance(value, ast.expr):
                found.append((home, value, stack[:-1] if inner else ()))
        return found

    def callers(self, module: Module, function: FunctionNode) -> list[Entered]:
        """Calls outside of tests that reach the function, or a method of a class it is overridden from."""
        place = Place(module.path, module.qualname(function))
        if place not in self._callers:
            self._callers[place] = []  # while it is worked out
            self._callers[place] = self._calls_of(module, function, place)
        return self._callers[place]

    def _calls_of(self, module: Module, function: FunctionNode, place: Place) -> list[Entered]:
        qualname = place.qualname
        known = self.project.index.functions.get(f"{module.name}.{qualname}" if module.name else qualname)
        found: list[Entered] = []
        if known is not None:
            for call in self.project.index.callers(known):
                home = self.module(call.path) if not call.test else None
                node = _call_at(home, call.line, call.column) if home is not None else None
                if home is None or node is None:
                    continue
                if function.name == "__init__" and known.class_name:
                    found.append(Entered(call.path, node, place, bound=True))
                    continue
                for target in self.callees(home, node, ()):
                    if target.callee == place:
                        found.append(target)
                        break
        if not found:
            for node in module.nodes(ast.Call):
                if isinstance(node.func, ast.Name) and node.func.id == function.name:
                    hits = [t for t in self.callees(module, node, ()) if t.callee == place]
                    found += hits[:1]
        return found

    def callees(self, module: Module, call: ast.Call, stack: Stack) -> list[Entered]:
        """Functions of the project that a call may reach."""
        func = call.func
        if isinstance(func, ast.Name):
            for binding in bindings.bindings(module, func):
                if isinstance(binding.node, ast.FunctionDef | ast.AsyncFunctionDef):
                    return [Entered(module.path, call, Place(module.path, module.qualname(binding.node)), bound=False)]
                if binding.how == "parameter":
                    return self._passed(module, call, binding, stack)
        dotted = module.resolve(func)
        if dotted is not None and not dotted.startswith(("self.", "cls.")):
            known = self.project.index.function(dotted)
            if known is not None:
                return [
                    Entered(
                        module.path,
                        call,
                        Place(known.path, known.qualname),
                        self.is_classmethod(known.path, known.qualname),
                    )
                ]
        if isinstance(func, ast.Attribute):
            return self._methods(module, call, func, stack)
        return []

    def _passed(self, module: Module, call: ast.Call, binding: bindings.Binding, stack: Stack) -> list[Entered]:
        """A parameter is called: the function that the caller handed over."""
        if binding.scope is None or not isinstance(binding.node, ast.arg):
            return []
        place = Place(module.path, module.qualname(binding.scope))
        callers = [stack[-1]] if stack and stack[-1].callee == place else self.callers(module, binding.scope)
        found = []
        for entered in callers[:MOST_CALLERS]:
            home = self.module(entered.path)
            given = argument_of(binding.scope, binding.node, entered)
            if home is None or not isinstance(given, ast.Name):
                continue
            for inner in bindings.bindings(home, given):
                if isinstance(inner.node, ast.FunctionDef | ast.AsyncFunctionDef):
                    found.append(Entered(module.path, call, Place(home.path, home.qualname(inner.node)), bound=False))
        return found

    def _methods(self, module: Module, call: ast.Call, func: ast.Attribute, stack: Stack) -> list[Entered]:
        root = func.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id in module.imports and not self._ours(module.imports[root.id]):
            return []
        named = [f for f in self.project.index.by_simple_name.get(func.attr, []) if f.class_name and not f.test]
        if not named:
            return []
        origins = self.of(module, func.value, stack)
        classes = {o.what for o in origins if o.kind == OBJECT and not o.what.startswith("body:")}
        found: list[Place] = []
        for cls in sorted(classes):
            found += self.method(cls, func.attr)
        kinds = {o.kind for o in origins}
        open_ = UNKNOWN in kinds or not kinds or _is_loop(module, func.value)
        if not found and not classes and open_ and not kinds & {STORED, OUTSIDER, REQUEST}:
            found = self.one_family([(f.path, f.qualname, f.class_name or "") for f in named])
        return [Entered(module.path, call, p, bound=not self.static(p)) for p in dict.fromkeys(found)]

    def _ours(self, dotted: str) -> bool:
        first = self.project.index.canonical(dotted)
        return first in self.project.index.module_paths or any(
            first in table for table in (self.project.index.functions, self.project.index.classes)
        ) or self.constant(dotted) is not None  # fmt: skip

    def constant(self, dotted: str) -> tuple[Module, ast.expr] | None:
        """A name that another module of the project binds to one expression."""
        head, _, last = self.project.index.canonical(dotted).rpartition(".")
        home = self.project.module_named(head) if head else None
        statement = home.definitions.get(last) if home is not None else None
        if home is not None and isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            return home, statement.value
        return None


DEFAULT = object()
"""The parameter keeps its default."""


def argument_of(function: FunctionNode, argument: ast.arg, entered: Entered) -> ast.expr | object | None:
    """What a call gives for a parameter: an expression, DEFAULT, or None when it does not show."""
    a, call = function.args, entered.call
    positional = [*a.posonlyargs, *a.args]
    for keyword in call.keywords:
        if keyword.arg == argument.arg:
            return keyword.value
    if argument is a.vararg or argument is a.kwarg:
        rest = call.args[len(positional) - (1 if entered.bound else 0) :]
        return rest[0] if argument is a.vararg and rest else None
    at = next((n for n, p in enumerate(positional) if p is argument), None)
    if at is not None:
        at -= 1 if entered.bound else 0
        starred = next((n for n, g in enumerate(call.args) if isinstance(g, ast.Starred)), None)
        if starred is not None and at >= starred:
            return call.args[starred]
        if 0 <= at < len(call.args):
            return call.args[at]
    if any(k.arg is None for k in call.keywords):
        return None
    defaults = [*positional[len(positional) - len(a.defaults) :]] if a.defaults else []
    with_default = [*defaults, *(k for k, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None)]
    return DEFAULT if any(p is argument for p in with_default) else None


def _is_loop(module: Module, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and any(b.how == "element" for b in bindings.bindings(module, node))


def _call_at(module: Module, line: int, column: int) -> ast.Call | None:
    found = [c for c in module.nodes(ast.Call) if (c.lineno, c.col_offset) == (line, column)]
    return max(found, key=lambda c: (c.end_lineno or 0, c.end_col_offset or 0)) if found else None
