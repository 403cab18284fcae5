"""Follows an expression back to where its value comes from, through names, calls, parameters and attributes.

No values are computed and no path is told from another, so it reaches farther than an evaluation and says less: what a
check may have looked at is marked, and what a library does to a value is UNKNOWN unless it is modelled. Bounded in steps;
past the bound everything is UNKNOWN.
"""

import ast
import builtins
import re
from dataclasses import replace

from harness.schema.location import Location
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.output import bindings, checks, databases, librarian, registered
from verifiers.static.claimed.output.calling import (
    DEFAULT,
    MOST_CALLERS,
    Entered,
    Pick,
    Stack,
    argument_of,
)
from verifiers.static.claimed.output.classes import class_name, is_static, owner_of
from verifiers.static.claimed.output.objects import Objects
from verifiers.static.claimed.output.origin import (
    FIXED,
    OBJECT,
    OUTSIDER,
    REQUEST,
    STORED,
    UNKNOWN,
    Origin,
    Place,
)
from verifiers.static.security import untrusted
from verifiers.static.security.values import DIGITS, Piece, Request

_BUILTIN = frozenset(dir(builtins)) | {"__file__", "__name__"}
MOST_STEPS = 6_000
DEEPEST = 12
MOST_NESTED = 110
"""Expressions that are inside one another."""


