"""Cookies: is one set here, and with which switches? (614, 1004, 1275)"""

import ast
import re
from collections.abc import Iterator

from harness.schema.location import Location
from harness.source.module import Module
from verifiers.static.claimed.setting.place import Scene, Sight
from verifiers.static.claimed.setting.switches import named_by
from verifiers.static.claimed.setting.words import DEVELOPMENT, constant, last_name

THING = "a cookie that is set"
_SECRET = re.compile(r"session|sess_?id|token|auth|remember|jwt|sso|login|credential", re.IGNORECASE)
_HARMLESS = re.compile(
    r"csrf|xsrf|lang|locale|theme|time_?zone|consent|banner|seen|preference|dark_?mode", re.IGNORECASE
)
LONGEST = 60
"""Characters of texts that are names."""
_OTHERWISE = re.compile(rb"SESSION_COOKIE_HTTPONLY(?!\W{1,6}True\b)")
_STORAGE = re.compile(
    r"aiohttp_session\.(?:\w+\.)*(?:RedisStorage|MemcachedStorage|EncryptedCookieStorage|NaClCookieStorage|SimpleCookieStorage)"
)
_SESSION_MIDDLEWARE = re.compile(r"starlette\.middleware\.sessions\.SessionMiddleware")
_SWITCHES = {614: ("secure", "SESSION_COOKIE_SECURE"), 1004: ("httponly", "SESSION_COOKIE_HTTPONLY")}
_SAMESITE = ("samesite", "SESSION_COOKIE_SAMESITE")
_ON_BY_DEFAULT = frozenset({"httponly"})
"""Switches that session storages have on by default: aiohttp_session, Flask, Django, Starlette."""
_WHY = {
    "secure": "browsers also send it over plain HTTP",
    "httponly": "scripts of the page read it",
    "samesite": "other sites may have it sent",
}


def look(scene: Scene) -> Iterator[Sight]:
    """Every cookie, session storage and setting of session cookies, and what else speaks of cookies."""
    known = list(_known(scene))
    yield from known
    lines = {n for sight in known for n in range(sight.at.line, sight.at.end_line + 1)}
    for node in scene.module.nodes(ast.Name, ast.Attribute, ast.Constant, ast.keyword):
        name = (
            getattr(node, "id", None)
            or getattr(node, "attr", None)
            or getattr(node, "arg", None)
            or getattr(node, "value", "")
        )
        if (
            isinstance(name, str)
            and len(name) < LONGEST
            and "cookie" in name.lower()
            and not _reads(scene.module, node)
        ):
            at = scene.module.location(node)
            if at.line not in lines:
                yield Sight(at, None, "something is done with a cookie; with which switches does not show", faint=True)


def _reads(module: Module, node: ast.AST) -> bool:
    """`request.cookies`, which gives what the browser sent."""
    if not isinstance(node, ast.Attribute) or node.attr not in {"cookies", "COOKIES"}:
        return False
    stored = isinstance(getattr(module.parents.get(node), "ctx", None), ast.Store)
    return "request" in ast.unparse(node.value) and not stored


def _known(scene: Scene) -> Iterator[Sight]:
    option, setting = _SWITCHES.get(scene.cwe, _SAMESITE)
    module = scene.module
    for call in module.nodes(ast.Call):
        name = module.resolve(call.func) or (f"?.{call.func.attr}" if isinstance(call.func, ast.Attribute) else "")
        last = name.rpartition(".")[2]
        if last in {"set_cookie", "set_signed_cookie", "set_secure_cookie"}:
            yield _cookie(scene, call, option)
        elif _STORAGE.fullmatch(name):
            yield _storage(scene, call, option)
        elif (
            last in {"send_header", "add_header", "setdefault"}
            and call.args
            and constant(call.args[0]) in {"Set-Cookie", "set-cookie"}
        ):
            yield _written(scene, call, option)
        elif name == "flask.Flask":
            yield _left_to_default(scene, module.location(call), option)
        elif last in {"update", "from_mapping", "configure"}:
            for key, value in _entries(call):
                if key == setting:
                    yield _setting(scene, value, value, setting, option)
    if (
        any(name in module.definitions for name in ("INSTALLED_APPS", "MIDDLEWARE"))
        and setting not in module.definitions
    ):
        yield _left_to_default(scene, scene.location, option)
    for assign in module.nodes(ast.Assign):
        for target in assign.targets:
            if last_name(target) == setting:
                yield _setting(scene, assign, assign.value, setting, option, bare=isinstance(target, ast.Name))
            if isinstance(target, ast.Subscript) and last_name(target.value) == "session":
                bad = False if option in _ON_BY_DEFAULT and _framework_session(scene, target.value) else None
                yield Sight(module.location(assign), bad, f"the framework sets the session's cookie, with `{option}` on by default"
                            if bad is False else "whether the session's cookie is set over HTTPS only is a setting")  # fmt: skip


