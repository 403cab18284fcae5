"""What libraries and requests give, in the words of the trace."""

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.schema.location import Location
from harness.source.module import Module
from verifiers.static.claimed.output.origin import FIXED, OBJECT, OUTSIDER, REQUEST, UNKNOWN, Origin
from verifiers.static.security import untrusted
from verifiers.static.security.patterns import one_character_class
from verifiers.static.security.values import Request

if TYPE_CHECKING:
    from verifiers.static.claimed.output.calling import Stack
    from verifiers.static.claimed.output.trace import Trace

_ESCAPES = re.compile(
    r"(?:^|\.)(?:html\.escape|html_escape|escape_html|xhtml_escape|conditional_escape|format_html|format_html_join|linkify_escaped|"
    r"markupsafe\.escape|flask\.escape|cgi\.escape|saxutils\.escape|quoteattr|bleach\.clean|nh3\.clean|escapejs|"
    r"utils\.html\.escape)$"
)
_QUOTES = re.compile(
    r"(?:^|\.)(?:parse\.quote|parse\.quote_plus|parse\.urlencode|urllib\.quote|shlex\.quote|url_quote)$"
)
_NUMBERS = frozenset(
    {"int", "float", "len", "bool", "ord", "round", "abs", "sum", "hash", "id", "uuid.UUID", "decimal.Decimal"}
)
_OWN = re.compile(
    r"(?:datetime|time|random|secrets|uuid|hashlib|faker|os\.urandom|os\.getcwd|os\.getpid|string|math|itertools\.count|platform"
    r"|tempfile|calendar|zoneinfo)\b.*|(?:flask|quart)\.(?:url_for|jsonify|get_flashed_messages|render_template)|django\.urls\.reverse|"
    r"django\.middleware\.csrf\.get_token|http\.cookies\.SimpleCookie"
)  # fmt: skip
"""Calls whose results the program or its machine makes, none of it chosen by a client."""
_PASSES = frozenset(
    {
        "str", "list", "dict", "tuple", "set", "sorted", "reversed", "frozenset", "bytes", "bytearray", "map", "filter",
        "next", "iter", "min", "max", "zip", "enumerate", "urllib.parse.urlparse", "urllib.parse.urlsplit", "jinja2.Template",
        "urllib.parse.urljoin", "json.loads", "base64.b64decode", "copy.copy", "copy.deepcopy", "sqlalchemy.text",
        "sqlalchemy.sql.text", "sqlalchemy.sql.expression.text", "io.StringIO", "io.BytesIO", "textwrap.dedent", "os.path.join",
        "os.fspath",
        "itertools.groupby", "itertools.chain", "itertools.islice", "functools.reduce", "markupsafe.Markup", "flask.Markup",
        "django.utils.safestring.mark_safe", "html.unescape", "flask.make_response", "collections.OrderedDict", "typing.cast",
    }
)  # fmt: skip
_DECODES = frozenset(
    {"urllib.parse.unquote", "urllib.parse.unquote_plus", "urllib.parse.parse_qs", "urllib.parse.parse_qsl"}
)  # fmt: skip
_METHODS = frozenset(
    {
        "strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold", "swapcase", "encode", "decode", "split",
        "rsplit", "splitlines", "partition", "rpartition", "get", "getlist", "getall", "getone", "get_all", "pop", "items",
        "values", "keys", "copy",
        "removeprefix", "removesuffix", "ljust", "rjust", "center", "zfill", "expandtabs", "popitem", "to_dict", "dict",
        "model_dump", "getvalue", "getfirst", "read", "readline", "group", "groups", "render",
    }
)  # fmt: skip
_OWN_METHODS = frozenset(
    {"isoformat", "strftime", "hexdigest", "digest", "timestamp", "total_seconds", "ctime", "date", "time"}
)
_TESTS = frozenset({"startswith", "endswith", "isdigit", "isalnum", "count", "find", "index", "is_valid", "exists"})
_HEADER_FIELDS = frozenset({"headers", "META", "cookies", "COOKIES", "user_agent", "referrer", "get_header"})
_MADE = frozenset(
    {"method", "scheme", "route_path", "route_url", "current_route_path", "current_route_url", "static_url", "static_path",
     "url_for",
     "resource_url", "resource_path", "is_secure"}
)  # fmt: skip
"""Parts of a request that the server or the framework makes, addresses of this site among them."""
_MAPPINGS = frozenset({"post", "json", "form", "get_json", "media", "get_media"})


