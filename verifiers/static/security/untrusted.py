"""What a client decides in the request objects of web frameworks."""

import ast
from collections.abc import Iterable

from harness.source.module import FunctionNode, Module
from verifiers.static.security.values import ANY, DIGITS, Const, Piece, Request, Value, one_of

_MAPPING = frozenset({"mapping"})
_PLAIN: frozenset[str] = frozenset()
_FIELDS: dict[str, dict[str, frozenset[str]]] = {
    "flask": {
        **dict.fromkeys(("args", "form", "values", "cookies", "headers", "files", "json", "view_args"), _MAPPING),
        **dict.fromkeys(("data", "query_string", "stream", "full_path", "url", "referrer", "user_agent"), _PLAIN),
        **dict.fromkeys(("get_json", "get_data"), _PLAIN),
    },
    "django": {
        **dict.fromkeys(("GET", "POST", "COOKIES", "FILES", "headers", "META", "data", "query_params"), _MAPPING),
        "body": _PLAIN,
    },
    "starlette": {
        **dict.fromkeys(("query_params", "path_params", "cookies", "headers"), _MAPPING),
        **dict.fromkeys(("json", "form", "body"), _PLAIN),
    },
    "aiohttp": {
        **dict.fromkeys(("query", "match_info", "cookies", "headers", "rel_url"), _MAPPING),
        **dict.fromkeys(("post", "json", "text", "read"), _PLAIN),
    },
    "bottle": {
        **dict.fromkeys(("query", "forms", "params", "cookies", "headers", "files", "json", "GET", "POST"), _MAPPING),
        "body": _PLAIN,
    },
    "pyramid": {
        **dict.fromkeys(("params", "GET", "POST", "cookies", "headers", "matchdict", "json_body"), _MAPPING),
        "body": _PLAIN,
    },
    "sanic": {
        **dict.fromkeys(("args", "form", "files", "cookies", "headers", "json"), _MAPPING),
        **dict.fromkeys(("body", "query_string", "url"), _PLAIN),
    },
    "falcon": {
        **dict.fromkeys(("params", "headers", "cookies", "media"), _MAPPING),
        **dict.fromkeys(("stream", "bounded_stream", "query_string", "url", "get_param", "get_media"), _PLAIN),
        **dict.fromkeys(("get_header", "get_param_as_list", "get_cookie_values"), _PLAIN),
    },
    "cherrypy": {
        **dict.fromkeys(("params", "headers", "cookie", "json"), _MAPPING),
        **dict.fromkeys(("body", "query_string"), _PLAIN),
    },
    "tornado": {
        **dict.fromkeys(("arguments", "query_arguments", "body_arguments", "headers", "cookies"), _MAPPING),
        "body": _PLAIN,
    },
}
_FRAMEWORKS = {
    "flask": "flask", "quart": "flask", "django": "django", "rest_framework": "django", "starlette": "starlette",
    "fastapi": "starlette", "aiohttp": "aiohttp", "bottle": "bottle", "pyramid": "pyramid", "tornado": "tornado",
    "sanic": "sanic", "falcon": "falcon", "cherrypy": "cherrypy",
}  # fmt: skip
GLOBALS = {
    "flask.request": Request("flask"),
    "flask.globals.request": Request("flask"),
    "quart.request": Request("flask"),
    "bottle.request": Request("bottle"),
    "cherrypy.request": Request("cherrypy"),
}


_NUMBERS = frozenset({"int", "float", "bool", "UUID", "uuid.UUID", "int | None", "Optional[int]"})


def framework_of(module: Module) -> str | None:
    """The one web framework a module imports, None when there is none or more than one."""
    found = {
        _FRAMEWORKS[root] for root in (t.partition(".")[0] for t in module.imports.values()) if root in _FRAMEWORKS
    }
    return found.pop() if len(found) == 1 else None


def field(request: Request, name: str, line: int) -> Piece | None:
    """What the attribute `name` of a request gives, None when a client does not decide it."""
    marks = _FIELDS[request.framework].get(name)
    if marks is None:
        return None
    return Piece(("request", name), f"request.{name}", line, ANY, marks=marks)


def parameters(module: Module, function: FunctionNode) -> dict[str, Value]:
    """Parameters of `function` that carry a request or a part of one."""
    found: dict[str, Value] = {}
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    framework = framework_of(module)
    for argument in arguments:
        annotated = (module.resolve(argument.annotation) or "") if argument.annotation else ""
        if annotated.rpartition(".")[2] in {"Request", "HttpRequest"} and annotated.partition(".")[0] in _FRAMEWORKS:
            found[argument.arg] = Request(_FRAMEWORKS[annotated.partition(".")[0]])
        elif annotated.rpartition(".")[2] == "UploadFile" and annotated.partition(".")[0] in {"fastapi", "starlette"}:
            found[argument.arg] = Piece(
                ("request", "files", argument.arg), f"uploaded file {argument.arg}", argument.lineno
            )
        elif (argument.arg == "request" and framework in {"django", "aiohttp", "pyramid", "starlette", "sanic"}) or (
            argument.arg == "req" and framework == "falcon"
        ):
            found[argument.arg] = Request(framework)
    if framework == "cherrypy" and _exposed(module, function):
        found |= {
            a.arg: Piece(("parameter", a.arg), f"parameter {a.arg}", a.lineno) for a in arguments if a.arg != "self"
        }
    rules = routes(module, function)
    for rule in rules:
        for name, converter in placeholders(rule):
            argument_node = next((a for a in arguments if a.arg == name), None)
            if argument_node is not None:
                found[name] = _placeholder(name, converter, argument_node)
    if rules and any(t.startswith("fastapi") for t in module.imports.values()):
        for argument in arguments:
            text = ast.unparse(argument.annotation) if argument.annotation else ""
            if argument.arg not in found and text in _NUMBERS:
                found[argument.arg] = Piece(
                    ("parameter", argument.arg), f"parameter {argument.arg}", argument.lineno, DIGITS
                )
            if argument.arg not in found and text in {"", "str", "str | None", "Optional[str]", "bytes"}:
                found[argument.arg] = Piece(("parameter", argument.arg), f"parameter {argument.arg}", argument.lineno)
    return found


