"""Reads one function in order and notes which data goes where.

Flow-sensitive for names (an assignment replaces, branches join, loop bodies are read twice); coarse for containers
and objects: what goes into one taints all of it.
"""

import ast
from collections.abc import Iterable

from auditors.security.taint.callees import callees
from auditors.security.taint.notes import CallNote, FunctionNotes, Place, SinkNote, SourceNote, Taints
from auditors.security.taint.reflection import beginning, prefix_of
from auditors.security.taint.sinks import ALL, SESSIONS, cleared_by, sink_at
from auditors.security.taint.sources import Origin, is_request, route_of, source_at
from harness.source.index import Index
from harness.source.module import FunctionNode, Module

TWICE_READ = 3
"""Depth of loops whose bodies are read twice, so that what a round leaves behind is seen in the next."""

_FILLING = frozenset({"append", "add", "extend", "insert", "update", "set", "write", "setdefault", "appendleft", "put"})
_OPENERS = frozenset({"open", "builtins.open", "io.open", "gzip.open", "bz2.open", "lzma.open"})
_NOT_LOADED = ALL - {"deserialization"}
"""To name a file is one thing; to unpickle whatever stands in it is another."""
_PATHS = frozenset({"pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"})
_PATH_RESULTS = frozenset({"resolve", "absolute", "joinpath", "with_suffix", "with_name", "expanduser"})


def read_module(module: Module, index: Index) -> list[FunctionNotes]:
    """Notes of the module level and of every function, in source order."""
    top = FunctionNotes(name=f"{module.name}.<module>", path=module.path, qualname="", parameters=())
    try:
        _Reader(module, index, top, None).block(module.tree.body)
    except RecursionError:
        top.edges.clear()
    return [top, *(read_function(module, index, q, node) for q, node in module.functions)]


def read_function(module: Module, index: Index, qualname: str, node: FunctionNode) -> FunctionNotes:
    """Notes of one function."""
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    dotted = f"{module.name}.{qualname}" if module.name else qualname
    notes = FunctionNotes(dotted, module.path, qualname, tuple(a.arg for a in every), route_of(module, node))
    parent = module.parents.get(node)
    owner = None
    if isinstance(parent, ast.ClassDef):
        owner = f"{module.name}.{module.qualname(parent)}" if module.name else module.qualname(parent)
    reader = _Reader(module, index, notes, owner)
    for position, argument in enumerate(every):
        reader.bind_parameter(position, argument)
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            reader.names[extra.arg] = {}
    try:
        reader.block(node.body)
    except RecursionError:
        notes.edges.clear()  # nested beyond what people write; nothing half-read is used
    return notes


