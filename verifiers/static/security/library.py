"""Models of library functions: what comes out of them, given what goes in."""

import ast
import base64
import binascii
import html
import shlex
import string
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from verifiers.static.security import operator
from verifiers.static.security.patterns import at_beginning, one_character_class
from verifiers.static.security.sequences import element_of
from verifiers.static.security.state import DictObject, Instance, ListObject, State, reachable
from verifiers.static.security.textual import joined_path, text
from verifiers.static.security.values import (
    ANY,
    BASE64,
    DIGITS,
    Const,
    Many,
    Opaque,
    PathValue,
    Piece,
    Ref,
    Text,
    Url,
    Value,
    alphabet,
    clean,
    derived,
    each_char,
    ident_of,
    one_of,
    options,
    parts,
    pieces_in,
    text_of,
)

if TYPE_CHECKING:
    from verifiers.static.security.evaluation import Evaluation

_NUMBERS = frozenset({"int", "float", "len", "ord", "round", "abs", "hash", "id", "decimal.Decimal"})
_HTML_ESCAPES = frozenset(
    {
        "html.escape", "markupsafe.escape", "flask.escape", "django.utils.html.escape", "django.utils.html.conditional_escape",
        "xml.sax.saxutils.quoteattr", "werkzeug.utils.escape",
    }
)  # fmt: skip
_FILE_NAMES = frozenset({"werkzeug.utils.secure_filename", "werkzeug.secure_filename"})
_ENCODERS = {
    "base64.b64encode": "b64", "base64.urlsafe_b64encode": "b64", "base64.standard_b64encode": "b64",
    "binascii.hexlify": "hex", "binascii.b2a_base64": "b64", "base64.b32encode": "b32", "base64.b16encode": "hex",
}  # fmt: skip
_DECODERS = {
    "base64.b64decode": "b64", "base64.urlsafe_b64decode": "b64", "base64.standard_b64decode": "b64",
    "binascii.unhexlify": "hex", "binascii.a2b_base64": "b64", "base64.b32decode": "b32", "base64.b16decode": "hex",
}  # fmt: skip
_RESOLVING = frozenset({"os.path.realpath", "os.path.abspath", "os.path.normpath"})
_PASSING = frozenset(
    {
        "sqlalchemy.text",
        "sqlalchemy.sql.text",
        "bytes",
        "bytearray",
        "os.fspath",
        "os.fsencode",
        "os.fsdecode",
        "io.BytesIO",
        "sys.intern",
    }
)
_SEQUENCES = frozenset({"list", "tuple", "sorted", "set", "frozenset", "reversed", "iter"})
_LDAP_ESCAPES = frozenset({"ldap3.utils.conv.escape_filter_chars", "ldap.filter.escape_filter_chars"})
_CLEAN = frozenset(
    {
        "flask.url_for", "flask.send_from_directory", "tempfile.gettempdir", "tempfile.mkdtemp",
        "django.urls.reverse", "flask.render_template", "flask.jsonify", "django.shortcuts.render",
        "uuid.uuid4", "secrets.token_hex", "secrets.token_urlsafe", "time.time", "random.random", "os.getcwd",
        "random.randint", "random.getrandbits", "secrets.randbelow", "os.urandom", "datetime.datetime.now",
    }
)  # fmt: skip


def result(
    ev: "Evaluation",
    name: str,
    arguments: Sequence[Value],
    keywords: dict[str, Value],
    node: ast.Call,
    state: State,
) -> Value | None:
    """What `name(...)` gives, None when there is no model of it."""
    if name in _CLEAN:
        return clean(f"result of {name}")
    typed = operator.typed(name, node)
    if typed is not None:
        return typed
    made = _made(ev, name, arguments, node, state)
    if made is not None:
        return made
    if not arguments:
        return None
    if name == "urllib.parse.urlparse" or name == "urllib.parse.urlsplit":
        return one_of(Url(o) for o in options(arguments[0]))
    if name in {"os.path.join", "posixpath.join"}:
        return _joined(arguments)
    if name in {"werkzeug.utils.safe_join", "flask.safe_join", "django.utils._os.safe_join"}:
        return _contained(_joined(arguments))
    if name in {"json.loads", "urllib.parse.parse_qs", "urllib.parse.parse_qsl"}:
        return _parsed(name, arguments[0])
    if name in {"next", "min", "max"}:
        return element_of(arguments[0], state, node)
    if name == "re.sub" and len(arguments) >= 3:
        return _substituted(arguments)
    return _mapped(name, arguments, keywords, state)


def _parsed(name: str, value: Value) -> Value | None:
    """What a client wrote into a document or query: any text, under any key."""
    found = pieces_in(value)
    if not isinstance(value, Piece | Text) or not found:
        return None
    piece = replace(derived(found[0], name, chars=ANY), lacks=frozenset(), marks=found[0].marks & {"operator"})
    return Many(Many(piece)) if name.endswith("parse_qsl") else piece


