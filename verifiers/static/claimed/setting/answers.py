"""What a function answers: its returned values and what it hands to responses, with local names and callees followed."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.setting.place import called_functions
from verifiers.static.claimed.setting.words import constant, last_name
from verifiers.static.security.untrusted import routes

DEEPEST = 3
"""Calls that are followed."""
RESPONSES = frozenset(
    {
        "jsonify", "JsonResponse", "JSONResponse", "Response", "HttpResponse", "HTMLResponse", "make_response", "json_response",
        "PlainTextResponse", "StreamingHttpResponse", "ORJSONResponse", "HttpResponseBadRequest", "HttpResponseServerError",
        "HTTPException", "abort", "render", "render_template", "render_template_string", "render_to_string", "TemplateResponse",
        "flash", "send_error",
    }
)  # fmt: skip
"""Last names of calls whose arguments reach whoever asked."""
_CLIENTS = frozenset({"self", "wfile", "response", "resp", "handler"})
_LEADS_AWAY = frozenset({"redirect", "HttpResponseRedirect", "RedirectResponse", "HTTPFound", "url_for", "reverse"})
_BUILDS = frozenset(
    {
        "dict",
        "list",
        "str",
        "dumps",
        "jsonify",
        "tuple",
        "set",
        "sorted",
        "format",
        "join",
        "encode",
        "JsonResponse",
    }
)


_SENDS = frozenset(
    {
        "write", "writelines", "send", "sendall", "send_message", "sendmail", "send_mail", "post", "put", "emit", "publish",
        "debug", "info", "warning", "error", "critical", "exception", "log", "bind", "listen", "serve",
    }
)  # fmt: skip


class Part(NamedTuple):
    """One named value of an answer."""

    name: str
    node: ast.expr
    module: Module


class Answer(NamedTuple):
    """What one function answers."""

    parts: tuple[Part, ...]
    """Named values: keys of tables with what they hold, names and attributes put into texts."""
    whole: bool
    """Whether this is all there is: nothing came from a call or name that could not be followed."""
    elsewhere: bool
    """Whether the function also writes or sends something by other ways."""
    made: bool
    """Whether the function makes a response or is the function of a route, so that the answer leaves the program."""


def is_response(call: ast.Call) -> bool:
    """Whether the arguments of a call reach whoever asked."""
    last = last_name(call.func)
    if last in {"write", "finish"}:  # of a response, not of a file or of a terminal
        return isinstance(call.func, ast.Attribute) and last_name(call.func.value) in _CLIENTS
    return last in RESPONSES


def answer_of(project: Project, module: Module, function: FunctionNode) -> Answer:
    """All that the function answers."""
    reading = _Reading(project, module, function)
    outputs = list(_outputs(function))
    made = any(is_response(o) for o in _calls(function)) or bool(routes(module, function))
    parts: list[Part] = []
    for output in outputs:
        parts += reading.parts(output, 0)
    elsewhere = any(
        last_name(c.func) in _SENDS and any(not isinstance(a, ast.Constant) for a in c.args) for c in _calls(function)
    )
    return Answer(tuple(parts), reading.whole, elsewhere, made)


def _outputs(function: FunctionNode) -> Iterator[ast.expr]:
    for node in own(function):
        if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
            yield node.value
        elif (
            isinstance(node, ast.Call)
            and last_name(node.func) in {"flash", "send_error", "write", "finish"}
            and is_response(node)
        ):
            yield node


def own(function: FunctionNode) -> Iterator[ast.AST]:
    """Nodes of the function without those of functions inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting = [*ast.iter_child_nodes(node), *waiting]


def _calls(function: FunctionNode) -> list[ast.Call]:
    return [n for n in own(function) if isinstance(n, ast.Call)]


