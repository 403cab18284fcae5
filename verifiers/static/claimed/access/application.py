"""What a whole project says of requests: which functions answer them, what stands before all, whether it knows users."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

from harness.schema.location import Location
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.claimed.access.guard import Checks, before, checks, denies
from verifiers.static.claimed.access.reading import Reading, read
from verifiers.static.claimed.access.subject import Subject, named
from verifiers.static.reading import chain

_VERBS = frozenset(
    {"route", "get", "post", "put", "delete", "patch", "head", "options", "api_route", "websocket", "view"}
)
_TABLES = frozenset(
    {"path", "re_path", "url", "add_url_rule", "add_route", "add_get", "add_post", "add_put", "add_delete", "add_patch",
     "add_view", "add_api_route", "add_resource", "get", "post", "put", "delete", "patch", "view", "Route", "Rule", "route"}
)  # fmt: skip
_METHODS = frozenset({"get", "post", "put", "delete", "patch", "head", "options", "dispatch", "list", "create", "retrieve",
                      "update", "partial_update", "destroy", "on_get", "on_post", "on_put", "on_delete", "on_patch"})  # fmt: skip
_CLASSES = re.compile(
    r"View|ViewSet|Resource|MethodView|RequestHandler|HTTPEndpoint|HTTPMethodView|.*(?:APIView|View|ViewSet|RequestHandler|Resource)"
)
_CREDENTIAL = re.compile(r"^(?:password|passwd|pwd|pwd_hash|password_hash|hashed_password)$", re.I)
_ACCOUNTS_SQL = re.compile(
    r"CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[\"`\w.]*(?:user|account|member|admin)\w*.*?\bpass", re.I | re.S
)


class Protection(NamedTuple):
    """Something that stands before every request, or is known to a whole application."""

    at: Location
    says: str
    framework: str = ""


class Application(NamedTuple):
    """Facts of a project."""

    routed: dict[str, tuple[Location, frozenset[str]]]
    """Dotted name of a function or class -> where a table of routes names it, with the methods when they show."""
    operations: dict[str, tuple[Location, bool]]
    """The same, for operations of OpenAPI documents; True when the document asks for credentials there."""
    everywhere: tuple[Protection, ...]
    """Guards of all requests."""
    forgery: tuple[Protection, ...]
    """Protections against forged requests."""
    accounts: tuple[Protection, ...]
    """Where it shows that there are users with passwords, logins or sessions."""
    per_view: tuple[Protection, ...]
    """Functions that have a guard before them."""


_KNOWN: "WeakKeyDictionary[Project, Application]" = WeakKeyDictionary()
"""Places and names only, no trees."""


def application(project: Project) -> Application:
    """Facts of `project`; read once."""
    known = _KNOWN.get(project)
    if known is None:
        known = _KNOWN[project] = _read(project)
    return known


def _read(project: Project) -> Application:
    routed: dict[str, tuple[Location, frozenset[str]]] = {}
    everywhere: list[Protection] = []
    forgery: list[Protection] = []
    accounts: list[Protection] = []
    per_view: list[Protection] = []
    operations = _operations(project)
    for module in project.modules(test=False):
        for name, found in _routes(module, project):
            routed.setdefault(name, found)
        everywhere += _everywhere(module, project)
        forgery += _forgery(module, project)
        accounts += _accounts(module)
        for _, node in module.functions:
            guard = before(Subject(module, node), project) if node.decorator_list and len(per_view) < 8 else None
            if guard is not None:
                per_view.append(Protection(guard.at, guard.says))
    return Application(routed, operations, tuple(everywhere), tuple(forgery), tuple(accounts), tuple(per_view))


def _routes(module: Module, project: Project) -> Iterator[tuple[str, tuple[Location, frozenset[str]]]]:
    for call in module.nodes(ast.Call):
        last = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if last not in _TABLES:
            continue
        methods = frozenset(
            str(n.value).upper()
            for a in [*call.args[:1], *(k.value for k in call.keywords if k.arg == "methods")]
            for n in ast.walk(a)
            if isinstance(n, ast.Constant) and str(n.value).upper() in {"GET", "POST", "PUT", "DELETE", "PATCH", "*"}
        )
        for given in [*call.args, *(k.value for k in call.keywords)]:
            for one in given.elts if isinstance(given, ast.List | ast.Tuple) else [given]:
                name = _view(module, one, project)
                if name is not None:
                    yield name, (module.location(call), methods)


def _view(module: Module, node: ast.expr, project: Project) -> str | None:
    """The dotted name of what answers, wrappers and `as_view()` taken off."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr == "as_view":
            node = node.func.value
        elif len(node.args) == 1:
            node = node.args[0]
        else:
            return None
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    name = module.resolve(node)
    if name is None:
        return None
    name = project.index.canonical(name)
    return name if name in project.index.functions or name in project.index.classes else None