def _mapped(name: str, arguments: Sequence[Value], keywords: dict[str, Value], state: State) -> Value | None:
    found = [_one(name, option, keywords, state) for option in options(arguments[0])]
    if not any(v is not None for v in found):
        return None
    return one_of(
        Opaque(f"result of {name}", reachable(option, state)) if v is None else v
        for v, option in zip(found, options(arguments[0]), strict=True)
    )


def _one(name: str, value: Value, keywords: dict[str, Value], state: State) -> Value | None:
    if name == "str":
        return text(value, state)
    if name in _PASSING:
        return value if isinstance(value, Const | Piece | Text | PathValue) else None
    if name in _SEQUENCES:
        return value if isinstance(value, Ref | Many) else None
    if name in _NUMBERS:
        return _number(name, value, state)
    if name in {"os.path.dirname", "posixpath.dirname"}:
        return value if isinstance(value, Piece) else clean(name) if isinstance(value, Const) else None
    if name in _RESOLVING:
        return PathValue(text_of(parts(value)), resolved=True)
    if name in _HTML_ESCAPES:
        quotes = keywords.get("quote", Const(True)) != Const(False)
        return _per_char(value, lambda c: html.escape(c, quote=quotes), name)
    if name in _LDAP_ESCAPES:
        return _per_char(value, lambda c: f"\\{ord(c):02x}" if c in "\\*()\0" else c, name)
    if name in _FILE_NAMES:
        return _limited(value, alphabet(string.ascii_letters + string.digits + "_.-"), name, lacks=("..",))
    if name in {"os.path.basename", "ntpath.basename"}:
        return _limited(value, ANY - {"/"}, name)
    if name in {"shlex.quote", "pipes.quote"}:
        if isinstance(value, Const) and isinstance(value.value, str):
            return Const(shlex.quote(value.value))
        return _marked(value, name, "shell-quoted")
    if name in {"urllib.parse.quote", "urllib.parse.quote_plus"}:
        safe = keywords.get("safe", Const("/" if name.endswith("quote") else ""))
        kept = (
            string.ascii_letters + string.digits + "_.-~%+" + (str(safe.value) if isinstance(safe, Const) else "/:?&=")
        )
        return _limited(value, alphabet(kept), name)
    if name in {"urllib.parse.unquote", "urllib.parse.unquote_plus"}:
        return _unquoted(value, name)
    if name in _ENCODERS:
        return _encoded(_ENCODERS[name], name, value)
    if name in _DECODERS:
        return _decoded(_DECODERS[name], value)
    if name in {"hex", "bin", "oct"}:
        return _limited(value, frozenset("0123456789abcdefx-"), name)
    if name == "chr":
        return clean("a character") if not pieces_in(value) else derived(pieces_in(value)[0], "chr", chars=ANY)
    if name == "repr":
        return None
    return None


def _number(name: str, value: Value, state: State) -> Value:
    if isinstance(value, Const):
        table: dict[str, Callable[..., object]] = {"int": int, "float": float, "len": len, "ord": ord, "abs": abs}
        function = table.get(name)
        short = not isinstance(value.value, str) or len(value.value) < 1000
        if function is not None and short:
            try:
                return Const(function(value.value))
            except (TypeError, ValueError, OverflowError):
                return clean("a number", DIGITS)
    if name == "len" and isinstance(value, Ref):
        item = state.heap.get(value.number)
        if isinstance(item, ListObject | DictObject) and item.rest is None:
            return Const(len(item.items))
    if name in {"int", "float"} and isinstance(value, Piece):
        state.learn(value, chars=DIGITS)  # anything else but white space around it raises
    found = reachable(value, state)
    return derived(found[0], name, chars=DIGITS) if found and name != "len" else clean("a number", DIGITS)


def _per_char(value: Value, change: Callable[[str], str], name: str) -> Value | None:
    if not isinstance(value, Const | Piece | Text):
        return None
    return text_of(
        change(p) if isinstance(p, str) else each_char(p, change, name) if isinstance(p, Piece) else p
        for p in parts(value)
    )


def _limited(value: Value, chars: frozenset[str], name: str, lacks: tuple[str, ...] = ()) -> Value | None:
    """Text of which only `chars` are left."""
    if not isinstance(value, Piece | Text):
        return clean(name, chars) if isinstance(value, Const) else None
    return text_of(
        clean(name, chars)
        if isinstance(p, str)
        else replace(derived(p, name, chars=p.chars & chars), lacks=frozenset(lacks))
        if isinstance(p, Piece)
        else p
        for p in parts(value)
    )


def _marked(value: Value, name: str, mark: str) -> Value | None:
    if not isinstance(value, Piece | Text):
        return None
    return text_of(
        replace(derived(p, name), marks=p.marks | {mark}) if isinstance(p, Piece) else p for p in parts(value)
    )


def _unquoted(value: Value, name: str) -> Value | None:
    if isinstance(value, Const) and isinstance(value.value, str):
        return Const(urllib.parse.unquote(value.value))
    if not isinstance(value, Piece | Text):
        return None
    return text_of(
        replace(p, ident=(*p.ident, name), chars=ANY, lacks=frozenset(), marks=p.marks & {"checked"}, inner=None)
        if isinstance(p, Piece) and "%" in p.chars
        else p
        for p in parts(value)
    )


