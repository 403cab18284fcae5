"""What names stand for: locals, imports, functions, classes and constants of the project."""

import ast
import builtins
import re
from typing import TYPE_CHECKING

from verifiers.static.security import operator, untrusted
from verifiers.static.security.state import DictObject, Instance, ListObject, State
from verifiers.static.security.values import Const, Function, Global, Opaque, Value, clean

_SETTINGS = re.compile(r"(?:^|[._])(?:config|settings|conf|configuration|options|defaults)(?:[._]|$)", re.IGNORECASE)
"""Modules whose constants a deployment replaces: they decide no branch."""

if TYPE_CHECKING:
    from harness.source.module import Module
    from verifiers.static.security.evaluation import Evaluation, Frame


def load(ev: "Evaluation", node: ast.Name, frame: "Frame", state: State) -> Value:
    """The value of a name where it is read."""
    if node.id in state.names:
        bound = state.names[node.id]
        return known_global(ev, bound.name, state) if isinstance(bound, Global) else bound
    nested = _nested(frame, node.id)
    if nested is not None:
        return nested
    if frame.function is not None and _local_to_outer(frame, node.id):
        held = ev.closures.get((frame.module.path, frame.module.qualname(frame.function)), {}).get(node.id)
        if held is not None and _bound_once(frame, node.id):
            return held
        return Opaque(f"{node.id} of the enclosing function")
    if node.id in frame.module.imports:
        return known_global(ev, frame.module.imports[node.id], state)
    if node.id in frame.module.definitions:
        dotted = f"{frame.module.name}.{node.id}" if frame.module.name else node.id
        return known_global(ev, dotted, state)
    if node.id == "__file__":
        return clean("path of the module")
    given = None if node.id.startswith("_") else _by_star(ev, frame.module, node.id)
    if given is not None:
        return known_global(ev, given, state)
    if hasattr(builtins, node.id):
        return Global(node.id)
    return Opaque(f"name {node.id}")


def _by_star(ev: "Evaluation", module: "Module", name: str) -> str | None:
    """The dotted origin of a name that comes with `from x import *` from a module of the project; None for any other."""
    for base in module.stars:
        home = ev.project.module_named(base)
        if home is None or "__all__" in home.definitions:
            continue
        if name in home.imports:
            return home.imports[name]
        if name in home.definitions:
            return f"{base}.{name}"
    return None


def _nested(frame: "Frame", name: str) -> Value | None:
    """A function defined in the same enclosing function."""
    if frame.function is None:
        return None
    for up in frame.module.ancestors(frame.function):
        if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in up.body:
                if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name:
                    return Function(frame.module.path, frame.module.qualname(statement))
    return None


def _local_to_outer(frame: "Frame", name: str) -> bool:
    if frame.function is None:
        return False
    for up in frame.module.ancestors(frame.function):
        if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [*up.args.posonlyargs, *up.args.args, *up.args.kwonlyargs]
            if any(a.arg == name for a in arguments):
                return True
            if any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(up)):
                return True
    return False


