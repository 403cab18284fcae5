"""What objects of the project hold: every value that their class gives an attribute."""

import ast
from dataclasses import replace

from harness.schema.location import Location
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.claimed.output import bindings, librarian
from verifiers.static.claimed.output.calling import Calling, Pick, Stack
from verifiers.static.claimed.output.classes import class_name, owner_of
from verifiers.static.claimed.output.kept import once
from verifiers.static.claimed.output.origin import OBJECT, OUTSIDER, REQUEST, UNKNOWN, Origin
from verifiers.static.security import untrusted
from verifiers.static.security.values import DIGITS, Piece


class Objects(Calling):
    """Attributes and constructors."""

    def made(self, module: Module, node: ast.Call, stack: Stack) -> list[Origin] | None:
        """An object of a class of the project: a record of what it is given, or one with methods of its own."""
        cls: str | None = None
        if isinstance(node.func, ast.Name) and node.func.id == "cls":
            function = module.enclosing_function(node)
            owner = owner_of(module, function) if function is not None else None
            cls = class_name(module, owner) if owner is not None else None
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
                    value = self.constant(dotted) if dotted else None
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
            if binding.how != "value" or not isinstance(call, ast.Call) or self.made(module, call, stack) is not None:
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
            frameworks = {
                "tornado": "tornado",
                "django": "django",
                "starlette": "starlette",
                "rest_framework": "django",
            }
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
        for value in [*bindings.put_into(home, node, f"self.{name}"), *bindings.put_into(home, node, name)]:
            found += self.of(home, value)
        for value in _given_to_self(home).get(name, []):
            if node.lineno <= value.lineno <= (node.end_lineno or node.lineno):
                found += self.of(home, value, (), pick)
        return found

    def _field(self, cls: str, name: str, at: Location) -> Origin:
        known = self.project.index.classes.get(cls)
        home = self.module(known.path) if known is not None else None
        node = next((n for q, n in home.classes if cls in {q, f"{home.name}.{q}"}), None) if home is not None else None
        value = untrusted.fields_of(node, "body").get(name) if node is not None else None
        if isinstance(value, Piece):
            return Origin(
                OUTSIDER,
                f"field `{name}` of the body",
                at,
                marks=frozenset({"number"} if value.chars <= DIGITS else {"text"}),
            )
        return Origin(UNKNOWN, f"field `{name}` of the body", at)


@once
def _given_to_self(module: Module) -> dict[str, list[ast.expr]]:
    """Values of `self.name = ...` by name."""
    found: dict[str, list[ast.expr]] = {}
    for node in module.nodes(ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Attribute) and getattr(target.value, "id", "") == "self":
                found.setdefault(target.attr, []).append(node.value)
    return found


@once
def _set_outside(project: Project) -> frozenset[str]:
    """Attributes that code gives to objects other than `self`, or puts something into."""
    found: set[str] = set()
    for module in project.modules():
        targets = [t for n in module.nodes(ast.Assign) for t in n.targets] + [
            n.target for n in module.nodes(ast.AugAssign)
        ]
        for call in module.nodes(ast.Call):
            if isinstance(call.func, ast.Attribute) and call.func.attr in bindings.GROWS:
                targets.append(call.func.value)
        for target in targets:
            inner = target.value if isinstance(target, ast.Subscript) else target
            if isinstance(inner, ast.Attribute) and getattr(inner.value, "id", "") not in {"self", "cls"}:
                found.add(inner.attr)
    return frozenset(found)
