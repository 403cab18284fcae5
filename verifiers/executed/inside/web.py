"""Routes of Flask, Starlette, FastAPI and Django applications as doors through which a value is sent in."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import quote

from .payloads import Response
from .project import load

_FACTORIES = ("create_app", "make_app", "app_factory", "get_app", "build_app")
_BODY = 20_000
_MOST_APPLICATIONS = 4


class Channel(NamedTuple):
    """In which part of a request the value goes."""

    name: str
    """query, form, json, cookie, header, body, path, or any."""
    keys: tuple[str, ...]
    """Names under which it goes; the first is the claim's, the rest are given `filler`. One name at least."""
    filler: str | None
    """None when the claim's name is not known: all are given the value, and the value is a name as well."""


class Door(Protocol):
    """One way in."""

    def send(self, channel: Channel, payload: str | bytes) -> Response: ...

    def describe(self, channel: Channel, payload: str | bytes) -> str: ...


class Request(NamedTuple):
    """A request before any framework has seen it."""

    method: str
    path: str
    query: dict[str, str]
    form: dict[str, str]
    json: dict[str, str]
    cookies: dict[str, str]
    headers: dict[str, str]
    body: bytes


if TYPE_CHECKING:  # Python 3.8 cannot subscript these
    Send = Callable[[Request], Response]


class Route(NamedTuple):
    """One route of an application, as a Door."""

    rule: str
    """With `{name}` for each part of the path that is given."""
    methods: tuple[str, ...]
    call: Send
    client: tuple[str, ...] = ()
    """Framework, module and expression of the application, where a test can import it."""

    def send(self, channel: Channel, payload: str | bytes) -> Response:
        return self.call(self.request(channel, payload))

    def describe(self, channel: Channel, payload: str | bytes) -> str:
        request = self.request(channel, payload)
        query = "&".join(f"{k}={v}" for k, v in request.query.items())
        parts = {"form": request.form, "json": request.json, "cookies": request.cookies, "headers": request.headers}
        rest = "".join(f" {name} {value}" for name, value in parts.items() if value)
        rest += f" body {request.body!r}" if request.body else ""
        return f"{request.method} {request.path}{'?' + query if query else ''}{rest}"

    def request(self, channel: Channel, payload: str | bytes) -> Request:
        """The value under the first key in its channel; every other key in the same channel with the filler."""
        text = payload if isinstance(payload, str) else payload.decode("latin-1")
        named = re.findall(r"{(\w+)}", self.rule)
        filler = channel.filler or "1"
        others = text if channel.filler is None else filler
        values = {channel.keys[0]: text, **dict.fromkeys(channel.keys[1:], others)}
        if channel.filler is None and channel.name in {"query", "form"}:
            values[text] = channel.keys[0]  # a name can be the value that is used, too
        path = self.rule
        for name in named:
            path = path.replace("{" + name + "}", quote(values.pop(name, filler), safe=""))
        uses = {channel.name} if channel.name != "any" else {"query", "form"}
        body = payload if isinstance(payload, bytes) else payload.encode()
        bodied = bool(uses & {"form", "json", "body"})
        verbs = [m for m in ("POST", "PUT", "PATCH", "DELETE", "GET") if m in self.methods] or ["GET"]
        method = verbs[0] if bodied else "GET" if "GET" in self.methods else verbs[0]
        return Request(
            method,
            path,
            values if uses & {"query", "path"} else {},
            values if "form" in uses and method != "GET" else {},
            values if "json" in uses else {},
            {k: quote(v, safe="") if "json" in uses else v for k, v in values.items()} if "cookie" in uses else {},
            {k: v.replace("\n", " ") for k, v in values.items()} if "header" in uses else {},
            body if "body" in uses else b"",
        )


def doors(root: str, job: dict[str, Any]) -> list[Door]:
    """Routes whose functions lead to the claim's entry or sink; where none is known to, all of them."""
    found = list(_routes(root, job))
    wanted = {(os.path.realpath(os.path.join(root, path)), name) for path, name in job["functions"]}
    near = [route for route, view in found if _identity(view) in wanted]
    return list(near or [route for route, _ in found])


def _identity(view: object) -> tuple[str, str]:
    view = getattr(view, "view_class", getattr(view, "cls", view))
    if isinstance(view, type):
        return os.path.realpath(inspect.getsourcefile(view) or ""), view.__qualname__
    function: Any = inspect.unwrap(view) if callable(view) else view
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    return (os.path.realpath(code.co_filename), code.co_qualname.replace(".<locals>", "")) if code else ("", "")


def _routes(root: str, job: dict[str, Any]) -> Iterator[tuple[Route, object]]:
    if job["settings"]:
        yield from _django(job["settings"])
        return
    if job["around"]:
        module = load(root, job["entry_path"], job["entry_module"])
        application = _around(module, root, job["around"])
        takes = inspect.signature(vars(module)[job["around"]]).parameters
        made = (_framework(application), module.__name__, f"{job['around']}()")
        for route, view in _of(application):
            yield route._replace(client=made if not takes else ()), view
        return
    troubles, found = [], False
    for path, name in job["applications"]:
        try:
            module = load(root, path, name)
        except BaseException as error:  # noqa: BLE001  # one module that cannot be imported is not the end
            troubles.append(f"{path}: {type(error).__name__}: {error}")
            continue
        for application in _applications(module):
            found = True
            for route, view in _of(application):
                yield route._replace(client=_imported(application, module)), view
    if troubles and not found:
        raise ImportError(f"no application could be imported: {troubles[0]}")


def _of(application: object) -> Iterator[tuple[Route, object]]:
    if _is(application, "flask", "Flask"):
        yield from _flask(application)
    elif _is(application, "starlette.applications", "Starlette"):
        yield from _starlette(application)