def _bound_once(frame: "Frame", name: str) -> bool:
    """Whether the functions around give the name its value in one place."""
    if frame.function is None:
        return False
    around = [
        u for u in frame.module.ancestors(frame.function) if isinstance(u, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    stores = {
        n
        for up in around
        for n in ast.walk(up)
        if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
    }
    given = [a for up in around for a in ast.walk(up.args) if isinstance(a, ast.arg) and a.arg == name]
    return len(stores) + len(given) == 1


def known_global(ev: "Evaluation", dotted: str, state: State) -> Value:
    """A dotted name: a request object, a function or constant of the project, or itself."""
    if dotted in untrusted.GLOBALS:
        return untrusted.GLOBALS[dotted]
    if dotted == "sys.argv":
        return operator.arguments(1)
    if dotted.endswith(".__file__"):
        return clean("path of the module")
    index = ev.project.index
    canonical = index.canonical(dotted)
    if canonical in index.functions:
        function = index.functions[canonical]
        return Function(function.path, function.qualname)
    if canonical in index.classes or canonical in index.module_paths:
        return Global(canonical)
    constant = _constant(ev, canonical, state)
    return Global(canonical) if constant is None else constant


def _constant(ev: "Evaluation", dotted: str, state: State) -> Value | None:
    """A module-level name of the project that is bound once, to a literal."""
    head, _, name = dotted.rpartition(".")
    if dotted in ev.constants:
        return ev.constants[dotted]
    module = ev.project.module_named(head)
    result: Value | None = None
    if module is not None and any(a.name == "*" for n in module.nodes(ast.ImportFrom) for a in n.names):
        result = Opaque(f"{name}, which `import *` may replace")
    elif module is not None:
        stores = [n for n in module.nodes(ast.Name) if n.id == name and isinstance(n.ctx, ast.Store)]
        statement = module.definitions.get(name)
        if len(stores) == 1 and isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            made = made_from(ev, module, statement.value)
            if made is not None:
                return ev.allocate(state, Instance(made, {}))
            pattern = _pattern(module, statement.value)
            if pattern is not None:
                return ev.allocate(state, Instance("pattern", {"pattern": pattern}))
            if _beside_the_code(module, statement.value):
                return clean(name)
            result = None if _filled(module, name) else _literal(ev, statement.value, state)
            if result is None or _SETTINGS.search(head) or (isinstance(result, Const) and not name.isupper()):
                result = clean(name) if _textual(result) else Opaque(f"module-level {name}")
        elif stores:
            result = Opaque(f"module-level {name}")
    if result is None or isinstance(result, Const | Opaque):
        ev.constants[dotted] = result
    return result


_PATHS = re.compile(r"(?:os|posix)\.?path\.(?:join|dirname|abspath|realpath|normpath)|pathlib\.Path|str")


def _beside_the_code(module: "Module", node: ast.expr) -> bool:
    """Whether an expression is a path that is made of `__file__` and fixed text alone."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="resolve" | "absolute"), args=[]):
            return _beside_the_code(module, inner)
        case ast.Call(keywords=[]) if _PATHS.fullmatch(module.resolve(node.func) or ""):
            texts = [a for a in node.args if isinstance(a, ast.Constant)]
            return len(texts) < len(node.args) and all(a in texts or _beside_the_code(module, a) for a in node.args)
        case ast.Attribute(value=inner, attr="parent"):
            return _beside_the_code(module, inner)
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant()):
            return _beside_the_code(module, left)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name == "__file__"
    return False


_CHANGES = frozenset(
    {"append", "add", "extend", "insert", "update", "setdefault", "pop", "popitem", "remove", "discard", "clear"}
)


def _filled(module: "Module", name: str) -> bool:
    """Whether the module changes what the name holds, which then is not what it began with."""
    for part in module.nodes(ast.Subscript):
        if isinstance(part.value, ast.Name) and part.value.id == name and not isinstance(part.ctx, ast.Load):
            return True
    for call in module.nodes(ast.Call):
        on = call.func
        if (
            isinstance(on, ast.Attribute)
            and on.attr in _CHANGES
            and isinstance(on.value, ast.Name)
            and on.value.id == name
        ):
            return True
    return False


def _literal(ev: "Evaluation", node: ast.expr, state: State) -> Value | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    if isinstance(value, str | bytes | int | float | bool | None):
        return Const(value)
    if not value:
        return None  # an empty container at module level is there to be filled
    if isinstance(value, list | tuple | set | frozenset) and all(_scalar(v) for v in value):
        items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        return ev.allocate(state, ListObject(tuple(Const(v) for v in items)))
    if isinstance(value, dict) and all(_scalar(k) and _scalar(v) for k, v in value.items()):
        return ev.allocate(state, DictObject({k: Const(v) for k, v in value.items()}))
    return None


def _textual(value: Value | None) -> bool:
    return isinstance(value, Const) and isinstance(value.value, str)


def _scalar(value: object) -> bool:
    return value is None or isinstance(value, str | bytes | int | float | bool)


def library_bases(ev: "Evaluation", cls: str, depth: int = 6) -> tuple[str, ...]:
    """Dotted names of the classes outside the project that a class of the project is made from."""
    found = ev.project.index.classes.get(ev.project.index.canonical(cls))
    if found is None or depth == 0:
        return (cls,)
    return tuple(b for base in found.bases for b in library_bases(ev, base, depth - 1))


def body_of(ev: "Evaluation", module: "Module", argument: ast.arg) -> Instance | None:
    """What a parameter holds that is validated as a pydantic model of the project; its fields come from the client."""
    name = untrusted.model_name(module, argument)
    if name is not None and "." not in name and module.name:
        name = f"{module.name}.{name}"
    found = ev.project.index.classes.get(ev.project.index.canonical(name)) if name else None
    if found is None or not any(b.startswith("pydantic.") for b in library_bases(ev, found.name)):
        return None
    home = ev.project.module(found.path)
    model = next((n for q, n in home.classes if found.name in {q, f"{home.name}.{q}"}), None)
    return Instance(found.name, untrusted.fields_of(model, argument.arg)) if model is not None else None


def made_from(ev: "Evaluation", module: "Module", value: ast.expr | None) -> str | None:
    """Dotted class of the project that an expression makes an object of, None for every other."""
    name = module.resolve(value.func) if isinstance(value, ast.Call) else None
    if name is None:
        return None
    if "." not in name and module.name:
        name = f"{module.name}.{name}"
    canonical = ev.project.index.canonical(name)
    return canonical if canonical in ev.project.index.classes else None


def _pattern(module: "Module", value: ast.expr) -> Const | None:
    """The text of `re.compile("...")`."""
    if isinstance(value, ast.Call) and module.resolve(value.func) == "re.compile" and len(value.args) == 1:
        first = value.args[0]
        return Const(first.value) if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
    return None


def member(ev: "Evaluation", cls: str, name: str, state: State) -> Value | None:
    """What a class says of an attribute: a constant that nothing sets, or an object that `__init__` makes."""
    found = ev.project.index.classes.get(ev.project.index.canonical(cls))
    module = ev.project.module(found.path) if found is not None else None
    if found is None or module is None:
        return None
    for qualname, node in module.classes:
        if found.name not in {qualname, f"{module.name}.{qualname}"}:
            continue
        stores: list[ast.expr | None] = []
        for assign in module.nodes(ast.Assign):
            stores += [assign.value for t in assign.targets if isinstance(t, ast.Attribute) and t.attr == name]
        others: list[ast.AnnAssign | ast.AugAssign] = [*module.nodes(ast.AnnAssign), *module.nodes(ast.AugAssign)]
        for other in others:
            if isinstance(other.target, ast.Attribute) and other.target.attr == name:
                stores.append(other.value if isinstance(other, ast.AnnAssign) else None)
        if len(stores) == 1:
            made = made_from(ev, module, stores[0])
            return ev.allocate(state, Instance(made, {})) if made is not None else None
        for statement in node.body if not stores else ():
            if isinstance(statement, ast.Assign) and [t.id for t in statement.targets if isinstance(t, ast.Name)] == [
                name
            ]:
                known = _literal(ev, statement.value, state) if name.isupper() else None
                return known if isinstance(known, Const) else None
    return None


def method_of(ev: "Evaluation", cls: str, name: str, depth: int = 6) -> Function | None:
    """The method of a class of the project, or of its nearest base there."""
    index = ev.project.index
    found = index.classes.get(index.canonical(cls))
    if found is None or depth == 0:
        return None
    if name in found.methods:
        function = index.functions.get(f"{found.name}.{name}")
        return Function(function.path, function.qualname) if function is not None else None
    for base in found.bases:
        inherited = method_of(ev, base, name, depth - 1)
        if inherited is not None:
            return inherited
    return None