def result(trace: "Trace", module: Module, node: ast.Call, stack: "Stack") -> list[Origin]:
    """Origins of what a call gives that goes to no function of the project."""
    at = module.location(node)
    name = module.resolve(node.func) or ""
    given = [*node.args, *(k.value for k in node.keywords)]
    if name in _NUMBERS:
        return [
            o.marked("number") if o.kind == OUTSIDER else Origin(FIXED, "number", at)
            for o in _all(trace, module, given, stack)
        ]
    if _ESCAPES.search(name):
        return [
            o.marked("escaped", "lineless" if "quote" in name else "escaped") for o in _all(trace, module, given, stack)
        ]
    if _QUOTES.search(name):
        return [o.marked("quoted", "lineless") for o in _all(trace, module, given, stack)]
    if name in {"json.dumps", "flask.json.dumps", "simplejson.dumps", "repr", "ascii"}:
        return [o.marked("serialised", "lineless") for o in _all(trace, module, given, stack)]
    if _OWN.fullmatch(name):
        return [Origin(FIXED, f"result of {name}", at)]
    if name == "str":
        return [replace(o, marks=o.marks - {"parsed", "mapping"}) for o in _all(trace, module, given, stack)]
    if name in _DECODES:
        return [replace(o, marks=o.marks - {"encoded", "lineless"}) for o in _all(trace, module, given, stack)]
    if name in {"open", "io.open", "codecs.open"} or name.endswith(".read_text"):
        named = trace.of(module, node.args[0], stack) if node.args else []
        own = bool(named) and all(o.kind == FIXED for o in named)
        return [Origin(FIXED, "file of the program", at) if own else Origin(UNKNOWN, "a file", at)]
    if name in _PASSES:
        return _all(trace, module, given, stack) or [Origin(FIXED, "empty", at)]
    if name == "getattr" and len(node.args) >= 2 and isinstance(node.args[1], ast.Constant):
        attribute = ast.copy_location(ast.Attribute(node.args[0], str(node.args[1].value), ast.Load()), node)
        return [o for base in trace.of(module, node.args[0], stack) for o in _part(trace, base, attribute.attr, at)]
    if name in {"re.sub", "re.subn"} and len(node.args) >= 3:
        patterns = [o.text for o in trace.of(module, node.args[0], stack)]
        return [_filtered(o, patterns) for o in trace.of(module, node.args[2], stack)]
    if isinstance(node.func, ast.Attribute):
        return _method(trace, module, node, node.func, stack)
    return [
        _lost(o, f"result of `{name or ast.unparse(node.func)[:40]}`", at) for o in _all(trace, module, given, stack)
    ] or [Origin(UNKNOWN, f"result of `{name or ast.unparse(node.func)[:40]}`", at)]


def _all(trace: "Trace", module: Module, nodes: list[ast.expr], stack: "Stack") -> list[Origin]:
    return [o for n in nodes for o in trace.of(module, n, stack)]


def _part(trace: "Trace", base: Origin, name: str, at: Location) -> list[Origin]:
    if base.kind == REQUEST:
        return [request(base, name, at)]
    return trace.attribute_of(base, name, at) if base.kind == OBJECT else [base]


def _lost(origin: Origin, what: str, at: Location) -> Origin:
    return Origin(UNKNOWN, f"{what} made from {origin.what}" if origin.kind == OUTSIDER else what, at)


