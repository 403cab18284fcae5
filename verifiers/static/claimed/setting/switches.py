"""Debug modes and open doors: is the switch really on, for everybody? (489, 215, 11, 16, 668)"""

import ast
import re
from collections.abc import Iterator

from harness.schema.location import Location
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.claimed.setting.place import Scene, Sight
from verifiers.static.claimed.setting.words import DEVELOPMENT, constant, last_name

THING = "a debug mode that is switched on"
_SERVES = re.compile(r"(?:.*\.)?(?:run|run_app|serve|runserver|run_simple)")
_APPLICATION = re.compile(r"(?:.*\.)?(?:Application|FastAPI|Starlette|Sanic|Quart|Flask|Falcon|Litestar)")
_RENDERS = re.compile(r"jinja2\.Environment|(?:.*\.)?aiohttp_jinja2\.setup|jinja2\.Template")
_STOPS = frozenset({"breakpoint", "pdb.set_trace", "ipdb.set_trace", "pudb.set_trace"})
_EVERYWHERE = frozenset({"0.0.0.0", "::", ""})
_READS = frozenset({"os.getenv", "os.environ.get", "environ.get", "decouple.config", "env.bool"})


def debug(scene: Scene) -> Iterator[Sight]:
    """Debug switches, and what may be left from debugging."""
    module = scene.module
    yield from modes(scene)
    for name, function in module.functions:
        if re.search(r"(?:^|_)debug", name.rpartition(".")[2]):
            yield Sight(
                module.location(function), None, "the function is named after debugging; what it is for does not show"
            )
    for call in module.nodes(ast.Call):
        called = module.resolve(call.func) or ""
        if called in _STOPS:
            yield Sight(
                module.location(call), True, f"`{called}` stops the program here and waits for somebody at its terminal"
            )
        elif called in {"print", "pprint.pprint"}:
            yield Sight(
                module.location(call), None, "something is printed; whether that is left from debugging does not show"
            )


def modes(scene: Scene) -> Iterator[Sight]:
    """Debug switches of servers, applications and settings."""
    module = scene.module
    for call in module.nodes(ast.Call):
        yield from _passed(scene, call)
    for assign in module.nodes(ast.Assign):
        for target in assign.targets:
            if last_name(target) in {"DEBUG", "debug"}:
                yield _set(scene, target, assign.value, assign)
    for table in module.nodes(ast.Dict):
        for key, value in zip(table.keys, table.values, strict=True):
            if constant(key) == "DEBUG" and isinstance(value, ast.Constant) and value.value is True:
                yield Sight(module.location(value), None, "which table this is, and who uses it, does not show")


def hosts(scene: Scene) -> Iterator[Sight]:
    """`ALLOWED_HOSTS = ["*"]`."""
    for assign in scene.module.nodes(ast.Assign):
        if any(last_name(t) == "ALLOWED_HOSTS" for t in assign.targets) and isinstance(
            assign.value, ast.List | ast.Tuple
        ):
            at = scene.module.location(assign)
            if not any(constant(e) == "*" for e in assign.value.elts):
                yield Sight(at, False, "`ALLOWED_HOSTS` names the hosts")
            elif DEVELOPMENT.search(scene.module.path) or _stored_again(scene.module, "ALLOWED_HOSTS"):
                yield Sight(at, None, "the setting is for development, or is changed again")
            else:
                yield Sight(at, True, "`ALLOWED_HOSTS` accepts any host, so whoever asks says what links are made of")


def escaping(scene: Scene) -> Iterator[Sight]:
    """Template engines that are told not to escape."""
    for call in scene.module.nodes(ast.Call):
        if not _RENDERS.fullmatch(scene.module.resolve(call.func) or ""):
            continue
        given = next((k.value for k in call.keywords if k.arg == "autoescape"), None)
        if isinstance(given, ast.Constant) and given.value is False:
            yield Sight(scene.module.location(call), True, "`autoescape=False`: no template escapes what it is given")