class _Reading:
    """Takes an answer apart."""

    def __init__(self, project: Project, module: Module, function: FunctionNode) -> None:
        self.project = project
        self.module = module
        self.function = function
        self.whole = True
        self._busy: set[str] = set()

    def parts(self, node: ast.expr, depth: int) -> list[Part]:
        """Named values in an expression that is part of the answer."""
        match node:
            case ast.Constant():
                return []
            case ast.Dict(keys=keys, values=values):
                return [p for k, v in zip(keys, values, strict=True) for p in self._entry(k, v, depth)]
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items) | ast.BoolOp(values=items):
                return [p for item in items for p in self.parts(item, depth)]
            case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item) | ast.SetComp(elt=item):
                return self.parts(item, depth)
            case ast.IfExp(body=a, orelse=b) | ast.BinOp(left=a, right=b):
                return [*self.parts(a, depth), *self.parts(b, depth)]
            case ast.JoinedStr(values=pieces):
                return [p for v in pieces if isinstance(v, ast.FormattedValue) for p in self.parts(v.value, depth)]
            case ast.Await(value=inner) | ast.Starred(value=inner):
                return self.parts(inner, depth)
            case ast.Attribute():
                return [Part(node.attr, node, self.module)]
            case ast.Subscript():
                if isinstance(node.slice, ast.Slice):
                    return []  # a cut value is a mask
                name = last_name(node)
                self.whole = self.whole and bool(name)
                return [Part(name, node, self.module)]
            case ast.Name():
                return self._named(node, depth)
            case ast.Call():
                return self._call(node, depth)
        self.whole = False
        return []

    def _entry(self, key: ast.expr | None, value: ast.expr, depth: int) -> list[Part]:
        name = constant(key)
        inner = self.parts(value, depth)
        plain = isinstance(value, ast.Name | ast.Attribute | ast.Subscript | ast.Constant) and not _cut(value)
        return [Part(name, value, self.module), *inner] if name and plain else inner

    def _named(self, node: ast.Name, depth: int) -> list[Part]:
        if node.id in self._busy:
            return []
        self._busy.add(node.id)
        found = [Part(node.id, node, self.module)]
        stores = list(self._stores(node.id))
        if not stores:
            self.whole = False  # a parameter, a name of the module, a loop's target
        for value in stores:
            found += self.parts(value, depth)
        self._busy.discard(node.id)
        return found

    def _stores(self, name: str) -> Iterator[ast.expr]:
        """What a local name is bound to, and what is put into it."""
        for node in own(self.function):
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        if isinstance(target, ast.Name) and target.id == name:
                            yield value
                        elif (
                            isinstance(target, ast.Subscript)
                            and isinstance(target.value, ast.Name)
                            and target.value.id == name
                        ):
                            yield ast.Dict(keys=[target.slice], values=[value])
                case ast.AugAssign(target=ast.Name(id=target_name), value=value) if target_name == name:
                    yield value
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=owner), attr="append" | "extend" | "update"), args=[given]
                ) if owner == name:
                    yield given

    def _call(self, node: ast.Call, depth: int) -> list[Part]:
        last = last_name(node.func)
        if last in _LEADS_AWAY:
            return []
        given = [*node.args, *(k.value for k in node.keywords)]
        if last in {"get"} and last_name(node):
            return [Part(last_name(node), node, self.module)]
        if is_response(node) or last in _BUILDS:
            if last.startswith(("render", "Template")):
                self.whole = self.whole and not any(
                    (constant(g) or "").endswith((".log", ".txt", ".bak", ".env")) for g in given
                )
                given = [g for g in given if not (isinstance(g, ast.Name) and g.id in {"request", "self"})]
                keyed = [
                    Part(k.arg, k.value, self.module)
                    for k in node.keywords
                    if k.arg and isinstance(k.value, ast.Name | ast.Attribute)
                ]
                return [*keyed, *(p for g in given for p in self.parts(g, depth))]
            return [p for g in given for p in self.parts(g, depth)]
        followed = list(called_functions(self.project, self.module, node)) if depth < DEEPEST else []
        if not followed:
            self.whole = False
            return []
        found: list[Part] = []
        for home, function in followed:
            inner = _Reading(self.project, home, function)
            for output in _outputs(function):
                found += inner.parts(output, depth + 1)
            self.whole = self.whole and inner.whole
        return found


def _cut(value: ast.expr) -> bool:
    return isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice)


PAGE = re.compile(r"<(?:div|p|h\d|ul|li|table|td|tr|span|form|html|body|a|b|br|pre|code|strong)\b", re.IGNORECASE)
"""A text that is part of a page."""


def makes_a_page(function: FunctionNode) -> bool:
    """Whether the function puts pages together itself."""
    return any(PAGE.search(constant(n) or "") for n in own(function) if isinstance(n, ast.Constant))