def _entries(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Settings that `app.config.update(...)` is given, by name or as a table."""
    for keyword in call.keywords:
        yield keyword.arg or "", keyword.value
    for table in call.args:
        if isinstance(table, ast.Dict):
            for key, value in zip(table.keys, table.values, strict=True):
                yield constant(key) or "", value


def _left_to_default(scene: Scene, at: Location, option: str) -> Sight:
    """An application of a framework, whose session cookie is `HttpOnly` unless a setting says otherwise."""
    if option in _ON_BY_DEFAULT and not _taken_away(scene):
        return Sight(
            at, False, f"the framework sets its session cookie with `{option}` by default, and no setting changes that"
        )
    return Sight(at, None, f"whether the session's cookie has `{option}` is left to a setting")


def _framework_session(scene: Scene, session: ast.expr) -> bool:
    """Flask's or Django's session, with no setting of the project that takes `HttpOnly` away."""
    name = scene.module.resolve(session) or ""
    if name not in {"flask.session", "request.session", "django.http.request.session"}:
        return False
    return not _taken_away(scene)


def _taken_away(scene: Scene) -> bool:
    """Whether some setting of the project may switch `HttpOnly` off."""
    return any(True for _ in scene.project.modules_matching(_OTHERWISE))


def _cookie(scene: Scene, call: ast.Call, option: str) -> Sight:
    at = scene.module.location(call)
    name = constant(call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "key"), None)) or ""
    given = next((k.value for k in call.keywords if k.arg == option), None)
    if any(k.arg is None for k in call.keywords):
        return Sight(at, None, "options are handed on")
    if given is None:
        if name and _SECRET.search(name) and not _HARMLESS.search(name) and option != "samesite":
            return Sight(at, True, f"the cookie `{name}` is set without `{option}`: {_WHY[option]}")
        return Sight(at, None, f"`{option}` is left out, and nothing says that the cookie is worth stealing")
    if not isinstance(given, ast.Constant):
        return Sight(at, None, "a setting decides, which a deployment may change")
    if given.value and str(given.value).lower() != "none":
        return Sight(at, False, f"the cookie is set with `{option}`")
    if _HARMLESS.search(name):
        return Sight(at, None, f"the cookie `{name}` holds a preference")
    return Sight(
        at, True if option != "samesite" else None, f"the cookie `{name}` is set with `{option}` off: {_WHY[option]}"
    )


def _storage(scene: Scene, call: ast.Call, option: str) -> Sight:
    """aiohttp_session: `httponly` is True and `secure` None unless given."""
    at = scene.module.location(call)
    given = next((k.value for k in call.keywords if k.arg == option), None)
    if any(k.arg is None for k in call.keywords) or (given is not None and not isinstance(given, ast.Constant)):
        return Sight(at, None, "a setting decides, which a deployment may change")
    if given is None and option in _ON_BY_DEFAULT:
        return Sight(at, False, f"the session storage sets `{option}` by default")
    if option == "samesite":
        return Sight(at, None, "browsers decide on their own when `samesite` is left out")
    if isinstance(given, ast.Constant) and given.value:
        return Sight(at, False, f"the session's cookie is set with `{option}`")
    how = "left out, which is off" if given is None else "off"
    return Sight(at, True, f"`{option}` of the session's cookie is {how}: {_WHY[option]}")


def _written(scene: Scene, call: ast.Call, option: str) -> Sight:
    """A `Set-Cookie` that the program writes itself: nothing is added to what stands there."""
    at = scene.module.location(call)
    function = scene.module.enclosing_function(call)
    scope: ast.AST = scene.module.enclosing_class(call) or function or scene.module.tree
    set_to = [
        n.value for n in ast.walk(scope)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and option in n.value.lower().replace("-", "")
    ]  # fmt: skip
    if set_to:
        return Sight(at, None, f"`{option}` is set in some place of this class")
    if option == "samesite":
        return Sight(at, None, "browsers decide on their own when `samesite` is left out")
    if not any(_SECRET.search(t) for t in _words(scope)):
        return Sight(at, None, "nothing says that the cookie is worth stealing")
    return Sight(at, True, f"the cookie is written by hand without `{option}`: {_WHY[option]}")


def _words(scope: ast.AST) -> Iterator[str]:
    for part in ast.walk(scope):
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and len(part.value) < 120:
            yield part.value
        elif isinstance(part, ast.Attribute):
            yield part.attr


def _setting(scene: Scene, node: ast.AST, value: ast.expr, setting: str, option: str, *, bare: bool = False) -> Sight:
    module = scene.module
    at = module.location(node)
    if not isinstance(value, ast.Constant):
        return Sight(at, None, "a setting decides, which a deployment may change")
    if value.value and str(value.value).lower() != "none":
        return Sight(at, False, f"`{setting}` is on")
    if bare and named_by(scene.project, module) is None:
        return Sight(at, None, "what is served with these settings does not show")
    stores = [t for a in module.nodes(ast.Assign) for t in a.targets if last_name(t) == setting]
    if (
        DEVELOPMENT.search(module.path)
        or len(stores) > 1
        or any(isinstance(up, ast.If) for up in module.ancestors(node))
    ):
        return Sight(at, None, "the setting is for development, or is changed again")
    return Sight(at, True if option != "samesite" else None, f"`{setting}` is off: {_WHY[option]}")
