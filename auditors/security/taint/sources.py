"""Where untrusted data enters a Python program."""

import ast
import re
from typing import NamedTuple

from harness.source.module import FunctionNode, Module


class Origin(NamedTuple):
    """One kind of source."""

    name: str
    """What a reader calls it: `flask.request.args`, `sys.argv`."""
    strong: bool
    """True when somebody else than the user who runs the program decides the value: a request, a network peer."""


_REQUEST_PARTS = frozenset(
    {
        "args", "form", "values", "cookies", "headers", "files", "json", "data", "query_string", "stream", "path",
        "full_path", "url", "base_url", "referrer", "user_agent", "view_args", "authorization",
        "get_json", "get_data",
        "GET", "POST", "COOKIES", "META", "FILES", "body", "content_params",
        "query_params", "path_params", "query", "match_info", "rel_url", "post", "text", "read", "content",
        "params", "forms", "matchdict", "media", "get_param", "get_media", "get_header", "bounded_stream",
        "json_body", "urlargs", "arguments", "body_arguments", "query_arguments",
    }
)  # fmt: skip
"""Attributes of request objects of Flask, Django, Starlette, aiohttp, Bottle, Pyramid and Tornado that a client fills."""

_TELLING = frozenset(
    {
        "GET", "POST", "COOKIES", "META", "FILES", "cookies", "form", "query_params", "path_params", "get_json",
        "query_string", "match_info", "matchdict", "json_body", "view_args", "rel_url", "query_arguments", "body_arguments",
    }
)  # fmt: skip
"""Of these, the ones that nothing but a web request has; the others count in modules that use a web framework."""

_FRAMEWORKS = frozenset(
    {
        "flask", "quart", "django", "rest_framework", "starlette", "fastapi", "aiohttp", "bottle", "pyramid", "tornado",
        "werkzeug", "sanic", "falcon", "cherrypy", "webob",
    }
)  # fmt: skip

_REQUEST_NAMES = frozenset({"request", "req", "_request", "http_request"})
_HANDLER_METHODS = frozenset({"get_argument", "get_arguments", "get_query_argument", "get_body_argument", "get_cookie"})

_CALLS = {
    "input": Origin("input()", False),
    "os.getenv": Origin("environment", False),
    "os.environ.get": Origin("environment", False),
    "sys.stdin.read": Origin("standard input", False),
    "sys.stdin.readline": Origin("standard input", False),
    "urllib.request.urlopen": Origin("network answer", True),
    "requests.get": Origin("network answer", True),
    "requests.post": Origin("network answer", True),
    "httpx.get": Origin("network answer", True),
    "httpx.post": Origin("network answer", True),
}
_CHAINS = {"sys.argv": Origin("sys.argv", False), "os.environ": Origin("environment", False)}
_HANDLER_PARTS = {"path": "request path", "headers": "request headers", "rfile": "request body"}
"""What `http.server` and `socketserver` put into the object that answers."""
_SOCKET_READS = frozenset({"recv", "recvfrom", "recv_into"})

ROUTE_DECORATORS = frozenset(
    {"route", "get", "post", "put", "delete", "patch", "head", "options", "api_route", "websocket", "view_config"}
)


def source_at(module: Module, node: ast.expr) -> Origin | None:
    """The origin that `node` itself reads from, None for everything else."""
    if isinstance(node, ast.Attribute):
        if node.attr in _REQUEST_PARTS and is_request(module, node.value, node.attr):
            return Origin(f"{_request_name(module, node.value)}.{node.attr}", True)
        if node.attr in _HANDLER_PARTS and module.resolve(node.value) == "self" and _is_handler(module, node):
            return Origin(_HANDLER_PARTS[node.attr], True)
        return _CHAINS.get(module.resolve(node) or "")
    if isinstance(node, ast.Call):
        name = module.resolve(node.func)
        if name in _CALLS:
            return _CALLS[name]
        if isinstance(node.func, ast.Attribute):
            if node.func.attr in _REQUEST_PARTS and is_request(module, node.func.value, node.func.attr):
                return Origin(f"{_request_name(module, node.func.value)}.{node.func.attr}", True)
            if node.func.attr == "parse_args" and "argparse" in module.imports.values():
                return Origin("command line", False)
            if node.func.attr in _SOCKET_READS and len(node.args) == 1:
                return Origin("network peer", True)
            if node.func.attr in _HANDLER_METHODS and module.resolve(node.func.value) == "self":
                return Origin(f"tornado {node.func.attr}", True)
    return None


def _is_handler(module: Module, node: ast.AST) -> bool:
    """Inside a class that answers HTTP requests or connections with the standard library."""
    owner = module.enclosing_class(node)
    bases = [module.resolve(b) or "" for b in owner.bases] if owner is not None else []
    return any(b.startswith(("http.server.", "socketserver.")) for b in bases)