def _encoded(how: str, name: str, value: Value) -> Value | None:
    if isinstance(value, Const) and isinstance(value.value, bytes | str):
        raw = value.value.encode() if isinstance(value.value, str) else value.value
        return Const(base64.b64encode(raw).decode()) if how == "b64" else clean(name, BASE64)
    found = pieces_in(value)
    if isinstance(value, Piece | Text) and found:
        return Piece((*ident_of(value), how), found[0].source, found[0].line, BASE64, inner=value)
    return None


def _decoded(how: str, value: Value) -> Value | None:
    if isinstance(value, Const) and isinstance(value.value, bytes | str):
        if how != "b64":
            return clean("decoded constant")
        try:
            return Const(base64.b64decode(value.value, altchars=b"-_").decode("utf-8", "replace"))
        except (binascii.Error, ValueError):
            return clean("decoded constant")
    if isinstance(value, Piece) and value.inner is not None and how in value.ident[-1:]:
        return value.inner
    found = pieces_in(value)
    if isinstance(value, Piece | Text) and found:
        return Piece(
            (*ident_of(value), "decode", how), found[0].source, found[0].line, marks=found[0].marks & {"checked"}
        )
    return clean("decoded text") if isinstance(value, Piece | Text) else None


def _joined(arguments: Sequence[Value]) -> Value:
    combined: list[tuple[Value, ...]] = [()]
    for argument in arguments:
        combined = [(*c, o) for c in combined for o in options(argument)][:8]
    joined = one_of(joined_path(*c) for c in combined)
    return one_of(o.text if isinstance(o, PathValue) else o for o in options(joined))


def _contained(value: Value) -> Value:
    return one_of(
        text_of(replace(p, marks=p.marks | {"contained"}) if isinstance(p, Piece) else p for p in parts(option))
        for option in options(value)
    )


def _substituted(arguments: Sequence[Value]) -> Value | None:
    """`re.sub` of one character class: what may be left is found by trying each character."""
    pattern, by, subject = arguments[:3]
    if not isinstance(pattern, Const) or not isinstance(by, Const) or not isinstance(subject, Piece | Text):
        return None
    removed = one_character_class(str(pattern.value))
    added = alphabet(str(by.value))
    if removed is None and at_beginning(str(pattern.value)) and not added:
        return text_of(
            replace(derived(p, "re.sub"), lacks=frozenset(), marks=p.marks | {"prefix:re.sub"})
            if isinstance(p, Piece)
            else p
            for p in parts(subject)
        )
    if removed is None:
        return None
    return text_of(
        replace(derived(p, "re.sub", chars=(p.chars - removed) | added), lacks=frozenset())
        if isinstance(p, Piece)
        else p
        for p in parts(subject)
    )


def _made(ev: "Evaluation", name: str, arguments: Sequence[Value], node: ast.Call, state: State) -> Value | None:
    """Library objects whose later state matters."""
    match name:
        case "pathlib.Path" | "pathlib.PurePath" | "pathlib.PosixPath" if arguments:
            return joined_path(*arguments)
        case "io.StringIO" | "io.TextIOWrapper" if name == "io.StringIO":
            return ev.allocate(state, Instance("text", {"text": arguments[0] if arguments else Const("")}))
        case "configparser.ConfigParser" | "configparser.RawConfigParser" | "configparser.SafeConfigParser":
            return ev.allocate(state, Instance("config", {}))
        case "list" | "set" | "tuple" if not arguments:
            return ev.allocate(state, ListObject())
        case "dict" | "collections.OrderedDict" if not arguments and not node.keywords:
            return ev.allocate(state, DictObject())
        case "re.compile" if len(arguments) == 1 and isinstance(arguments[0], Const):
            return ev.allocate(state, Instance("pattern", {"pattern": arguments[0]}))
        case "xml.sax.make_parser":
            return ev.allocate(state, Instance("sax-parser", {}))
        case "lxml.etree.XMLParser":
            option = next((k.value for k in node.keywords if k.arg == "resolve_entities"), None)
            on = isinstance(option, ast.Constant) and option.value is True
            return ev.allocate(state, Instance("lxml-parser", {"external": Const(on)}))
        case "flask.make_response" | "flask.Response" if arguments:
            body = arguments[0]
            item = state.heap.get(body.number) if isinstance(body, Ref) else None
            if isinstance(item, ListObject) and item.items:
                body = item.items[0]
            return ev.allocate(state, Instance("response", {"body": body}))
        case "open" | "io.open" | "codecs.open":
            inside = tuple(p for a in arguments for p in reachable(a, state))
            opened: dict[object, Value] = {"name": arguments[0] if arguments else Const(""), "?": Opaque("file", ())}
            return ev.allocate(state, Instance("file", opened if inside or arguments else {}))
    return None