def _method(trace: "Trace", module: Module, node: ast.Call, func: ast.Attribute, stack: "Stack") -> list[Origin]:
    at = module.location(node)
    given = [*node.args, *(k.value for k in node.keywords)]
    name = func.attr
    if name in _OWN_METHODS:
        return [Origin(FIXED, f"result of {name}", at)]
    key = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    wanted = key if isinstance(key, str) and name in {"get", "pop", "getlist", "getone", "getall", "getfirst"} else None
    receivers = trace.of(module, func.value, stack, wanted)
    if name in {"format", "join"}:
        put = _all(trace, module, given, stack)
        return [*receivers, *([o.marked("escaped") for o in put] if is_markup(module, func.value) else put)]
    if name == "from_string":
        return _all(trace, module, node.args[:1], stack)
    if name == "replace" and len(node.args) >= 2:
        return [*(_replaced(o, node.args[0]) for o in receivers), *trace.of(module, node.args[1], stack)]
    if name in _TESTS and receivers and all(o.kind in {OUTSIDER, FIXED} for o in receivers):
        return [Origin(FIXED, f"result of {name}", at)]
    found: list[Origin] = []
    for origin in receivers:
        if origin.kind == REQUEST:
            found.append(request(origin, name, at))
        elif origin.kind == OUTSIDER and "mapping" in origin.marks and wanted is not None:
            found.append(replace(origin, at=at, marks=(origin.marks - {"mapping"}) | {"text"}))
            found += [o for extra in node.args[1:] for o in trace.of(module, extra, stack)]
        elif name in _METHODS:
            found.append(
                origin
                if origin.kind != OBJECT or origin.what == "wsgi"
                else Origin(UNKNOWN, f"`{name}` of an object", at)
            )
            if wanted is not None and origin.kind == OBJECT and origin.what == "wsgi":
                found[-1] = environ(wanted, at)
            if name in {"get", "pop"}:
                extras = [o for extra in node.args[1:] for o in trace.of(module, extra, stack)]
                sure = origin.kind in {OUTSIDER, FIXED}  # of others, the second argument need not be a default
                found += extras if sure else [_lost(o, f"result of `{name}`", at) for o in extras]
        elif origin.kind == FIXED and origin.what.startswith(("result of", "constant", "builtin")) and not given:
            found.append(Origin(FIXED, f"result of {name}", at))
        else:
            found.append(_lost(origin, f"result of `{name}`", at))
    return found or [Origin(UNKNOWN, f"result of `{name}`", at)]


def is_markup(module: Module, node: ast.expr) -> bool:
    """Whether this is `Markup("...")`, which escapes what is put into it."""
    return isinstance(node, ast.Call) and (module.resolve(node.func) or "").rpartition(".")[2] == "Markup"


def _replaced(origin: Origin, what: ast.expr) -> Origin:
    """A removed word leaves the characters of markup and SQL; a removed character may take the harm out."""
    text = what.value if isinstance(what, ast.Constant) else None
    if not isinstance(text, str):
        return origin.marked("filtered")
    if text in {"\n", "\r", "\r\n"}:
        return origin.marked("lineless")
    return origin if len(text) > 1 or text.isalnum() or text.isspace() or text in "_-." else origin.marked("filtered")


def _filtered(origin: Origin, patterns: list[str]) -> Origin:
    """`re.sub` of a class of characters: what harms in code and markup is left when only letters and digits go."""
    removed = one_character_class(patterns[0]) if len(patterns) == 1 and patterns[0] else None
    if removed is not None and not removed & frozenset("<>\"'&()[]!+=;\\/\n"):
        return origin
    return origin.marked("filtered")


def request(origin: Origin, name: str, at: Location) -> Origin:
    """What an attribute of a request gives."""
    piece = untrusted.field(Request(origin.what), name, at.line)
    if piece is None:
        return Origin(FIXED if name in _MADE else UNKNOWN, f"`request.{name}`", at)
    marks = set(piece.marks & {"mapping"}) | ({"mapping"} if name in _MAPPINGS else set())
    if name in _HEADER_FIELDS:
        marks.add("header")
    return Origin(
        OUTSIDER,
        piece.source,
        at,
        marks=frozenset(marks | ({"parsed"} if name in {"json", "get_json", "json_body", "media"} else set())),
    )


def environ(key: object, at: Location) -> Origin:
    """An entry of a WSGI environment."""
    if isinstance(key, str) and (
        key.startswith("HTTP_") or key in {"QUERY_STRING", "PATH_INFO", "wsgi.input", "CONTENT_TYPE", "REQUEST_URI"}
    ):
        return Origin(
            OUTSIDER, f"environ[{key!r}]", at, marks=frozenset({"header"} if key.startswith("HTTP_") else set())
        )
    return Origin(UNKNOWN, f"environ[{key!r}]", at)