class Trace(Objects):
    """Traces of one ruling."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self.steps = 0
        self._open: set[tuple[object, ...]] = set()

    def of(self, module: Module, node: ast.expr, stack: Stack = (), pick: Pick = None) -> list[Origin]:
        """Origins of an expression; `pick` is the item that is taken from it."""
        key = (module.path, type(node), node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, pick,
               tuple((e.path, e.call.lineno, e.call.col_offset) for e in stack))  # fmt: skip
        self.steps += 1
        if self.steps > MOST_STEPS or len(self._open) > MOST_NESTED:
            return [self._unknown(module, node, "a value that is made in too many ways to follow")]
        if key in self._open:
            return []
        self._open.add(key)
        try:
            return list(dict.fromkeys(self._of(module, node, stack, pick)))
        finally:
            self._open.discard(key)

    def _of(self, module: Module, node: ast.expr, stack: Stack, pick: Pick) -> list[Origin]:
        match node:
            case ast.Constant():
                text = node.value if isinstance(node.value, str) else ""
                return [Origin(FIXED, "constant", module.location(node), text=text[:400])]
            case ast.Await() | ast.Starred() | ast.FormattedValue() | ast.NamedExpr():
                found = self.of(module, node.value, stack, pick)
                if isinstance(node, ast.FormattedValue) and node.conversion == ord("r"):
                    return [o.marked("lineless") for o in found]
                if isinstance(node, ast.FormattedValue) and re.search(r"[dfeg]'?$", _spec(node)):
                    return [o.marked("number") for o in found]
                return found
            case ast.BinOp(op=ast.Mod() | ast.Add()) if librarian.is_markup(module, node.left):
                right = [o.marked("escaped") for o in self.of(module, node.right, stack)]
                return [*self.of(module, node.left, stack), *right]
            case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str() as template)) if _only_numbers(template):
                return [o.marked("number") for o in self.of(module, node.right, stack)]
            case ast.IfExp():
                return [*self.of(module, node.body, stack, pick), *self.of(module, node.orelse, stack, pick)]
            case ast.BoolOp():
                return [o for v in node.values for o in self.of(module, v, stack, pick)]
            case ast.BinOp(op=ast.Add() | ast.Mod() | ast.Mult() | ast.BitOr()):
                return [*self.of(module, node.left, stack, pick), *self.of(module, node.right, stack)]
            case ast.BinOp(op=ast.Div()) if isinstance(node.right, ast.Constant | ast.JoinedStr):  # of a path
                return [*self.of(module, node.left, stack), *self.of(module, node.right, stack)]
            case ast.BinOp() | ast.UnaryOp() | ast.Compare():
                return [Origin(FIXED, "number", module.location(node))]
            case ast.JoinedStr():
                return [o for v in node.values for o in self.of(module, v, stack)] or [
                    Origin(FIXED, "constant", module.location(node))
                ]
            case ast.Tuple() | ast.List() | ast.Set():
                if isinstance(pick, int) and 0 <= pick < len(node.elts):
                    return self.of(module, node.elts[pick], stack)
                return [o for e in node.elts for o in self.of(module, e, stack)] or [
                    Origin(FIXED, "empty", module.location(node))
                ]
            case ast.Dict():
                return self._dict(module, node, stack, pick)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self.of(module, node.elt, stack)
            case ast.DictComp():
                return [*self.of(module, node.key, stack), *self.of(module, node.value, stack)]
            case ast.Name():
                return self._name(module, node, stack, pick)
            case ast.Attribute():
                return self._attribute(module, node, stack, pick)
            case ast.Subscript():
                key = node.slice.value if isinstance(node.slice, ast.Constant) else None
                wanted = key if isinstance(key, int | str) and not isinstance(key, bool) else None
                return [self._item(o, key, module, node) for o in self.of(module, node.value, stack, wanted)]
            case ast.Call():
                return self._call(module, node, stack, pick)
            case _:
                return [self._unknown(module, node, f"`{ast.unparse(node)[:40]}`")]

    def _dict(self, module: Module, node: ast.Dict, stack: Stack, pick: Pick) -> list[Origin]:
        items = list(zip(node.keys, node.values, strict=True))
        if isinstance(pick, str) and all(isinstance(k, ast.Constant) for k, _ in items):
            items = [(k, v) for k, v in items if isinstance(k, ast.Constant) and k.value == pick]
        found = [o for _, v in items for o in self.of(module, v, stack)]
        return found or [Origin(FIXED, "empty", module.location(node))]

    def _item(self, origin: Origin, key: object, module: Module, node: ast.expr) -> Origin:
        if origin.kind == STORED and isinstance(key, str) and not origin.column:
            return replace(origin, column=key)
        if origin.kind == STORED and isinstance(key, int) and not origin.columns and not origin.column:
            return replace(origin, column=f"#{key}")
        if origin.kind == OUTSIDER and "mapping" in origin.marks:
            return replace(origin, at=module.location(node), marks=(origin.marks - {"mapping"}) | {"text"})
        if origin.kind == OBJECT and origin.what == "wsgi":
            return librarian.environ(key, module.location(node))
        return origin

    def _name(self, module: Module, node: ast.Name, stack: Stack, pick: Pick) -> list[Origin]:
        at = module.location(node)
        found: list[Origin] = []
        for binding in bindings.bindings(module, node):
            found += self._binding(module, node, binding, stack, pick)
        if not found and not bindings.bindings(module, node):
            dotted = module.resolve(node) or node.id
            return [self._global(dotted, at)]
        if any(o.kind in {OUTSIDER, UNKNOWN} for o in found) and checks.checks(module, node) is not None:
            found = [o.marked("checked") if o.kind == OUTSIDER else o for o in found]
        return found

    def _binding(
        self, module: Module, use: ast.Name, binding: bindings.Binding, stack: Stack, pick: Pick
    ) -> list[Origin]:
        match binding.how, binding.node:
            case "parameter", ast.arg() as argument if binding.scope is not None:
                return self._parameter(module, binding.scope, argument, stack, pick)
            case "value" | "content", ast.expr() as value:
                return self.of(module, value, stack, binding.pick if binding.pick is not None else pick)
            case "element", ast.expr() as value:
                return [self._element(o, module, use) for o in self.of(module, value, stack)]
            case "context", ast.expr() as value:
                return self.of(module, value, stack)
            case "import", _:
                return [self._global(module.resolve(use) or use.id, module.location(use))]
            case "definition", (ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef()):
                return [Origin(FIXED, "definition", module.location(use))]
            case _:
                return [self._unknown(module, use, f"`{use.id}`")]

    def _element(self, origin: Origin, module: Module, use: ast.Name) -> Origin:
        if origin.kind == OUTSIDER and "mapping" in origin.marks:
            return replace(origin, at=module.location(use), marks=origin.marks - {"mapping"})
        return origin

    def _global(self, dotted: str, at: Location) -> Origin:
        known = untrusted.GLOBALS.get(dotted)
        if known is not None:
            return Origin(REQUEST, known.framework, at)
        canonical = self.project.index.canonical(dotted)
        if canonical in self.project.index.classes:
            return Origin(FIXED, f"class {canonical}", at)
        value = self.constant(dotted)
        if value is not None:
            home, expression = value
            return next(iter(self.of(home, expression)), Origin(FIXED, "constant", at))
        if dotted in _BUILTIN:
            return Origin(FIXED, f"builtin {dotted}", at)
        return Origin(UNKNOWN, f"`{dotted}`", at)

    def _parameter(
        self, module: Module, function: FunctionNode, argument: ast.arg, stack: Stack, pick: Pick
    ) -> list[Origin]:
        at = module.location(argument)
        place = Place(module.path, module.qualname(function))
        owner = owner_of(module, function)
        first = [*function.args.posonlyargs, *function.args.args][:1]
        if owner is not None and first and first[0] is argument and not is_static(function):
            return self._receiver(stack, place) or [Origin(OBJECT, class_name(module, owner), at)]
        if stack and stack[-1].callee == place:
            return [o.passing(place) for o in self._given(module, function, argument, stack, pick)]
        known = self._from_outside(module, function, argument)
        if known is not None:
            return [known]
        for depth in range(len(stack) - 1, 0, -1):  # a name of a function around the innermost one
            if stack[depth - 1].callee == place:
                return [o.passing(place) for o in self._given(module, function, argument, stack[:depth], pick)]
        found: list[Origin] = []
        called = False
        for entered in self.callers(module, function)[:MOST_CALLERS]:
            called = True
            found += self._given(module, function, argument, (entered,), pick)
        if not called:
            return [Origin(UNKNOWN, f"parameter `{argument.arg}` of `{place.qualname}`, which nothing here calls", at)]
        return [o.passing(place) for o in found]

    def _receiver(self, stack: Stack, place: Place) -> list[Origin]:
        """Objects that a method was called on, where the call is known."""
        if not stack or stack[-1].callee != place or not stack[-1].bound:
            return []
        func, home = stack[-1].call.func, self.module(stack[-1].path)
        if home is None or not isinstance(func, ast.Attribute):
            return []
        return [o for o in self.of(home, func.value, stack[:-1]) if o.kind == OBJECT]

    def _from_outside(self, module: Module, function: FunctionNode, argument: ast.arg) -> Origin | None:
        at = module.location(argument)
        value = untrusted.parameters(module, function).get(argument.arg)
        if isinstance(value, Request):
            return Origin(REQUEST, value.framework, at)
        if isinstance(value, Piece):
            marks = {"number"} if value.chars <= DIGITS else {"text"}
            if "/" not in value.chars:
                marks.add("segment")
            if registered.restricted(module, function, argument):
                marks.add("checked")
            return Origin(OUTSIDER, value.source, at, marks=frozenset(marks))
        if untrusted.routes(module, function):
            name = untrusted.model_name(module, argument)
            cls = self.class_of(module, name) if name else None
            if cls is not None and any(b.startswith("pydantic.") for b in self.library_bases(cls)):
                return Origin(OBJECT, f"body:{cls}", at)
        if [a.arg for a in function.args.args][-2:] == ["environ", "start_response"] and argument.arg == "environ":
            return Origin(OBJECT, "wsgi", at)
        return registered.parameter(self.project, module, function, argument)

    def _given(
        self, module: Module, function: FunctionNode, argument: ast.arg, stack: Stack, pick: Pick
    ) -> list[Origin]:
        """Origins of what the innermost call of the stack gives for the parameter."""
        entered = stack[-1]
        home = self.module(entered.path)
        if home is None:
            return []
        given = argument_of(function, argument, entered)
        if given is None:
            return [self._unknown(home, entered.call, f"what `{argument.arg}` is given")]
        if given is DEFAULT:
            return [Origin(FIXED, "default", module.location(argument))]
        assert isinstance(given, ast.expr)  # the two other answers are above
        return self.of(home, given, stack[:-1], None if isinstance(given, ast.Starred) else pick)

    def _call(self, module: Module, node: ast.Call, stack: Stack, pick: Pick) -> list[Origin]:
        if len(stack) < DEEPEST:
            entered = self.callees(module, node, stack)
            if entered:
                found = [o for e in entered for o in self.returned(e, stack, pick)]
                return found or [self._unknown(module, node, f"`{ast.unparse(node.func)}()`")]
        made = self.made(module, node, stack)
        if made is not None:
            return made
        if isinstance(node.func, ast.Attribute):
            stored = databases.read(self, module, node)
            if stored is not None:
                return stored
        return librarian.result(self, module, node, stack)

    def returned(self, entered: Entered, stack: Stack, pick: Pick = None) -> list[Origin]:
        """Origins of what a function gives back when it is called so."""
        home, node = self.module(entered.callee.path), self.function(entered.callee)
        if home is None or node is None or any(e.callee == entered.callee for e in stack):
            return []
        found = []
        for part in bindings.own_nodes(node):
            if isinstance(part, ast.Return | ast.Yield) and part.value is not None:
                found += [o.passing(entered.callee) for o in self.of(home, part.value, (*stack, entered), pick)]
        return found

    def _unknown(self, module: Module, node: ast.expr, what: str) -> Origin:
        return Origin(UNKNOWN, what, module.location(node))


def _spec(node: ast.FormattedValue) -> str:
    return ast.unparse(node.format_spec) if node.format_spec is not None else ""


def _only_numbers(template: str) -> bool:
    """Whether a `%` template puts in numbers only."""
    kinds = re.findall(r"%(?:\(\w+\))?[-+ #0-9.*]*([a-zA-Z%])", template)
    return bool(kinds) and all(k in "dioxXeEfFgG%" for k in kinds)
