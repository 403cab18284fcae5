"""Follows an expression back to where its value comes from, through names, calls, parameters and attributes.

No values are computed and no path is told from another, so it reaches farther than an evaluation and says less: what a
check may have looked at is marked, and what a library does to a value is UNKNOWN unless it is modelled. Bounded in steps;
past the bound everything is UNKNOWN.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from harness.schema.location import Location
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.claimed.output import bindings, databases, librarian, registered
from verifiers.static.claimed.output.kept import once
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

MOST_STEPS = 6_000
DEEPEST = 12
MOST_NESTED = 110
"""Expressions that are inside one another."""
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


class Trace:
    """Traces of one ruling."""

    def __init__(self, project: Project) -> None:
        self.project = project
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
            case ast.BinOp(op=ast.Div()) if self._is_path(module, node):
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

    def _is_path(self, module: Module, node: ast.BinOp) -> bool:
        return isinstance(node.right, ast.Constant | ast.JoinedStr | ast.Name) and "ath" in ast.unparse(node.left)

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

    # names

    def _name(self, module: Module, node: ast.Name, stack: Stack, pick: Pick) -> list[Origin]:
        at = module.location(node)
        found: list[Origin] = []
        for binding in bindings.bindings(module, node):
            found += self._binding(module, node, binding, stack, pick)
        if not found and not bindings.bindings(module, node):
            dotted = module.resolve(node) or node.id
            return [self._global(module, node, dotted, at)]
        if any(o.kind in {OUTSIDER, UNKNOWN} for o in found) and bindings.checks(module, node) is not None:
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
                return [self._global(module, use, module.resolve(use) or use.id, module.location(use))]
            case "definition", (ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef()):
                return [Origin(FIXED, "definition", module.location(use))]
            case _:
                return [self._unknown(module, use, f"`{use.id}`")]

    def _element(self, origin: Origin, module: Module, use: ast.Name) -> Origin:
        if origin.kind == OUTSIDER and "mapping" in origin.marks:
            return replace(origin, at=module.location(use), marks=origin.marks - {"mapping"})
        return origin

    def _global(self, module: Module, node: ast.expr, dotted: str, at: Location) -> Origin:
        known = untrusted.GLOBALS.get(dotted)
        if known is not None:
            return Origin(REQUEST, known.framework, at)
        canonical = self.project.index.canonical(dotted)
        if canonical in self.project.index.classes:
            return Origin(FIXED, f"class {canonical}", at)
        value = self._constant(dotted)
        if value is not None:
            home, expression = value
            return next(iter(self.of(home, expression)), Origin(FIXED, "constant", at))
        if "." not in dotted and not any(dotted == n for n in module.imports):
            return Origin(FIXED, f"builtin {dotted}", at)
        return Origin(UNKNOWN, f"`{dotted}`", at)

    def _constant(self, dotted: str) -> tuple[Module, ast.expr] | None:
        """A name that another module of the project binds to one expression."""
        head, _, last = self.project.index.canonical(dotted).rpartition(".")
        home = self.project.module_named(head) if head else None
        statement = home.definitions.get(last) if home is not None else None
        if home is not None and isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            return home, statement.value
        return None

    # parameters

    def _parameter(
        self, module: Module, function: FunctionNode, argument: ast.arg, stack: Stack, pick: Pick
    ) -> list[Origin]:
        at = module.location(argument)
        place = Place(module.path, module.qualname(function))
        owner = _owner(module, function)
        first = [*function.args.posonlyargs, *function.args.args][:1]
        if owner is not None and first and first[0] is argument and not _is_static(function):
            return self._receiver(stack, place) or [Origin(OBJECT, _class_name(module, owner), at)]
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
        given = _argument(function, argument, entered)
        if given is None:
            return [self._unknown(home, entered.call, f"what `{argument.arg}` is given")]
        if given is _DEFAULT:
            return [Origin(FIXED, "default", module.location(argument))]
        assert isinstance(given, ast.expr)  # the two other answers are above
        return self.of(home, given, stack[:-1], None if isinstance(given, ast.Starred) else pick)

    def given(
        self, module: Module, function: FunctionNode, argument: ast.arg, stack: Stack
    ) -> list[tuple[Module, ast.expr, Stack]]:
        """Expressions that calls give for a parameter: the call of the stack, else every caller's."""
        place = Place(module.path, module.qualname(function))
        inner = bool(stack) and stack[-1].callee == place
        found = []
        for entered in [stack[-1]] if inner else self.callers(module, function)[:MOST_CALLERS]:
            home, value = self.module(entered.path), _argument(function, argument, entered)
            if home is not None and isinstance(value, ast.expr):
                found.append((home, value, stack[:-1] if inner else ()))
        return found

    def callers(self, module: Module, function: FunctionNode) -> list[Entered]:
        """Calls outside of tests that reach the function, or a method of a class it is overridden from."""
        qualname = module.qualname(function)
        place = Place(module.path, qualname)
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

    # calls

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
                return [Entered(module.path, call, Place(known.path, known.qualname), self._is_classmethod(known.path, known.qualname))]
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
            given = _argument(binding.scope, binding.node, entered)
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
        if not found and not classes and not any(o.kind in {STORED, OUTSIDER, REQUEST} for o in origins):
            if any(o.kind == UNKNOWN for o in origins) or not origins or _is_loop(module, func.value):
                found = self._one_family([(f.path, f.qualname, f.class_name or "") for f in named])
        return [Entered(module.path, call, p, bound=not self._static(p)) for p in dict.fromkeys(found)]

    def _ours(self, dotted: str) -> bool:
        first = self.project.index.canonical(dotted)
        return first in self.project.index.module_paths or any(
            first in table for table in (self.project.index.functions, self.project.index.classes)
        ) or self._constant(dotted) is not None  # fmt: skip

    def _one_family(self, named: Sequence[tuple[str, str, str]]) -> list[Place]:
        """All methods of a name, when their classes are one hierarchy: whatever the receiver is, it is one of these."""
        roots = set()
        for _, _, cls in named:
            top, known = cls, self.project.index.classes.get(cls)
            while known is not None:
                above = [b for b in map(self.project.index.canonical, known.bases) if b in self.project.index.classes]
                if not above:
                    break
                top, known = above[0], self.project.index.classes.get(above[0])
            roots.add(top)
        return [Place(path, qualname) for path, qualname, _ in named] if len(roots) == 1 else []

    def method(self, cls: str, name: str) -> list[Place]:
        """The method of a class, found upwards, and those that override it below."""
        found: list[Place] = []
        queue, seen = [cls], set()
        while queue:
            current = queue.pop(0)
            known = self.project.index.classes.get(self.project.index.canonical(current))
            if known is None or known.name in seen:
                continue
            seen.add(known.name)
            if name in known.methods:
                function = self.project.index.functions.get(f"{known.name}.{name}")
                if function is not None:
                    found.append(Place(function.path, function.qualname))
                    break
            queue += known.bases
        for below in self.project.index.subclasses(self.project.index.canonical(cls)):
            function = self.project.index.functions.get(f"{below.name}.{name}") if name in below.methods else None
            if function is not None and not function.test:
                found.append(Place(function.path, function.qualname))
        return found

    def _is_classmethod(self, path: str, qualname: str) -> bool:
        node = self.function(Place(path, qualname))
        return node is not None and any(getattr(d, "id", "") == "classmethod" for d in node.decorator_list)

    def _static(self, place: Place) -> bool:
        node = self.function(place)
        return node is not None and _is_static(node)

    def _call(self, module: Module, node: ast.Call, stack: Stack, pick: Pick) -> list[Origin]:
        if len(stack) < DEEPEST:
            entered = self.callees(module, node, stack)
            if entered:
                found = [o for e in entered for o in self.returned(e, stack, pick)]
                return found or [self._unknown(module, node, f"`{ast.unparse(node.func)}()`")]
        made = self._made(module, node, stack, pick)
        if made is not None:
            return made
        if isinstance(node.func, ast.Attribute):
            stored = databases.read(self, module, node, stack)
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

    def _made(self, module: Module, node: ast.Call, stack: Stack, pick: Pick) -> list[Origin] | None:
        """An object of a class of the project: a record of what it is given, or one with methods of its own."""
        cls: str | None = None
        if isinstance(node.func, ast.Name) and node.func.id == "cls":
            function = module.enclosing_function(node)
            owner = _owner(module, function) if function is not None else None
            cls = _class_name(module, owner) if owner is not None else None
        else:
            dotted = module.resolve(node.func)
            cls = self.class_of(module, dotted) if dotted else None
        if cls is None:
            return None
        at = module.location(node)
        plain = {"NamedTuple", "object", "TypedDict", "Generic", "Protocol", "ABC"}
        bases = {b.rpartition(".")[2] for b in self.library_bases(cls) if b != cls}
        if not self.method(cls, "__init__") and bases <= plain:
            given = [*node.args, *(k.value for k in node.keywords)]
            found = [o for a in given for o in self.of(module, a, stack)]
            if found:
                return found
        return [Origin(OBJECT, cls, at)]

    # attributes

    def _attribute(self, module: Module, node: ast.Attribute, stack: Stack, pick: Pick) -> list[Origin]:
        at = module.location(node)
        dotted = module.resolve(node) or ""
        if dotted in untrusted.GLOBALS:
            return [Origin(REQUEST, untrusted.GLOBALS[dotted].framework, at)]
        found = self._keyword(module, node, stack)
        if found:
            return found
        for origin in self.of(module, node.value, stack):
            match origin.kind:
                case "request":
                    found.append(librarian.request(origin, node.attr, at))
                case "object":
                    found += self.attribute_of(origin, node.attr, at, pick)
                case "stored":
                    found.append(origin if origin.column else replace(origin, column=node.attr))
                case "outsider":
                    found.append(origin)
                case "fixed" if origin.what.startswith("class "):
                    found += self.attribute_of(replace(origin, what=origin.what[6:]), node.attr, at, pick)
                case "unknown":
                    value = self._constant(dotted) if dotted else None
                    found += self.of(*value) if value else [replace(origin, what=f"`{ast.unparse(node)[:60]}`")]
                case _:
                    found.append(origin)
        return found

    def _keyword(self, module: Module, node: ast.Attribute, stack: Stack) -> list[Origin]:
        """`x.title` of `x = Library(title=...)`: what it was made with."""
        if not isinstance(node.value, ast.Name):
            return []
        found: list[Origin] = []
        for binding in bindings.bindings(module, node.value):
            call = binding.node
            if binding.how != "value" or not isinstance(call, ast.Call) or self._made(module, call, stack, None) is not None:
                return []
            for keyword in call.keywords:
                if keyword.arg == node.attr:
                    found += self.of(module, keyword.value, stack)
        return found

    def attribute_of(self, origin: Origin, name: str, at: Location, pick: Pick = None) -> list[Origin]:
        """What an attribute of an object of the project holds: every value that its class gives it."""
        if origin.what.startswith("body:"):
            return [self._field(origin.what[5:], name, at)]
        if origin.what == "wsgi":
            return [Origin(OBJECT, "wsgi", at)]
        found: list[Origin] = []
        queue, seen, libraries = [origin.what], set(), []
        while queue:
            cls = queue.pop(0)
            known = self.project.index.classes.get(self.project.index.canonical(cls))
            if known is None:
                libraries.append(cls)
                continue
            if known.name in seen:
                continue
            seen.add(known.name)
            queue += known.bases
            found += self._held(known.path, known.name, name, pick)
        given = untrusted.handler(libraries, at.line).get(name)
        if isinstance(given, Piece):
            marks = frozenset({"lineless", "encoded"} if name == "path" else set()) | (given.marks & {"mapping"})
            found.append(Origin(OUTSIDER, given.source, at, marks=marks))
        if name == "request" and not found:
            frameworks = {"tornado": "tornado", "django": "django", "starlette": "starlette", "rest_framework": "django"}
            for library in libraries:
                framework = frameworks.get(library.partition(".")[0])
                if framework is not None:
                    found.append(Origin(REQUEST, framework, at))
        if not found or name in _set_outside(self.project):
            found.append(Origin(UNKNOWN, f"attribute `{name}` of `{origin.what}`", at))
        return found

    def _held(self, path: str, cls: str, name: str, pick: Pick) -> list[Origin]:
        home = self.module(path)
        node = next((n for q, n in home.classes if cls in {q, f"{home.name}.{q}"}), None) if home is not None else None
        if home is None or node is None:
            return []
        found: list[Origin] = []
        for statement in node.body:
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            if any(isinstance(t, ast.Name) and t.id == name for t in targets) and isinstance(statement, ast.Assign):
                found += self.of(home, statement.value, (), pick)
            if isinstance(statement, ast.FunctionDef) and statement.name == name:
                kinds = {getattr(d, "id", getattr(d, "attr", "")) for d in statement.decorator_list}
                if kinds & {"property", "cached_property"}:
                    for part in bindings.own_nodes(statement):
                        if isinstance(part, ast.Return) and part.value is not None:
                            found += self.of(home, part.value, (), pick)
        for put in [*bindings.put_into(ast.walk(node), f"self.{name}"), *bindings.put_into(ast.walk(node), name)]:
            found += self.of(home, put)
        for inner in ast.walk(node):
            if not isinstance(inner, ast.Assign):
                continue
            for target in inner.targets:
                if isinstance(target, ast.Attribute) and target.attr == name and getattr(target.value, "id", "") == "self":
                    found += self.of(home, inner.value, (), pick)
        return found

    def _field(self, cls: str, name: str, at: Location) -> Origin:
        known = self.project.index.classes.get(cls)
        home = self.module(known.path) if known is not None else None
        node = next((n for q, n in home.classes if cls in {q, f"{home.name}.{q}"}), None) if home is not None else None
        value = untrusted.fields_of(node, "body").get(name) if node is not None else None
        if isinstance(value, Piece):
            return Origin(OUTSIDER, f"field `{name}` of the body", at, marks=frozenset({"number"} if value.chars <= DIGITS else {"text"}))
        return Origin(UNKNOWN, f"field `{name}` of the body", at)

    # the project

    def module(self, path: str) -> Module | None:
        try:
            return self.project.module(path)
        except (KeyError, NotParsed, OSError):
            return None

    def function(self, place: Place) -> FunctionNode | None:
        home = self.module(place.path)
        return dict(home.functions).get(place.qualname) if home is not None else None

    def class_of(self, module: Module, dotted: str) -> str | None:
        name = dotted if "." in dotted or not module.name else f"{module.name}.{dotted}"
        canonical = self.project.index.canonical(name)
        return canonical if canonical in self.project.index.classes else None

    def library_bases(self, cls: str, depth: int = 6) -> tuple[str, ...]:
        """Dotted names of the classes outside the project that a class is made from."""
        known = self.project.index.classes.get(self.project.index.canonical(cls))
        if known is None or not depth:
            return (cls,)
        return tuple(b for base in known.bases for b in self.library_bases(base, depth - 1))

    def _unknown(self, module: Module, node: ast.expr, what: str) -> Origin:
        return Origin(UNKNOWN, what, module.location(node))