def _framework(application: object) -> str:
    return "flask" if _is(application, "flask", "Flask") else "starlette"


def _imported(application: object, module: ModuleType) -> tuple[str, ...]:
    name = next((name for name, value in vars(module).items() if value is application), "")
    return (_framework(application), module.__name__, name) if name else ()


def _around(module: object, root: str, name: str) -> object:
    """The application that the function around the view makes, or a fresh one that it has put its routes into."""
    function = vars(module)[name]
    if not inspect.signature(function).parameters:
        return function()
    if "flask" in sys.modules:
        fresh = sys.modules["flask"].Flask("reproducer", root_path=root)
        fresh.secret_key = "reproducer"
    else:
        fresh = importlib.import_module("fastapi").FastAPI()
    function(fresh)
    return fresh


def _applications(module: object) -> list[object]:
    kinds = (("flask", "Flask"), ("starlette.applications", "Starlette"))
    found = [v for v in vars(module).values() if any(_is(v, *kind) for kind in kinds)]
    for name in _FACTORIES if not found else ():
        factory = vars(module).get(name)
        if inspect.isfunction(factory):
            with contextlib.suppress(Exception):
                found.append(factory())
    return found[:_MOST_APPLICATIONS]


def _is(value: object, module: str, name: str) -> bool:
    cls = getattr(sys.modules.get(module), name, None)
    return isinstance(cls, type) and isinstance(value, cls)


def _flask(application: Any) -> Iterator[tuple[Route, object]]:
    def send(request: Request) -> Response:
        client = application.test_client()
        for key, value in request.cookies.items():
            client.set_cookie(key, value)
        options: dict[str, Any] = {"query_string": request.query, "headers": request.headers}
        if request.json:
            options["json"] = request.json
        elif request.form or request.body:
            options["data"] = request.body or request.form
        answer = client.open(request.path, method=request.method, **options)
        return _response(answer.status_code, answer.headers, answer.get_data())

    for rule in application.url_map.iter_rules():
        view = application.view_functions.get(rule.endpoint)
        if rule.endpoint != "static" and view is not None:
            path = re.sub(r"<(?:[^<>:]+:)?(\w+)>", r"{\1}", rule.rule)
            yield Route(path, tuple(sorted(rule.methods or ())), send), view


def _starlette(application: Any) -> Iterator[tuple[Route, object]]:
    client_of = importlib.import_module("starlette.testclient").TestClient

    def send(request: Request) -> Response:
        client = client_of(application, raise_server_exceptions=False, follow_redirects=False)
        client.cookies.update(request.cookies)
        options: dict[str, Any] = {"params": request.query, "headers": request.headers}
        if request.json:
            options["json"] = request.json
        elif request.body:
            options["content"] = request.body
        elif request.form:
            options["data"] = request.form
        answer = client.request(request.method, request.path, **options)
        return _response(answer.status_code, answer.headers, answer.content)

    for prefix, route in _flat("", application.routes):
        rule = prefix + re.sub(r"{(\w+):\w+}", r"{\1}", route.path)
        yield Route(rule, tuple(sorted(getattr(route, "methods", None) or ("GET",))), send), route.endpoint


def _flat(prefix: str, routes: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Routes of the application and of what is included and mounted in it."""
    resolved = getattr(sys.modules.get("fastapi.routing"), "iter_route_contexts", iter)  # FastAPI includes lazily
    for route in resolved(routes):
        mounted = getattr(getattr(route, "original_route", route), "routes", None)
        if getattr(route, "endpoint", None) is not None and getattr(route, "path", None):
            yield prefix, route
        elif mounted:
            yield from _flat(prefix + (getattr(route, "path", None) or ""), mounted)


def _django(settings: str) -> Iterator[tuple[Route, object]]:
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    django = importlib.import_module("django")
    django.setup()
    importlib.import_module("django.test.utils").setup_test_environment()
    with contextlib.suppress(Exception):  # views that need no tables work all the same
        importlib.import_module("django.core.management").call_command("migrate", run_syncdb=True, verbosity=0)
    client_of = importlib.import_module("django.test").Client

    def send(request: Request) -> Response:
        client = client_of(raise_request_exception=False)
        client.cookies.load(request.cookies)
        extra = {f"HTTP_{k.upper().replace('-', '_')}": v for k, v in request.headers.items()}
        path = request.path + (
            "?" + "&".join(f"{k}={quote(v)}" for k, v in request.query.items()) if request.query else ""
        )
        if request.json or request.body:
            body = json.dumps(request.json).encode() if request.json else request.body
            answer = client.generic(request.method, path, body, "application/json", **extra)
        elif request.method == "POST":
            answer = client.post(path, request.form, **extra)
        else:
            answer = client.generic(request.method, path, **extra)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        return _response(answer.status_code, answer.headers, content)

    resolver = importlib.import_module("django.urls").get_resolver()
    yield from _patterns(resolver.url_patterns, "/", send)


def _patterns(patterns: Iterable[Any], prefix: str, send: Send) -> Iterator[tuple[Route, object]]:
    for pattern in patterns:
        text = str(pattern.pattern)
        text = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", re.sub(r"\(\?P<(\w+)>[^()]*\)", r"{\1}", text))
        rule = prefix + re.sub(r"^\^|\$?(?:\\Z)?$", "", text)
        if hasattr(pattern, "url_patterns"):
            yield from _patterns(pattern.url_patterns, rule, send)
        else:
            yield Route(rule, ("GET", "POST"), send), pattern.callback


def _response(status: int, headers: Any, body: bytes) -> Response:
    text = body[:_BODY].decode("utf-8", "replace")
    return Response(int(status), headers.get("Location", "") or "", headers.get("Content-Type", "") or "", text)
