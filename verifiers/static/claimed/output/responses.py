"""Where a function sends a body to a client, and whether the client takes it for HTML."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from harness.schema.location import Location
from harness.source.module import FunctionNode, Module
from verifiers.static.claimed.output import registered
from verifiers.static.claimed.output.bindings import bindings
from verifiers.static.claimed.output.bindings import own_nodes as own
from verifiers.static.claimed.output.calling import Stack
from verifiers.static.claimed.output.trace import Trace
from verifiers.static.security import untrusted

_HTML_CALLS = frozenset({"HttpResponse", "StreamingHttpResponse", "HTMLResponse", "make_response", "SafeString"})
_OTHER_CALLS = frozenset(
    {"JSONResponse", "ORJSONResponse", "UJSONResponse", "JsonResponse", "jsonify", "json_response", "PlainTextResponse",
     "FileResponse", "RedirectResponse"}
)  # fmt: skip
_AS_HTML = frozenset({"flask", "quart", "bottle", "cherrypy"})
"""Frameworks that send a text as HTML."""
_BODIES = ("content", "text", "body", "response", "data")
_TYPES = ("content_type", "mimetype", "media_type")


class Body(NamedTuple):
    """An expression that is sent."""

    module: Module
    function: FunctionNode
    value: ast.expr
    at: Location
    html: bool
    stack: Stack = ()


def bodies(trace: Trace, module: Module, function: FunctionNode, stack: Stack = ()) -> Iterator[Body]:
    """What a function sends itself, functions inside it left out; in source order."""
    wsgi = "start_response" in {a.arg for a in function.args.args}
    answers = registered.answers(trace.project, module, function)
    for node in own(function):
        if isinstance(node, ast.Call):
            value = _sent(module, node)
            if value is not None:
                yield Body(
                    module, function, value, module.location(node), _is_html(trace, module, function, node), stack
                )
        elif isinstance(node, ast.Assign) and _is_body(node):
            html = _says_html(function)
            yield Body(module, function, node.value, module.location(node), html, stack)
        elif isinstance(node, ast.Return) and node.value is not None:
            if wsgi:
                yield Body(module, function, node.value, module.location(node), _says_html(function), stack)
            elif (
                answers
                and _takes_text(module)
                and not _is_data(trace, module, node.value)
                and not is_response(module, node.value)
            ):
                yield Body(
                    module, function, node.value, module.location(node), _returns_html(module, function, node), stack
                )


def _takes_text(module: Module) -> bool:
    """Whether the framework makes a response of a text that a view gives back."""
    roots = {t.partition(".")[0] for t in module.imports.values()}
    return bool(roots & (_AS_HTML | {"fastapi", "starlette"}))


def _is_data(trace: Trace, module: Module, node: ast.expr, depth: int = 4) -> bool:
    """Whether a value is a mapping or a list, which is sent as JSON, wherever that shows."""
    match node:
        case ast.Dict() | ast.DictComp() | ast.List() | ast.ListComp() | ast.Set():
            return True
        case ast.Tuple() if node.elts:
            return _is_data(trace, module, node.elts[0], depth)
        case ast.Await():
            return _is_data(trace, module, node.value, depth)
        case ast.Name() if depth:
            found = [b.node for b in bindings(module, node) if b.how == "value" and isinstance(b.node, ast.expr)]
            return any(_is_data(trace, module, value, depth - 1) for value in found)
        case ast.Call() if depth:
            if isinstance(node.func, ast.Name) and node.func.id in {"dict", "list"}:
                return True
            for entered in trace.callees(module, node, ()):
                home, callee = trace.module(entered.callee.path), trace.function(entered.callee)
                returns = [n.value for n in own(callee) if isinstance(n, ast.Return)] if callee is not None else []
                if home is not None and any(r is not None and _is_data(trace, home, r, depth - 1) for r in returns):
                    return True
            return False
        case _:
            return False


def is_response(module: Module, node: ast.expr, depth: int = 4) -> bool:
    """Whether a value is a response already, which is looked at where it is made."""
    if isinstance(node, ast.Await):
        node = node.value
    if isinstance(node, ast.Name) and depth:
        found = [b.node for b in bindings(module, node) if b.how == "value" and isinstance(b.node, ast.expr)]
        return any(is_response(module, value, depth - 1) for value in found)
    if not isinstance(node, ast.Call):
        return False
    word = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if word == "render":
        return isinstance(node.func, ast.Name)
    return word in _HTML_CALLS | _OTHER_CALLS | {
        "Response",
        "render_template",
        "redirect",
        "TemplateResponse",
        "stream_with_context",
    }


def _sent(module: Module, call: ast.Call) -> ast.expr | None:
    """The body of a call that makes a response or writes to one."""
    word = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    dotted = module.resolve(call.func) or word
    if word == "write" and isinstance(call.func, ast.Attribute) and call.args:
        to = ast.unparse(call.func.value)
        named = to in {"self.wfile", "self"} or to.rpartition(".")[2] in {"response", "resp", "wfile"}
        if named and isinstance(call.args[0], ast.Dict):
            return None
        return call.args[0] if named and (to != "self" or untrusted.framework_of(module) == "tornado") else None
    known = word in _HTML_CALLS | _OTHER_CALLS or word == "Response"
    if not known or dotted.startswith(("requests.", "httpx.", "urllib")):
        return None
    for keyword in call.keywords:
        if keyword.arg in _BODIES:
            return keyword.value
    return call.args[0] if call.args else None


def _is_html(trace: Trace, module: Module, function: FunctionNode, call: ast.Call) -> bool:
    word = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if word == "write":
        return untrusted.framework_of(module) == "tornado" or _headers_html(trace, module, function)
    said = [k.value for k in call.keywords if k.arg in _TYPES]
    if said:
        return any(isinstance(v, ast.Constant) and ("html" in str(v.value) or "svg" in str(v.value)) for v in said)
    dotted = module.resolve(call.func) or word
    if word in _HTML_CALLS or any(k.arg == "headers" and "html" in ast.unparse(k.value) for k in call.keywords):
        return True
    return word == "Response" and dotted.partition(".")[0] in {"flask", "quart", "werkzeug", "pyramid", "webob"}


def _headers_html(trace: Trace, module: Module, function: FunctionNode) -> bool:
    """`send_header("Content-type", ...)`: whether one of the values it may have is HTML."""
    for node in own(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 2:
            name = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
            if str(name).lower() == "content-type":
                return any("html" in o.text for o in trace.of(module, node.args[1]))
    return False


def _is_body(node: ast.Assign) -> bool:
    """`resp.text = ...`, `response.body = ...`."""
    target = node.targets[0]
    if not isinstance(target, ast.Attribute) or target.attr not in {"text", "body", "data", "content"}:
        return False
    return isinstance(target.value, ast.Name) and target.value.id in {"resp", "response", "res", "rsp"}


def _says_html(function: FunctionNode) -> bool:
    return any(
        isinstance(n, ast.Constant) and isinstance(n.value, str) and "text/html" in n.value for n in own(function)
    )


def _returns_html(module: Module, function: FunctionNode, node: ast.Return) -> bool:
    """Whether a text that a view returns is sent as HTML: Flask and its like do, those that make JSON of it do not."""
    roots = {t.partition(".")[0] for t in module.imports.values()}
    decorators = " ".join(ast.unparse(d) for d in function.decorator_list)
    if roots & {"fastapi", "starlette"}:
        return "HTMLResponse" in decorators
    if isinstance(node.value, ast.Tuple):
        extra = " ".join(ast.unparse(e) for e in node.value.elts[1:]).lower()
        return "content-type" not in extra or "html" in extra
    return bool(roots & _AS_HTML)


def around(trace: Trace, module: Module, function: FunctionNode) -> Iterator[Body]:
    """What is sent by a function, by functions inside it, by what it calls, and by those that call it."""
    inner = [n for n in ast.walk(function) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in inner:
        yield from bodies(trace, module, node)
        yield from _below(trace, module, node, ())
    waiting = [(module, function)]
    seen = {(module.path, module.qualname(function))}
    for _ in range(UPWARDS):
        level, waiting = waiting, []
        for home, node in level:
            for entered in trace.callers(home, node):
                other = trace.module(entered.path)
                caller = other.enclosing_function(entered.call) if other is not None else None
                if other is None or caller is None or (other.path, other.qualname(caller)) in seen:
                    continue
                seen.add((other.path, other.qualname(caller)))
                yield from bodies(trace, other, caller)
                waiting.append((other, caller))
        if len(seen) > MOST:
            return


UPWARDS, MOST = 6, 40


def _below(trace: Trace, module: Module, function: FunctionNode, stack: Stack) -> Iterator[Body]:
    if len(stack) >= 2:
        return
    for node in own(function):
        for entered in trace.callees(module, node, stack) if isinstance(node, ast.Call) else ():
            home, callee = trace.module(entered.callee.path), trace.function(entered.callee)
            if home is None or callee is None or any(entered.callee == e.callee for e in stack):
                continue
            yield from bodies(trace, home, callee, (*stack, entered))
            yield from _below(trace, home, callee, (*stack, entered))
