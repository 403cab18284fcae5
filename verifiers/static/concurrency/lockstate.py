"""Which lock acquisitions are open at each step of a function, by walking its statements in the order they run.

Every acquisition (a `with` block, or `acquire()` up to its `release()`) gets a number of its own: two blocks under the
same lock are two regions, because somebody else may have held the lock in between.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.surroundings import bindings, call_node, chain, inside

_LOCKS = frozenset({"Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "FileLock"})


class Region(NamedTuple):
    """One acquisition."""

    number: int
    lock: str


class Step(NamedTuple):
    """A simple statement or the head of a compound one, with the acquisitions open while it runs."""

    node: ast.AST
    parts: tuple[ast.AST, ...]
    """The nodes it evaluates itself."""
    regions: frozenset[Region]
    decides: bool
    """It is the test of an `if` or `while`."""


class _Walk:
    def __init__(self, locks: frozenset[str]) -> None:
        self.locks = locks
        self.count = 0

    def open(self, lock: str) -> Region:
        self.count += 1
        return Region(self.count, lock)

    def block(self, body: list[ast.stmt], regions: frozenset[Region]) -> Iterator[Step]:
        for statement in body:
            yield from self.statement(statement, regions)
            regions = self.after(statement, regions)

    def after(self, statement: ast.stmt, regions: frozenset[Region]) -> frozenset[Region]:
        simple = inside([statement]) if isinstance(statement, ast.Expr | ast.Assign) else ()
        for node in simple:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                lock = chain(node.func.value)
                if node.func.attr == "acquire" and lock:
                    regions |= {self.open(lock)}
        if isinstance(statement, ast.Expr | ast.Try):
            for node in inside([statement]):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "release":
                    regions = frozenset(r for r in regions if r.lock != chain(node.func.value))
        return regions

    def statement(self, node: ast.stmt, regions: frozenset[Region]) -> Iterator[Step]:
        if isinstance(node, ast.With | ast.AsyncWith):
            opened = regions
            for item in node.items:
                yield Step(node, (item.context_expr,), opened, False)
                lock = _lock_of(item.context_expr, self.locks)
                if lock:
                    opened |= {self.open(lock)}
            yield from self.block(node.body, opened)
        elif isinstance(node, ast.If | ast.While):
            yield Step(node, tuple(inside([node.test])), regions, True)
            yield from self.block(node.body, regions)
            yield from self.block(node.orelse, regions)
        elif isinstance(node, ast.For | ast.AsyncFor):
            yield Step(node, tuple(inside([node.iter])), regions, False)
            yield from self.block(node.body, regions)
            yield from self.block(node.orelse, regions)
        elif isinstance(node, ast.Try | ast.TryStar):
            yield from self.block(node.body, regions)
            for clause in node.handlers:
                yield from self.block(clause.body, regions)
            yield from self.block(node.orelse, regions)
            yield from self.block(node.finalbody, regions)
        elif isinstance(node, ast.Match):
            yield Step(node, tuple(inside([node.subject])), regions, True)
            for case in node.cases:
                yield from self.block(case.body, regions)
        else:
            yield Step(node, tuple(inside([node])), regions, False)


def steps(function: FunctionNode, locks: frozenset[str]) -> list[Step]:
    """Every step of the function's own body; `locks` are the names known to be locks."""
    decorators = (chain(d.func if isinstance(d, ast.Call) else d) for d in function.decorator_list)
    around = frozenset(Region(0, f"@{name}") for name in decorators if _sounds_locked(name))
    return list(_Walk(locks).block(function.body, around))


def _lock_of(expression: ast.expr, locks: frozenset[str]) -> str:
    if isinstance(expression, ast.Subscript) and _sounds(chain(expression.value).removesuffix("s")):
        return ast.unparse(expression)
    name = chain(expression)
    if name:
        return name if name in locks or _sounds(name) else ""
    if isinstance(expression, ast.Call):
        called = chain(expression.func)
        return ast.unparse(expression) if _sounds(called) or called.rpartition(".")[2] in _LOCKS else ""
    return ""


