"""Headers that a program writes itself: what do they switch off? (16, 693, 1021, 524, 525, 319, 523)"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from verifiers.static.claimed.setting.place import Scene, Sight
from verifiers.static.claimed.setting.words import constant, texts

THING = "a header that is set"
_KNOWN = frozenset(
    {"cache-control", "strict-transport-security", "content-security-policy", "x-xss-protection", "x-frame-options"}
)
_STATIC = re.compile(r"static|asset|image|\bimg|\bcss|\bjs\b|favicon|font|media|thumbnail", re.IGNORECASE)
_PERSONAL = frozenset(
    {"user", "session", "cookies", "query_string", "GET", "POST", "args", "form", "params", "environ"}
)
_CACHING = frozenset({524, 525})
_TRANSPORT = frozenset({319, 523})


class Header(NamedTuple):
    """One header with its value."""

    name: str
    value: str
    node: ast.AST


def headers(scene: Scene) -> Iterator[Header]:
    """Pairs of a known header and a text: in calls, tuples, tables and assignments."""
    module = scene.module
    for call in module.nodes(ast.Call):
        if len(call.args) == 2:
            yield from _pair(call.args[0], call.args[1], call)
    for pair in module.nodes(ast.Tuple):
        if len(pair.elts) == 2:
            yield from _pair(pair.elts[0], pair.elts[1], pair)
    for table in module.nodes(ast.Dict):
        for key, value in zip(table.keys, table.values, strict=True):
            if key is not None:
                yield from _pair(key, value, value)
    for assign in module.nodes(ast.Assign):
        for target in assign.targets:
            if isinstance(target, ast.Subscript):
                yield from _pair(target.slice, assign.value, assign)


def _pair(name: ast.expr, value: ast.expr, node: ast.AST) -> Iterator[Header]:
    text, given = constant(name), constant(value)
    if text is not None and given is not None and text.lower() in _KNOWN:
        yield Header(text.lower(), given, node)


def look(scene: Scene) -> Iterator[Sight]:
    """Every header that is about security, by what is claimed."""
    for header in headers(scene):
        at = scene.module.location(header.node)
        if header.name != "x-xss-protection":  # browsers have dropped what it switches; `0` is what is advised
            yield Sight(at, *_weighed(scene, header))


def framing(scene: Scene) -> Iterator[Sight]:
    """Headers against framing, and the framework that sets them."""
    for header in headers(scene):
        if header.name in {"x-frame-options", "content-security-policy"}:
            yield Sight(scene.module.location(header.node), *_framed(header))
    if scene.module.imports and any(t.partition(".")[0] == "django" for t in scene.module.imports.values()):
        for module in scene.project.modules_matching(re.compile(rb"XFrameOptionsMiddleware")):
            for text in module.nodes(ast.Constant):
                if text.value == "django.middleware.clickjacking.XFrameOptionsMiddleware" and not _exempt(scene):
                    says = "the framework's middleware sends `X-Frame-Options` with every answer"
                    yield Sight(scene.location, False, says, (module.location(text),))


def _framed(header: Header) -> tuple[bool | None, str]:
    value = header.value.lower()
    if (header.name == "x-frame-options" and value in {"deny", "sameorigin"}) or "frame-ancestors" in value:
        return False, "the page cannot be framed by other sites"
    return None, f"`{header.name}` alone does not decide this"


def _exempt(scene: Scene) -> bool:
    return scene.function is None or any("xframe" in ast.unparse(d) for d in scene.function.decorator_list)


def _weighed(scene: Scene, header: Header) -> tuple[bool | None, str]:
    value = header.value.lower()
    match header.name:
        case "strict-transport-security" if scene.cwe not in _CACHING:
            if re.search(r"max-age\s*=\s*0\b", value):
                return (
                    None if scene.cwe in _TRANSPORT else True,
                    "`max-age=0` makes browsers forget that this site is for HTTPS alone",
                )
            return False, "browsers are told to use HTTPS"
        case "content-security-policy" if scene.cwe not in _CACHING | _TRANSPORT:
            if re.search(r"(?:default|script)-src[^;]*(?:\*(?:\s|;|$)|'unsafe-inline')", value):
                return True, "the policy lets scripts of any origin, or written into the page, run: it protects nothing"
            return False, "the policy names what may run"
        case "cache-control" if scene.cwe not in _TRANSPORT:
            if "no-store" in value or "private" in value:
                return False, "the answer is not kept by shared caches"
            if value.strip() == "public" and _is_personal(scene, header.node):
                return (
                    True,
                    "an answer that is made from the request is marked `public`: shared caches keep it for others",
                )
            return None, "how long the answer is kept is said; whether it is secret does not show"
        case "x-frame-options" if scene.cwe in {16, 693}:
            return _framed(header)
    return None, f"`{header.name}` alone does not decide this"


def _is_personal(scene: Scene, node: ast.AST) -> bool:
    """Whether the function makes its answer from what is asked, and marks every answer so, not files that are the same for all."""
    function = scene.module.enclosing_function(node)
    if function is None or any(isinstance(up, ast.If) for up in scene.module.ancestors(node)):
        return False
    return _STATIC.search(function.name) is None and not _PERSONAL.isdisjoint(texts(function))