@once
def _set_outside(project: Project) -> frozenset[str]:
    """Attributes that code gives to objects other than `self`, or puts something into."""
    found: set[str] = set()
    for module in project.modules():
        for node in module.nodes(ast.Assign, ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                inner = target.value if isinstance(target, ast.Subscript) else target
                if isinstance(inner, ast.Attribute) and getattr(inner.value, "id", "") not in {"self", "cls"}:
                    found.add(inner.attr)
        for call in module.nodes(ast.Call):
            if isinstance(call.func, ast.Attribute) and call.func.attr in bindings.GROWS:
                inner = call.func.value
                if isinstance(inner, ast.Attribute) and getattr(inner.value, "id", "") not in {"self", "cls"}:
                    found.add(inner.attr)
    return frozenset(found)


def _spec(node: ast.FormattedValue) -> str:
    return ast.unparse(node.format_spec) if node.format_spec is not None else ""


def _only_numbers(template: str) -> bool:
    """Whether a `%` template puts in numbers only."""
    kinds = re.findall(r"%(?:\(\w+\))?[-+ #0-9.*]*([a-zA-Z%])", template)
    return bool(kinds) and all(k in "dioxXeEfFgG%" for k in kinds)


_DEFAULT = object()


def _argument(function: FunctionNode, argument: ast.arg, entered: Entered) -> ast.expr | object | None:
    """What a call gives for a parameter: an expression, _DEFAULT, or None when it does not show."""
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
    return _DEFAULT if any(p is argument for p in with_default) else None


def _owner(module: Module, function: FunctionNode) -> ast.ClassDef | None:
    parent = module.parents.get(function)
    return parent if isinstance(parent, ast.ClassDef) else None


def _class_name(module: Module, owner: ast.ClassDef) -> str:
    qualname = module.qualname(owner)
    return f"{module.name}.{qualname}" if module.name else qualname


def _is_static(function: FunctionNode) -> bool:
    return any(getattr(d, "id", "") == "staticmethod" for d in function.decorator_list)


def _is_loop(module: Module, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and any(b.how == "element" for b in bindings.bindings(module, node))


def _call_at(module: Module, line: int, column: int) -> ast.Call | None:
    found = [c for c in module.nodes(ast.Call) if (c.lineno, c.col_offset) == (line, column)]
    return max(found, key=lambda c: (c.end_lineno or 0, c.end_col_offset or 0)) if found else None
