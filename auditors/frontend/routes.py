"""The routes that Flask, FastAPI, Starlette and Django code of the project declares by literals."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.source.module import FunctionNode, Module
from harness.source.project import Project

_DECLARES = re.compile(
    rb"^\s*@[\w.]+\.(?:get|post|put|delete|patch|head|options|route|api_route|websocket)\(|\b(?:re_)?path\(|\burl\(|add_url_rule",
    re.MULTILINE,
)
"""What a module holds that declares routes."""
_VERBS = frozenset({"get", "post", "put", "delete", "patch", "head", "options"})


class Route(NamedTuple):
    """One route."""

    pattern: str
    """Path with `{}` for every variable part and `{int}` for numbers, with the prefix that its router was made with."""
    methods: frozenset[str]
    """Upper case; empty means any."""
    endpoint: str
    """Name for `url_for` or `{% url %}`, `''` when unknown."""
    path: str
    line: int
    catch_all: bool
    """A variable part takes slashes too."""
    whole: bool
    """Nothing can stand before the pattern: it belongs to the application itself."""


def routes(project: Project) -> list[Route]:
    """All routes, by file and line."""
    found: list[Route] = []
    for module in project.modules_matching(_DECLARES):
        found += _in_module(module)
    return found


def names(project: Project) -> set[str]:
    """Every name that some call gives to a route, literal or not its path."""
    found: set[str] = set()
    for module in project.modules_matching(_DECLARES):
        for keyword in module.nodes(ast.keyword):
            if keyword.arg in {"name", "endpoint"} and isinstance(keyword.value, ast.Constant):
                found.add(str(keyword.value.value))
    return found


def _in_module(module: Module) -> Iterator[Route]:
    for _, function in module.functions:
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call):
                yield from _decorated(module, function, decorator)
    if "path(" not in module.text and "url(" not in module.text and "add_url_rule" not in module.text:
        return
    for call in module.nodes(ast.Call):
        name = module.resolve(call.func) or ""
        if name.rpartition(".")[2] in {"path", "re_path", "url"} and name.startswith("django."):
            yield from _django(module, call)
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "add_url_rule" and call.args:
            yield from _rule(module, call)


def _decorated(module: Module, function: FunctionNode, call: ast.Call) -> Iterator[Route]:
    if not isinstance(call.func, ast.Attribute):
        return
    verb = call.func.attr
    first = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg in {"rule", "path"}), None)
    if verb not in _VERBS | {"route", "api_route", "websocket"} or not isinstance(first, ast.Constant):
        return
    text = first.value
    if not isinstance(text, str) or (text and not text.startswith("/")):
        return
    if verb in _VERBS:
        methods = frozenset({verb.upper(), "HEAD"} if verb == "get" else {verb.upper()})
    elif verb == "websocket":
        methods = frozenset({"WEBSOCKET"})
    else:
        methods = _methods(call)
    endpoint = next(
        (k.value.value for k in call.keywords if k.arg in {"endpoint", "name"} and isinstance(k.value, ast.Constant)),
        function.name,
    )
    prefix, whole = _prefix(module, call.func.value)
    yield _route(prefix + text, methods, str(endpoint), module.path, function.lineno, whole=whole)


def _prefix(module: Module, owner: ast.expr) -> tuple[str, bool]:
    """The prefix that a router was made with, and whether it is an application, which has none before it."""
    made = module.definitions.get(owner.id) if isinstance(owner, ast.Name) else None
    value = made.value if isinstance(made, ast.Assign) else None
    if not isinstance(value, ast.Call):
        return "", False
    last = (module.resolve(value.func) or "").rpartition(".")[2]
    given = next((k.value for k in value.keywords if k.arg in {"prefix", "url_prefix"}), None)
    prefix = given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else ""
    return prefix, last in {"Flask", "FastAPI", "Starlette"} and given is None


def _methods(call: ast.Call) -> frozenset[str]:
    """Methods of a `route` decorator; GET when none are given; empty (any) when they are no literal."""
    value = next((k.value for k in call.keywords if k.arg == "methods"), None)
    if value is None:
        return frozenset({"GET", "HEAD"})
    if isinstance(value, ast.List | ast.Tuple | ast.Set) and all(isinstance(e, ast.Constant) for e in value.elts):
        names = {str(e.value).upper() for e in value.elts if isinstance(e, ast.Constant)}
        return frozenset(names | ({"HEAD"} if "GET" in names else set()))
    return frozenset()


def _rule(module: Module, call: ast.Call) -> Iterator[Route]:
    first = call.args[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        endpoint = next(
            (str(k.value.value) for k in call.keywords if k.arg == "endpoint" and isinstance(k.value, ast.Constant)), ""
        )
        if not endpoint and len(call.args) > 1 and isinstance(call.args[1], ast.Constant):
            endpoint = str(call.args[1].value)
        has_methods = any(k.arg == "methods" for k in call.keywords)
        yield _route(first.value, _methods(call) if has_methods else frozenset(), endpoint, module.path, call.lineno)


def _django(module: Module, call: ast.Call) -> Iterator[Route]:
    if not call.args or not isinstance(call.args[0], ast.Constant) or not isinstance(call.args[0].value, str):
        return
    included = (
        len(call.args) > 1
        and isinstance(call.args[1], ast.Call)
        and (module.resolve(call.args[1].func) or "").endswith("include")
    )
    name = next(
        (str(k.value.value) for k in call.keywords if k.arg == "name" and isinstance(k.value, ast.Constant)), ""
    )
    text = call.args[0].value
    if included:
        return
    if (module.resolve(call.func) or "").rpartition(".")[2] != "path":
        text = re.sub(r"\(\?P<\w+>(?:[^()]|\([^()]*\))*\)|\((?:[^()]|\([^()]*\))*\)", "<x>", text.strip("^$"))
        text = text.replace("\\", "")
    yield _route(text, frozenset(), name, module.path, call.lineno)


def _route(text: str, methods: frozenset[str], endpoint: str, path: str, line: int, *, whole: bool = False) -> Route:
    catch_all = bool(re.search(r"<path:|:path\}|\.\*", text))
    shape = re.sub(r"<int:[^>]*>|\{\w+:int\}", "\0", text)
    shape = re.sub(r"<[^>]*>|\{[^}]*\}", "{}", shape).replace("\0", "{int}")
    return Route("/" + shape.strip("/"), methods, endpoint, path, line, catch_all, whole)


def matching(known: list[Route], url: str) -> list[Route]:
    """Routes that may serve `url`, in which `\\0` stands for text known only while running; prefixes may come before."""
    path = url.partition("?")[0].partition("#")[0]
    wanted = [part for part in path.split("/") if part]
    return [route for route in known if _matches(route, wanted)]


def _matches(route: Route, wanted: list[str]) -> bool:
    parts = [part for part in route.pattern.split("/") if part]
    if route.catch_all:
        literal = [part for part in parts if "{" not in part]
        return not literal or literal[0] in wanted
    if len(parts) > len(wanted) or (len(parts) < len(wanted) and (route.whole or not parts)):
        return False
    tail = wanted[len(wanted) - len(parts) :]
    return all(_fits(part, one) for part, one in zip(parts, tail, strict=True))


def _fits(part: str, text: str) -> bool:
    if part == "{int}":
        return "\0" in text or text.isdigit()
    return "{}" in part or "{int}" in part or "\0" in text or part == text