def _sounds_locked(decorator: str) -> bool:
    words = decorator.rpartition(".")[2].lower().strip("_").split("_")
    return any(word in {"lock", "locked", "synchronized", "synchronised"} for word in words)


def _sounds(name: str) -> bool:
    last = name.rpartition(".")[2].lower().lstrip("_")
    return any(part in {"lock", "rlock", "mutex", "semaphore", "cond", "condition"} for part in last.split("_"))


def constructor(module: Module, project: Project, cls: ast.ClassDef | None, lock: str) -> str | None:
    """The dotted constructor (`threading.Lock`) that makes `lock`, looked up in the class, its bases and the module."""
    lock = lock.partition("[")[0]
    if lock.endswith(")"):
        made = lock.partition("(")[0]
        return made if made.rpartition(".")[2] in _LOCKS else None
    head, _, attribute = lock.partition(".")
    if head not in {"self", "cls"} or cls is None:
        return _bound(module, module.tree, {lock})
    found = _bound(module, cls, {lock, attribute, f"self.{attribute}"})
    for base in cls.bases if found is None else ():
        record = project.index.classes.get(project.index.canonical(module.resolve(base) or ""))
        home = project.module(record.path) if record else None
        node = next((c for _, c in home.classes if record and c.lineno == record.line), None) if home else None
        if home is not None and node is not None and node is not cls:
            found = found or constructor(home, project, node, lock)
    return found


def _bound(module: Module, scope: ast.AST, names: set[str]) -> str | None:
    for _, value, targets in bindings(ast.walk(scope)):
        if any(chain(t.value if isinstance(t, ast.Subscript) else t) in names for t in targets):
            made = _lock_made(module, value)
            if made is not None:
                return made
    return None


def _lock_made(module: Module, value: ast.expr) -> str | None:
    """The constructor of a lock in `Lock()`, `field(default_factory=Lock)` or `defaultdict(Lock)`."""
    if not isinstance(value, ast.Call):
        return None
    factories = [k.value for k in value.keywords if k.arg == "default_factory"]
    if chain(value.func).endswith("defaultdict"):
        factories += value.args[:1]
    for candidate in (value.func, *factories):
        name = module.resolve(candidate) or ""
        if name.rpartition(".")[2] in _LOCKS:
            return name
    return None


def known_locks(module: Module, cls: ast.ClassDef | None) -> frozenset[str]:
    """Names that the module or the class binds to a new lock."""
    found = set()
    for node, value, targets in bindings([*module.nodes(ast.Assign), *module.nodes(ast.AnnAssign)]):
        if _lock_made(module, value) is not None:
            names = {chain(t) for t in targets} - {""}
            found |= names
            if cls is not None and node in cls.body:
                found |= {f"self.{n}" for n in names} | {f"cls.{n}" for n in names}
    return frozenset(found)


def held_by_callers(module: Module, project: Project, function: FunctionNode, depth: int = 2) -> str | None:
    """Where every caller of a private function holds a lock or is a constructor: the first of these places.

    None when somebody calls it without, when nobody calls it, or when it is public and others may.
    """
    if not function.name.startswith("_") or function.name.startswith("__"):
        return None
    record = project.index.functions.get(f"{module.name}.{module.qualname(function)}".lstrip("."))
    calls = [c for c in project.index.callers(record) if not c.test] if record else []
    places = []
    for call in calls:
        found = call_node(project, call)
        if found is None:
            return None
        home, node = found
        outer = home.enclosing_function(node)
        if outer is None:
            return None
        if outer is function:
            continue
        if outer.name in {"__init__", "__new__"} or _open_at(home, outer, node):
            places.append(f"{home.path}:{node.lineno}")
        elif depth > 1 and (above := held_by_callers(home, project, outer, depth - 1)):
            places.append(above)
        else:
            return None
    return places[0] if places else None


def _open_at(module: Module, function: FunctionNode, node: ast.AST) -> bool:
    locks = known_locks(module, module.enclosing_class(function))
    return any(node in step.parts and step.regions for step in steps(function, locks))