def _passed(scene: Scene, call: ast.Call) -> Iterator[Sight]:
    module = scene.module
    given = next((k.value for k in call.keywords if k.arg in {"debug", "use_debugger"}), None)
    name = module.resolve(call.func) or (f"?.{call.func.attr}" if isinstance(call.func, ast.Attribute) else "")
    serves = _SERVES.fullmatch(name) is not None
    if given is None or not (serves or _APPLICATION.fullmatch(name)):
        return
    at = module.location(call)
    place = at.model_copy(update={"line": given.lineno, "end_line": given.lineno}) if given.lineno != at.line else at
    if not isinstance(given, ast.Constant):
        yield _from_a_setting(scene, given, place)
    elif not given.value:
        yield Sight(place, False, "debug is off")
    elif DEVELOPMENT.search(module.path) or not serves:
        says = "the application is made in debug mode, whoever runs it"
        yield Sight(place, None if DEVELOPMENT.search(module.path) else True, says)
    else:
        host = next((k.value for k in call.keywords if k.arg == "host"), call.args[0] if call.args else None)
        if constant(host) in _EVERYWHERE:
            yield Sight(
                place, True, "debug mode on all interfaces: the debugger runs code for whoever reaches the port"
            )
        else:
            yield Sight(place, None, "the server in debug mode listens to this machine only, unless told otherwise")


def _from_a_setting(scene: Scene, given: ast.expr, at: Location) -> Sight:
    value = defined(scene.project, scene.module, given)
    if value is not None and _off_by_default(*value):
        home, node = value
        return Sight(at, False, "debug is off unless the environment asks for it", (home.location(node),))
    return Sight(at, None, "a setting decides")


def defined(project: Project, module: Module, name: ast.expr) -> tuple[Module, ast.expr] | None:
    """The one value that a name of a module (`config.DEBUG`, `DEBUG`) is bound to, with its module."""
    dotted = module.resolve(name) or ""
    owner, _, last = dotted.rpartition(".")
    home = module if not owner or owner == module.name else project.module_named(project.index.canonical(owner))
    statement = home.definitions.get(last) if home is not None else None
    if home is None or not isinstance(statement, ast.Assign) or _stored_again(home, last):
        return None
    return home, statement.value


def _off_by_default(module: Module, value: ast.expr) -> bool:
    """A read of the environment whose default is off: `os.getenv("DEBUG", "False").lower() in ("true", "1")`."""
    reads = [n for n in ast.walk(value) if isinstance(n, ast.Call) and module.resolve(n.func) in _READS]
    if len(reads) != 1:
        return False
    default = reads[0].args[1] if len(reads[0].args) > 1 else None
    default = next((k.value for k in reads[0].keywords if k.arg == "default"), default)
    off = default is None or (
        isinstance(default, ast.Constant) and str(default.value).lower() in {"false", "0", "", "no", "off", "none"}
    )
    compared = isinstance(value, ast.Compare) and isinstance(value.ops[0], ast.In | ast.Eq)
    return off and (compared or default is None or getattr(default, "value", "") in {False, "", None})


def _set(scene: Scene, target: ast.expr, value: ast.expr, node: ast.Assign) -> Sight:
    module = scene.module
    at = module.location(node)
    if not isinstance(value, ast.Constant):
        if _off_by_default(module, value):
            return Sight(at, False, "debug is off unless the environment asks for it")
        return Sight(at, None, "a setting decides")
    if not value.value:
        return Sight(at, False, "debug is off")
    if value.value is not True or DEVELOPMENT.search(module.path) or module.enclosing_function(node) is not None:
        return Sight(at, None, "whether this is the debug mode of an application that is served does not show")
    name = last_name(target)
    if _stored_again(module, name) or any(a.name == "*" for n in module.nodes(ast.ImportFrom) for a in n.names):
        return Sight(at, None, "the setting is changed again, or another settings module has its say")
    if any(isinstance(up, ast.If | ast.Try) for up in module.ancestors(node)):
        return Sight(at, None, "the debug mode is on under a condition")
    if name == "DEBUG" and isinstance(target, ast.Name):
        served = named_by(scene.project, module)
        if served is None:
            return Sight(at, None, "what is served with these settings does not show")
        return Sight(at, True, f"`{served}` serves the application with these settings")
    return Sight(at, True, "the application is in debug mode, whoever runs it")


def named_by(project: Project, module: Module) -> str | None:
    """The WSGI or ASGI module, or the `manage.py`, that names this settings module."""
    suffixes = {module.name.split(".", n)[-1] for n in range(module.name.count("."))} | {module.name}
    for name, path in sorted(project.index.module_paths.items()):
        if name.rpartition(".")[2] in {"wsgi", "asgi", "manage"}:
            named = {c.value for c in project.module(path).nodes(ast.Constant) if isinstance(c.value, str)}
            if named & suffixes:
                return path
    return None


def _stored_again(module: Module, name: str) -> bool:
    stores = [t for a in module.nodes(ast.Assign) for t in a.targets if last_name(t) == name]
    return len(stores) > 1 or any(last_name(a.target) == name for a in module.nodes(ast.AugAssign))