def _operations(project: Project) -> dict[str, tuple[Location, bool]]:
    found: dict[str, tuple[Location, bool]] = {}
    for path in project.entries:
        if not path.endswith((".yml", ".yaml", ".json")) or len(found) > 5000:
            continue
        if b"operationId" not in project.read_bytes(path):
            continue
        lines = project.lines(path)
        for number, line in enumerate(lines, 1):
            match = re.match(r"\s*[\"']?operationId[\"']?\s*:\s*[\"']?([\w.]+)", line)
            if match:
                place = Location(path=path, line=number, end_line=number)
                found.setdefault(match.group(1), (place, _asks(lines, number - 1)))
    return found


def _asks(lines: list[str], at: int) -> bool:
    """Whether `security` stands beside the operation, or at the top of the document."""
    depth = _indent(lines[at])
    first, last = at, at
    while first > 0 and (not lines[first - 1].strip() or _indent(lines[first - 1]) >= depth):
        first -= 1
    while last + 1 < len(lines) and (not lines[last + 1].strip() or _indent(lines[last + 1]) >= depth):
        last += 1
    beside = any(_indent(line) == depth and _SECURITY.match(line) for line in lines[first : last + 1])
    at_top = any(_indent(line) == 0 and _SECURITY.match(line) for line in lines)
    return beside or at_top or lines[0].lstrip().startswith("{")


_SECURITY = re.compile(r"\s*[\"']?security[\"']?\s*:")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _everywhere(module: Module, project: Project) -> Iterator[Protection]:
    for _, node in module.functions:
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            last = chain(called).rpartition(".")[2]
            if last in {"before_request", "before_app_request", "before_serving", "middleware", "hook"}:
                registered = last != "middleware" or "web." not in chain(called)
                if registered and denies(Subject(module, node), project):
                    yield Protection(module.location(node), f"`{node.name}` looks at every request first")
    for call in module.nodes(ast.Call):
        last = getattr(call.func, "attr", getattr(call.func, "id", ""))
        words = {k.arg: k.value for k in call.keywords}
        if last in {"Application", "Starlette", "FastAPI", "APIRouter", "include_router"}:
            for word in ("middlewares", "middleware", "dependencies"):
                for one in ast.walk(words[word]) if word in words else ():
                    other = named(module, one, project) if isinstance(one, ast.Name | ast.Attribute) else None
                    if other is not None and denies(other, project):
                        yield Protection(module.location(one), f"`{other.node.name}` stands before every request")
        if last == "before_request" and call.args:
            other = named(module, call.args[0], project)
            if other is not None and denies(other, project):
                yield Protection(module.location(call), f"`{other.node.name}` looks at every request first")
    for name, at in _middleware(module):
        if re.search(r"LoginRequired|RequireLogin|AuthRequired", name):
            yield Protection(at, f"`{name}` turns away who is not logged in", "django")


def _middleware(module: Module) -> Iterator[tuple[str, Location]]:
    """Entries of Django's list of middleware."""
    for statement in module.nodes(ast.Assign):
        if any(isinstance(t, ast.Name) and t.id in {"MIDDLEWARE", "MIDDLEWARE_CLASSES"} for t in statement.targets):
            for node in ast.walk(statement.value):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value, module.location(node)


def _against_forgery(name: str) -> bool:
    """`config.set_default_csrf_options`, `csrf.init_app`: a function that has to do with it, but for exemptions."""
    last = name.rpartition(".")[2]
    asked = re.search(r"csrf|xsrf", last, re.I) and not re.search(r"exempt|get_token|rotate", last, re.I)
    return bool(asked) or bool(re.search(r"(?:csrf|xsrf)\w*\.init_app$", name, re.I))