def is_request(module: Module, node: ast.expr, part: str = "") -> bool:
    """Whether an expression is a web request, by its name, the part that is read, and what the module imports."""
    if isinstance(node, ast.Attribute):
        if node.attr == "rel_url":
            return is_request(module, node.value, node.attr)
        named = node.attr in _REQUEST_NAMES
    else:
        named = isinstance(node, ast.Name) and (module.resolve(node) or "").rpartition(".")[2] in _REQUEST_NAMES
    return named and (part in _TELLING or any(t.partition(".")[0] in _FRAMEWORKS for t in module.imports.values()))


def _request_name(module: Module, node: ast.expr) -> str:
    return module.resolve(node) or "request"


class Route(NamedTuple):
    """The URL a function answers."""

    rule: str
    methods: str
    """Comma-separated, `GET` when nothing is said."""
    parameters: frozenset[str]
    """Parameters of the function that come out of the request."""
    html: bool
    """True when a returned string is sent as text/html."""


def route_of(module: Module, function: FunctionNode) -> Route | None:
    """The first routing decorator of `function`, None for a plain function."""
    for decorator in function.decorator_list:
        exposed = module.resolve(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if exposed == "cherrypy.expose":
            every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
            given = frozenset(a.arg for a in every if a.arg != "self")
            return Route(f"/{function.name}", "GET,POST", given, html=True)
        if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute | ast.Name):
            continue
        verb = decorator.func.attr if isinstance(decorator.func, ast.Attribute) else decorator.func.id
        if verb not in ROUTE_DECORATORS:
            continue
        path = next((k.value for k in decorator.keywords if k.arg == "path"), None)
        rule = decorator.args[0] if decorator.args else path
        if path is not None and not isinstance(path, ast.Constant) and _uses(module, "fastapi"):
            return Route("/", _methods(decorator, verb), _parameters(module, function, "/"), html=False)
        if not isinstance(rule, ast.Constant) or not isinstance(rule.value, str) or not rule.value.startswith("/"):
            continue
        return Route(rule.value, _methods(decorator, verb), _parameters(module, function, rule.value), _html(module))
    if _registered(module, function):
        return Route("/", "GET", frozenset(), _html(module))
    return None


def _uses(module: Module, root: str) -> bool:
    return any(t.partition(".")[0] == root for t in module.imports.values())


def _registered(module: Module, function: FunctionNode) -> bool:
    """Whether a call beside it registers the function for a URL: `app.add_url_rule(rule, name, function)`."""
    around = module.enclosing_function(function)
    for call in module.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "add_url_rule":
            given = [*call.args[2:3], *(k.value for k in call.keywords if k.arg == "view_func")]
            named = any(isinstance(g, ast.Name) and g.id == function.name for g in given)
            if named and module.enclosing_function(call) is around:
                return True
    return False


def _methods(decorator: ast.Call, verb: str) -> str:
    for keyword in decorator.keywords:
        if keyword.arg == "methods" and isinstance(keyword.value, ast.List | ast.Tuple | ast.Set):
            values = [e.value for e in keyword.value.elts if isinstance(e, ast.Constant)]
            return ",".join(str(v).upper() for v in values)
    return "GET" if verb in {"route", "api_route", "view_config"} else verb.upper()


def _parameters(module: Module, function: FunctionNode, rule: str) -> frozenset[str]:
    names = {m.group(2) for m in re.finditer(r"[<{]([\w()=, ]+:)?(\w+)(:\w+)?[>}]", rule)}
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    if any(target.startswith("fastapi") for target in module.imports.values()):
        injected = {a.arg for a, d in _defaults(function) if isinstance(d, ast.Call) and _depends(module, d)}
        names |= {a.arg for a in every if a.arg not in injected and not _framework_type(a.annotation)}
    return frozenset(names & {a.arg for a in every})


def _defaults(function: FunctionNode) -> list[tuple[ast.arg, ast.expr]]:
    positional = [*function.args.posonlyargs, *function.args.args]
    with_default = positional[len(positional) - len(function.args.defaults) :]
    found = list(zip(with_default, function.args.defaults, strict=True))
    return found + [(a, d) for a, d in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if d]


def _depends(module: Module, default: ast.Call) -> bool:
    return (module.resolve(default.func) or "").rpartition(".")[2] in {"Depends", "Security"}


def _framework_type(annotation: ast.expr | None) -> bool:
    text = ast.unparse(annotation) if annotation else ""
    return any(w in text for w in ("Request", "Response", "BackgroundTasks", "Depends", "Session", "WebSocket"))


def _html(module: Module) -> bool:
    return any(t.partition(".")[0] in {"flask", "bottle", "quart"} for t in module.imports.values())
