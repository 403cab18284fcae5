"""The project's functions and classes by name, for the trace."""

import ast
from collections.abc import Sequence

from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.claimed.output.origin import Place
from verifiers.static.claimed.size import is_large


class Classes:
    """Look-ups in one project."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def module(self, path: str) -> Module | None:
        try:
            return self.project.module(path)
        except (KeyError, NotParsed, OSError):
            return None

    def function(self, place: Place) -> FunctionNode | None:
        """The function at a place, None when there is none, or one too large to be followed."""
        home = self.module(place.path)
        found = dict(home.functions).get(place.qualname) if home is not None else None
        return None if home is None or found is None or is_large(home, found) else found

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

    def one_family(self, named: Sequence[tuple[str, str, str]]) -> list[Place]:
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

    def is_classmethod(self, path: str, qualname: str) -> bool:
        node = self.function(Place(path, qualname))
        return node is not None and any(getattr(d, "id", "") == "classmethod" for d in node.decorator_list)

    def static(self, place: Place) -> bool:
        node = self.function(place)
        return node is not None and is_static(node)


def owner_of(module: Module, function: FunctionNode) -> ast.ClassDef | None:
    parent = module.parents.get(function)
    return parent if isinstance(parent, ast.ClassDef) else None


def class_name(module: Module, owner: ast.ClassDef) -> str:
    qualname = module.qualname(owner)
    return f"{module.name}.{qualname}" if module.name else qualname


def is_static(function: FunctionNode) -> bool:
    return any(getattr(d, "id", "") == "staticmethod" for d in function.decorator_list)