def _forgery(module: Module, project: Project) -> Iterator[Protection]:
    for name, at in _middleware(module):
        if re.search(r"csrf", name, re.I):
            yield Protection(at, f"`{name}` is among the middleware", "django")
    for statement in module.nodes(ast.Assign):
        if "SESSION_COOKIE_SAMESITE" in ast.unparse(statement.targets[0]) and ast.unparse(statement.value).strip(
            "'\""
        ) in {"Lax", "Strict"}:
            yield Protection(
                module.location(statement), "the session cookie does not go with requests from other sites", "cookie"
            )
    for call in module.nodes(ast.Call):
        name = chain(call.func)
        if name.rpartition(".")[2] in {"CSRFProtect", "CsrfProtect", "SeaSurf"}:
            yield Protection(module.location(call), f"`{ast.unparse(call)}` protects all forms", "flask")
        elif (
            _against_forgery(name)
            and project.index.canonical(module.resolve(call.func) or "") not in project.index.classes
        ):
            yield Protection(module.location(call), f"`{name}` is called", "some")
        words = ast.unparse(call) if name.endswith(("add_middleware", "Application", "Starlette", "FastAPI")) else ""
        if re.search(r"csrf", words, re.I):
            framework = "aiohttp" if name.endswith("Application") else "starlette"
            yield Protection(module.location(call), "a middleware against forged requests is set", framework)


def _accounts(module: Module) -> Iterator[Protection]:
    for _, cls in module.classes:
        for statement in cls.body:
            target: ast.expr | None = statement.target if isinstance(statement, ast.AnnAssign) else None
            if isinstance(statement, ast.Assign):
                target = statement.targets[0]
            if isinstance(target, ast.Name) and _CREDENTIAL.match(target.id):
                yield Protection(module.location(statement), f"`{cls.name}` has a password")
    for node in module.nodes(ast.Constant):
        if isinstance(node.value, str) and _ACCOUNTS_SQL.search(node.value):
            yield Protection(module.location(node), "a table of users has passwords")
    for call in module.nodes(ast.Call):
        name = module.resolve(call.func) or ""
        if name in {"django.contrib.auth.login", "django.contrib.auth.authenticate", "flask_login.login_user"}:
            yield Protection(module.location(call), f"`{ast.unparse(call.func)}` logs users in")


def answers(subject: Subject, project: Project) -> tuple[Location, frozenset[str]] | None:
    """Where it shows that a function answers requests, and for which methods (none when that does not show)."""
    module, node = subject
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        last = chain(called).rpartition(".")[2]
        if isinstance(decorator, ast.Call) and isinstance(called, ast.Attribute) and last in _VERBS:
            return module.location(decorator), _methods(decorator, last)
        if last in {
            "api_view",
            "expose",
            "view_config",
            "require_http_methods",
            "require_POST",
            "require_GET",
            "csrf_exempt",
        }:
            return module.location(decorator), frozenset({"POST"}) if last == "require_POST" else frozenset()
    known = application(project)
    if subject.name in known.routed:
        return known.routed[subject.name]
    operation = operation_of(subject, known)
    if operation is not None:
        return operation[0], frozenset()
    parent = module.parents.get(node)
    if isinstance(parent, ast.ClassDef):
        return _of_a_class(module, parent, node.name)
    arguments = [a.arg for a in subject.parameters]
    if arguments[:2] == ["environ", "start_response"]:
        return module.location(node), frozenset()
    return None


def reading_of(subject: Subject, project: Project) -> Reading:
    """What the names of a function carry; its parameters come from the client where it answers requests."""
    return read(subject, project, endpoint=answers(subject, project) is not None)


def checks_of(subject: Subject, project: Project) -> Checks:
    """Its tests of identity, read in the same way."""
    return checks(subject, project, endpoint=answers(subject, project) is not None)


def operation_of(subject: Subject, known: Application) -> tuple[Location, bool] | None:
    """The entry of an OpenAPI document that names the function."""
    for operation, entry in known.operations.items():
        if subject.name == operation or subject.name.endswith(f".{operation}"):
            return entry
    return None


def _of_a_class(module: Module, cls: ast.ClassDef, method: str) -> tuple[Location, frozenset[str]] | None:
    bases = [module.resolve(b) or chain(b) for b in cls.bases]
    if re.fullmatch(r"do_[A-Z]+", method) and any(b.endswith("HTTPRequestHandler") for b in bases):
        return module.location(cls), frozenset({method[3:]})
    if method in _METHODS and any(_CLASSES.fullmatch(b.rpartition(".")[2]) for b in bases):
        return module.location(cls), frozenset({method.upper().removeprefix("ON_")})
    return None


def _methods(decorator: ast.Call, verb: str) -> frozenset[str]:
    if verb in {"get", "post", "put", "delete", "patch", "head", "options"}:
        return frozenset({verb.upper()})
    for word in decorator.keywords:
        if word.arg == "methods":
            return frozenset(str(n.value).upper() for n in ast.walk(word.value) if isinstance(n, ast.Constant))
    return frozenset({"GET"}) if verb == "route" else frozenset()