def model_name(module: Module, argument: ast.arg) -> str | None:
    """Dotted name of the class that a parameter of an endpoint is validated as, `Optional[...]` taken off."""
    node = argument.annotation
    if isinstance(node, ast.Subscript) and (module.resolve(node.value) or "").endswith("Optional"):
        node = node.slice
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        node = node.left
    return module.resolve(node) if node is not None else None


def fields_of(model: ast.ClassDef, name: str) -> dict[object, Value]:
    """Fields of a validated body: numbers hold digits, texts anything, of the rest nothing is known."""
    found: dict[object, Value] = {}
    for field_node in model.body:
        if isinstance(field_node, ast.AnnAssign) and isinstance(field_node.target, ast.Name):
            key, kind = field_node.target.id, ast.unparse(field_node.annotation)
            if kind in _NUMBERS or kind in {"str", "str | None", "Optional[str]"}:
                chars = DIGITS if kind in _NUMBERS else ANY
                found[key] = Piece(("parameter", name, key), f"{name}.{key} of the body", field_node.lineno, chars)
    return found


def _exposed(module: Module, function: FunctionNode) -> bool:
    names = {module.resolve(d.func if isinstance(d, ast.Call) else d) for d in function.decorator_list}
    return bool(names & {"cherrypy.expose", "expose"})


def handler(bases: Iterable[str], line: int) -> dict[object, Value]:
    """What an object holds that answers requests, by the library classes that it is made from."""
    found: dict[object, Value] = {}
    for base in bases:
        last = base.rpartition(".")[2]
        if base.startswith("http.server.") and last.endswith("HTTPRequestHandler"):
            # sent as one word of the request line, `%` escapes and all; browsers escape `<`, `>` and quotes
            found["path"] = Piece(("request", "path"), "request path", line, ANY - frozenset(" \t\r\n<>\"'"))
            found["headers"] = Piece(("request", "headers"), "request headers", line, marks=_MAPPING)
            found["rfile"] = Piece(("request", "body"), "request body", line)
        elif base.startswith("socketserver.") and last.endswith("RequestHandler"):
            found["rfile"] = Piece(("request", "body"), "network peer", line)
    return found


def argument_of(name: str, line: int) -> Piece:
    """What `self.get_argument(name)` and its kin give in Tornado."""
    return Piece(("request", "argument", name), f"request argument {name}".rstrip(), line)


def _placeholder(name: str, converter: str, argument: ast.arg) -> Value:
    chars = ANY
    annotation = ast.unparse(argument.annotation) if argument.annotation else ""
    if converter in {"int", "float"} or annotation in {"int", "float", "UUID", "uuid.UUID", "bool"}:
        chars = DIGITS
    elif converter != "path":
        chars = ANY - {"/"}
    return Piece(("parameter", name), f"route parameter {name}", argument.lineno, chars)


def routes(module: Module, function: FunctionNode) -> list[str]:
    """The URL rules a function is registered for by decorators."""
    found = []
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
            continue
        path = next((k.value for k in decorator.keywords if k.arg == "path"), None)
        rule = decorator.args[0] if decorator.args else path
        verbs = {"route", "get", "post", "put", "delete", "patch", "head", "options", "api_route"}
        if decorator.func.attr in verbs and path is not None and not isinstance(path, ast.Constant):
            found.append("/<path:unknown>")
        if decorator.func.attr in verbs and isinstance(rule, ast.Constant) and isinstance(rule.value, str):
            found.append(rule.value)
    return found if framework_of(module) is not None else []


def placeholders(rule: str) -> list[tuple[str, str]]:
    """(name, converter) of each variable part of a URL rule, in Flask's or Starlette's writing."""
    found = []
    for part in rule.replace("{", "<").replace("}", ">").split("<")[1:]:
        inside = part.partition(">")[0]
        left, colon, right = inside.partition(":")
        if not colon:
            found.append((left, ""))
        elif "{" in rule:
            found.append((left, right))
        else:
            found.append((right, left.partition("(")[0]))
    return found


def request_path(rules: list[str], line: int) -> Value:
    """`request.path` in a function registered for `rules`: fixed unless a rule has variable parts."""
    if rules and not any("<" in rule or "{" in rule for rule in rules):
        return one_of(Const(rule) for rule in rules)
    return Piece(("request", "path"), "request.path", line, ANY, marks=frozenset({"prefix:/"}))