class _Reader:
    def __init__(self, module: Module, index: Index, notes: FunctionNotes, owner: str | None) -> None:
        self.module = module
        self.index = index
        self.notes = notes
        self.owner = owner
        self.names: dict[str, Taints] = {}
        self.types: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        """Name -> the name it was assigned from, so that filling the one fills the other."""
        self.sources: dict[ast.AST, int] = {}
        self.sinks: dict[ast.AST, int] = {}
        self.calls: dict[ast.AST, int] = {}
        self.loops = 0
        self.texts: dict[str, str] = {}
        """Name -> how its text begins."""
        self.chosen: dict[str, str] = {}
        """Name -> how the name begins of the function that it holds."""
        self.inside = 0
        """Functions inside the function that are being read."""

    def bind_parameter(self, position: int, argument: ast.arg) -> None:
        taints: Taints = {("param", position): frozenset()}
        if self.notes.route and argument.arg in self.notes.route.parameters:
            origin = Origin(f"route parameter {argument.arg}", True)
            self.notes.sources.append(SourceNote(origin, self.place(argument), argument.arg))
            taints[("source", len(self.notes.sources) - 1)] = frozenset()
        self.names[argument.arg] = taints
        annotated = self.module.resolve(argument.annotation) if argument.annotation else None
        if annotated:
            self.types[argument.arg] = annotated

    def place(self, node: ast.AST) -> Place:
        location = self.module.location(node)
        return Place(location, self.module.line_text(location.line), self.module.symbol(node))

    # statements

    def block(self, body: list[ast.stmt]) -> bool:
        """Read statements; False when the end is not reached."""
        return all(self.statement(statement) for statement in body)

    def statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Assign():
                value = self.value(node.value)
                for target in node.targets:
                    self.bind(target, value, node.value)
            case ast.AnnAssign(value=ast.expr() as value_node):
                self.bind(node.target, self.value(value_node), value_node)
            case ast.AugAssign():
                self.bind(node.target, _union(self.value(node.target), self.value(node.value)), None)
            case ast.Expr():
                self.value(node.value)
            case ast.Return():
                self.leave(node)
                return False
            case ast.Raise():
                self.visit(node)
                return False
            case ast.If():
                self.value(node.test)
                return self.branches(node.body, node.orelse)
            case ast.For() | ast.AsyncFor():
                taints = self.value(node.iter)
                for _ in self.rounds():
                    self.bind(node.target, taints, None)
                    self.branches(node.body, [])
                self.loops -= 1
                return self.block(node.orelse)
            case ast.While():
                for _ in self.rounds():
                    self.value(node.test)
                    self.branches(node.body, [])
                self.loops -= 1
                return self.block(node.orelse)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    taints = self.value(item.context_expr)
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, taints, item.context_expr)
                return self.block(node.body)
            case ast.Try() | ast.TryStar():
                return self.attempt(node)
            case ast.Match():
                taints = self.value(node.subject)
                return self.cases(node, taints)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.names.pop(node.name, None)
                self.enclosed(node)
            case ast.ClassDef():
                self.block([s for s in node.body if not isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef)])
            case _:
                self.visit(node)
        return True

    def rounds(self) -> range:
        """How often to read the body of the loop that begins here: twice, but deeply nested ones once."""
        self.loops += 1
        return range(2 if self.loops <= TWICE_READ else 1)

    def visit(self, node: ast.stmt) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr) and not isinstance(getattr(child, "ctx", None), ast.Del):
                self.value(child)

    def enclosed(self, node: FunctionNode) -> None:
        """A function inside sees the names around it; what it is given itself is read on its own."""
        if not self.notes.qualname or self.inside:
            return
        before, self.inside = self.names, self.inside + 1
        arguments = node.args
        own = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        self.names = {k: v for k, v in before.items() if k.partition(".")[0] not in own}
        self.block(node.body)
        self.names, self.inside = before, self.inside - 1

    def leave(self, node: ast.Return) -> None:
        if node.value is None:
            return
        taints = self.value(node.value)
        if self.inside:
            return
        self.notes.chooses = self.notes.chooses or prefix_of(self.module, node.value, self.texts)
        self.notes.add(taints, ("return",))
        if self.notes.route and self.notes.route.html and not _is_sink_call(self.module, node.value):
            self.note_sink("html", "response body", node, taints)

    def branches(self, *bodies: list[ast.stmt]) -> bool:
        before, ends = self.names, []
        for body in bodies:
            self.names = dict(before)
            if self.block(body):
                ends.append(self.names)
        self.names = _join(ends) if ends else before
        return bool(ends)

    def attempt(self, node: ast.Try | ast.TryStar) -> bool:
        before = dict(self.names)
        done = self.block(node.body) and self.block(node.orelse)
        ends = [self.names] if done else []
        start = _join([before, self.names])
        for clause in node.handlers:
            self.names = dict(start)
            if self.block(clause.body):
                ends.append(self.names)
        self.names = _join(ends) if ends else start
        return self.block(node.finalbody) and bool(ends)

    def cases(self, node: ast.Match, subject: Taints) -> bool:
        for case in node.cases:
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str) and isinstance(part, ast.MatchAs | ast.MatchStar | ast.MatchMapping):
                    self.names[name] = dict(subject)
        return self.branches(*[case.body for case in node.cases], [])

    def bind(self, target: ast.expr, taints: Taints, value: ast.expr | None) -> None:
        match target:
            case ast.Name():
                self.names[target.id] = taints
                self.aliases[target.id] = (
                    self.aliases.get(value.id, value.id) if isinstance(value, ast.Name) else target.id
                )
                self.types.pop(target.id, None)
                if value is not None:
                    self.texts[target.id] = beginning(value, self.texts)
                    self.chosen[target.id] = prefix_of(self.module, value, self.texts)
                made = self.type_of(value) if value is not None else None
                if made:
                    self.types[target.id] = made
            case ast.Tuple() | ast.List():
                pairs = _pairs(target, value)
                for element, part in pairs:
                    self.bind(element, self.value(part) if part is not None else taints, part)
            case ast.Starred():
                self.bind(target.value, taints, None)
            case ast.Attribute():
                self.fill(target, taints)
            case ast.Subscript():
                key = self.value(target.slice)
                if self.module.resolve(target.value) in SESSIONS:
                    self.note_sink("session", "session", target, _union(taints, key))
                self.fill(target.value, taints)

    def fill(self, target: ast.expr, taints: Taints) -> None:
        """Something goes into an object: everything that reads the object may see it."""
        if not taints:
            return
        name = self.module.resolve(target)
        if name is None:
            return
        for same in {name, self.aliases.get(name, name)}:
            self.names[same] = _union(self.names.get(same, {}), taints)
        if name.startswith("self.") and self.owner and name.count(".") == 1:
            self.notes.add(taints, ("field", f"{self.owner}.{name[5:]}"))

    def type_of(self, value: ast.expr) -> str | None:
        """Dotted class of a value, where it shows: `C(...)`, a path expression, another name."""
        match value:
            case ast.Call():
                name = self.module.resolve(value.func)
                if name in _PATHS:
                    return "pathlib.Path"
                if isinstance(value.func, ast.Attribute) and value.func.attr in _PATH_RESULTS:
                    return self.type_of(value.func.value)
                canonical = self.index.canonical(name) if name else ""
                return canonical if canonical in self.index.classes else None
            case ast.BinOp(op=ast.Div()):
                return self.type_of(value.left) or self.type_of(value.right)
            case ast.Name():
                made = self.assigned(value.id)
                return self.types.get(value.id) or (self.type_of(made) if made is not None else None)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if self.owner:
                kept = self.field(name)
                return self.type_of(kept) if kept is not None else None
        return None

    def assigned(self, name: str) -> ast.expr | None:
        """What makes the object of a module-level name."""
        statement = self.module.definitions.get(name)
        made = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        return made if isinstance(made, ast.Call) and name not in self.names else None

    def field(self, name: str) -> ast.expr | None:
        """What makes the object of `self.name`, when one statement of the module does."""
        stores = [
            n.value
            for n in self.module.nodes(ast.Assign)
            for t in n.targets
            if isinstance(t, ast.Attribute) and t.attr == name
        ]
        return stores[0] if len(stores) == 1 and isinstance(stores[0], ast.Call) else None

    # expressions

    def value(self, node: ast.expr) -> Taints:
        """Slots that flow into an expression; notes the sinks and calls inside it."""
        origin = source_at(self.module, node)
        if origin is not None:
            if isinstance(node, ast.Call):
                self.call(node)
            return self.source(node, origin)
        match node:
            case ast.Constant():
                return {}
            case ast.Name():
                return self.names.get(node.id, {})
            case ast.BinOp():
                return self.operands(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Call():
                return self.call(node)
            case ast.Compare():
                for part in (node.left, *node.comparators):
                    self.value(part)
                return {}
            case ast.UnaryOp(op=ast.Not()):
                self.value(node.operand)
                return {}
            case ast.IfExp():
                self.value(node.test)
                return _union(self.value(node.body), self.value(node.orelse))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self.comprehension(node)
            case ast.Lambda():
                self.value(node.body)
                return {}
            case ast.NamedExpr():
                taints = self.value(node.value)
                self.bind(node.target, taints, node.value)
                return taints
        return _union(*(self.value(c) for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)))

    def operands(self, node: ast.BinOp) -> Taints:
        """Both sides; a long sum leans to the left, so it is taken apart without recursion."""
        found: list[Taints] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            found.append(self.value(left.right))
            left = left.left
        return _union(self.value(left), *found)

    def attribute(self, node: ast.Attribute) -> Taints:
        name = self.module.resolve(node)
        taints = dict(self.value(node.value))
        if name is not None:
            taints = _union(taints, self.names.get(name, {}))
            if name.startswith("self.") and self.owner and name.count(".") == 1:
                taints.setdefault(("field", f"{self.owner}.{name[5:]}"), frozenset())
        return taints

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Taints:
        saved = dict(self.names)
        for generator in node.generators:
            self.bind(generator.target, self.value(generator.iter), None)
            for test in generator.ifs:
                self.value(test)
        taints = (
            _union(self.value(node.key), self.value(node.value))
            if isinstance(node, ast.DictComp)
            else self.value(node.elt)
        )
        self.names = saved
        return taints

    def source(self, node: ast.expr, origin: Origin) -> Taints:
        if node not in self.sources:
            self.notes.sources.append(SourceNote(origin, self.place(node)))
            self.sources[node] = len(self.notes.sources) - 1
        return {("source", self.sources[node]): frozenset()}

    def call(self, node: ast.Call) -> Taints:
        receiver = self.receiver(node.func)
        arguments = [self.value(a) for a in node.args]
        keywords = [(k.arg, self.value(k.value)) for k in node.keywords]
        everything = _union(receiver, *arguments, *(t for _, t in keywords))
        known = dict(zip(node.args, arguments, strict=True)) | {
            k.value: t for k, (_, t) in zip(node.keywords, keywords, strict=True)
        }
        if self.sink(node, known, receiver):
            if self.module.resolve(node.func) in _OPENERS:
                return {slot: kinds | _NOT_LOADED for slot, kinds in everything.items()}
            return {}  # whatever comes of it, the defect is the sink itself
        if isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING:
            self.fill(node.func.value, _union(*arguments, *(t for _, t in keywords)))
        known_class = self.type_of(node.func.value) if isinstance(node.func, ast.Attribute) else None
        found = callees(self.module, node, self.index, known_class, self.owner)
        prefix, made_by = ("", -1) if found else self.looked_up(node.func)
        if found or prefix or made_by >= 0:
            number = self.note_call(node, found, prefix, made_by)
            for position, (argument, taints) in enumerate(zip(node.args, arguments, strict=True)):
                self.notes.add(taints, ("arg", number, position))
                if is_request(self.module, argument):
                    whole = Origin(self.module.resolve(argument) or "request", True)
                    self.notes.add(self.source(argument, whole), ("arg", number, position))
            for name, taints in keywords:
                self.notes.add(taints, ("arg", number, name or "**"))
            result: Taints = {("call", number): frozenset()}
            made = (
                everything if found and found[0].endswith(".__init__") else {}
            )  # an object holds what it was made from
            return _union(result, receiver, made)
        cleared = cleared_by(self.module.resolve(node.func))
        if cleared == ALL:
            return {}
        return {slot: kinds | cleared for slot, kinds in everything.items()}

    def receiver(self, callee: ast.expr) -> Taints:
        """What the object holds whose method is called; `request.get_json()` reads the request itself."""
        if not isinstance(callee, ast.Attribute):
            return {}
        origin = source_at(self.module, callee)
        return self.source(callee, origin) if origin is not None else self.value(callee.value)

    def sink(self, node: ast.Call, known: dict[ast.expr, Taints], receiver: Taints) -> bool:
        """Note the sink that a call is; False when it is none."""
        path_like = isinstance(node.func, ast.Attribute) and self.type_of(node.func.value) == "pathlib.Path"
        sink = sink_at(self.module, node, path_like)
        if sink is not None:
            plain = all(isinstance(a, ast.Name) and a.id in self.notes.parameters for a in sink.arguments)
            taints = _union(*(known.get(a, receiver) for a in sink.arguments))
            self.note_sink(sink.kind, sink.name, node, taints, direct=plain and bool(sink.arguments))
        return sink is not None and not sink.name.startswith("?")

    def note_sink(self, kind: str, name: str, node: ast.AST, taints: Taints, *, direct: bool = False) -> None:
        live = {slot: cleared for slot, cleared in taints.items() if kind not in cleared}
        if not live:
            return
        if node not in self.sinks:
            self.notes.sinks.append(SinkNote(kind, name, self.place(node), direct))
            self.sinks[node] = len(self.notes.sinks) - 1
        self.notes.add(live, ("sink", self.sinks[node]))

    def looked_up(self, callee: ast.expr) -> tuple[str, int]:
        """How the name of what is called begins, or which call has made it."""
        if not isinstance(callee, ast.Name):
            return prefix_of(self.module, callee, self.texts), -1
        made = [int(slot[1]) for slot in self.names.get(callee.id, {}) if slot[0] == "call"]
        return self.chosen.get(callee.id, ""), made[0] if made else -1

    def note_call(self, node: ast.Call, found: tuple[str, ...], prefix: str, made_by: int) -> int:
        if node not in self.calls:
            self.notes.calls.append(CallNote(found, self.place(node), prefix, made_by))
            self.calls[node] = len(self.notes.calls) - 1
        return self.calls[node]


def _is_sink_call(module: Module, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and sink_at(module, node, path_like=False) is not None


def _pairs(target: ast.Tuple | ast.List, value: ast.expr | None) -> Iterable[tuple[ast.expr, ast.expr | None]]:
    if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
        return zip(target.elts, value.elts, strict=True)
    return ((element, None) for element in target.elts)


def _union(*taints: Taints) -> Taints:
    live = [t for t in taints if t]
    if len(live) < 2:
        return live[0] if live else {}
    result = dict(live[0])
    for more in live[1:]:
        for slot, cleared in more.items():
            result[slot] = result[slot] & cleared if slot in result else cleared
    return result


def _join(states: list[dict[str, Taints]]) -> dict[str, Taints]:
    if len(states) == 1:
        return states[0]
    result = dict(states[0])
    for state in states[1:]:
        for name, taints in state.items():
            if name in result:
                if result[name] is not taints:
                    result[name] = _union(result[name], taints)
            else:
                result[name] = taints
    return result
