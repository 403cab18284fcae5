"""What the names of a function carry: data of the client, its cookies and headers, the identity that a login gave."""

import ast
import re
from typing import NamedTuple

from harness.source.project import Project
from verifiers.static.claimed.access.subject import Subject, callee
from verifiers.static.reading import chain

CLIENT, COOKIE, HEADER, IDENTITY = "client", "cookie", "header", "identity"
_COOKIES = frozenset({"cookies", "COOKIES", "cookie"})
_HEADERS = frozenset({"headers", "META", "user_agent"})
_PARTS = _COOKIES | _HEADERS | frozenset(
    {"args", "form", "values", "json", "get_json", "data", "get_data", "GET", "POST", "FILES", "files", "body", "params",
     "query_params", "path_params", "query", "rfile", "requestline", "match_info", "post", "view_args", "rel_url",
     "matchdict", "forms", "media"}
)  # fmt: skip
_USERS = frozenset({"current_user", "flask_login.current_user", "flask_security.current_user"})
_READERS = re.compile(
    r"(?:.*\.)?(?:get_jwt_identity|get_jwt|get_current_user|current_user_id|authenticated_userid|get_user_id)"
)
_VERIFIED = re.compile(
    r"(?:.*\.)?(?:jwt|jws|PyJWT|\w*serializer|\w*signer|signing|\w*fernet)\.(?:decode|loads|unsign|decrypt)", re.I
)
_SESSIONS = frozenset({"flask.session", "quart.session", "bottle.session", "starlette.session"})
_STORED = re.compile(r"(?:session|token|sid|api_?key)(?:_?id|_?key|_?hash)?", re.I)
_STORED_SQL = re.compile(r"\bWHERE\s+(?:\w+\.)?\w*(?:session|token|sid|api_?key)\w*\s*=", re.I)
_WHO = re.compile(r"user|uid|auth|log|admin|role|account|mail|token|member|id$|name|principal|perm", re.I)
_DEEP = 3


class Reading(NamedTuple):
    """Names by what they carry."""

    subject: Subject
    project: Project
    carried: dict[str, frozenset[str]]

    def kinds(self, node: ast.AST) -> frozenset[str]:
        """What any part of an expression carries."""
        return _kinds(self.subject, node, self.carried, self.project, 0)

    def kinds_at(self, node: ast.AST) -> frozenset[str]:
        """The same, with names as they are at this very place: what another branch assigned is left out."""
        carried = dict(self.carried)
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        for name in names & set(carried):
            values = self.reaching(name, node)
            if values:
                carried[name] = frozenset().union(*(self.kinds(v) for v in values))
        return _kinds(self.subject, node, carried, self.project, 0)

    def reaching(self, name: str, node: ast.AST) -> list[ast.expr]:
        """Values assigned to `name` above `node`, but for those on a branch that excludes it."""
        module = self.subject.module
        around = {id(n): n for n in module.ancestors(node)}
        line = getattr(node, "lineno", 0)
        found = []
        for assigned, value in _assigned(self.subject.node):
            if assigned != name or value.lineno > line:
                continue
            below: ast.AST = value
            for up in module.ancestors(value):
                if isinstance(up, ast.If) and id(up) in around and below is not up.test:
                    mine, theirs = below in up.body, any(id(s) in around or s is node for s in up.body)
                    if mine != theirs:
                        break
                below = up
            else:
                found.append(value)
        return found

    def says(self, node: ast.AST, kind: str) -> bool:
        """Whether a part of the expression carries it."""
        return kind in self.kinds(node)


def read(subject: Subject, project: Project, *, endpoint: bool, depth: int = 0) -> Reading:
    """Flow-insensitive: a name that ever held a thing is taken to hold it."""
    carried: dict[str, frozenset[str]] = {}
    if endpoint:
        for argument in _from_the_route(subject):
            carried[argument] = frozenset({CLIENT})
    defaults = _defaults(subject)
    for argument, default in defaults.items():
        carried[argument] = _of_a_dependency(default)
    pairs = list(_assigned(subject.node))
    for _ in range(4):
        before = dict(carried)
        for name, value in pairs:
            kinds = _kinds(subject, value, carried, project, depth)
            if kinds:
                carried[name] = carried.get(name, frozenset()) | kinds
        if carried == before:
            break
    return Reading(subject, project, carried)


def _assigned(function: ast.AST) -> list[tuple[str, ast.expr]]:
    found: list[tuple[str, ast.expr]] = []
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                found += [(n.id, value) for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and _stored(n)]
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found.append((name, value))
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                found.append((name, value))
            case ast.For(target=target, iter=source) | ast.AsyncFor(target=target, iter=source):
                found += [(n.id, source) for n in ast.walk(target) if isinstance(n, ast.Name)]
            case ast.withitem(context_expr=value, optional_vars=ast.Name(id=name)):
                found.append((name, value))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="execute")) if by_a_stored_secret(node):
                found.append((name, node))
    return found


def _stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _from_the_route(subject: Subject) -> list[str]:
    """Parameters that a client fills."""
    defaults = _defaults(subject)
    found = []
    for argument in subject.parameters:
        text = ast.unparse(argument.annotation) if argument.annotation else ""
        if argument.arg in {"self", "cls", "request", "req", "response", "handler", "session", "db", "conn"}:
            continue
        if argument.arg in defaults or re.search(r"Request|Response|Session|Depends|Background", text):
            continue
        found.append(argument.arg)
    return found


def _defaults(subject: Subject) -> dict[str, ast.expr]:
    """Parameters that a dependency fills -> the dependency."""
    arguments = subject.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    found: dict[str, ast.expr] = {
        a.arg: d for a, d in pairs if isinstance(d, ast.Call) and chain(d.func).endswith(("Depends", "Security"))
    }
    for argument in subject.parameters:
        for node in ast.walk(argument.annotation) if argument.annotation is not None else ():
            if isinstance(node, ast.Call) and chain(node.func).endswith(("Depends", "Security")):
                found[argument.arg] = node
    return found


def dependencies(subject: Subject) -> list[ast.expr]:
    """What the parameters depend on."""
    return [call.args[0] for call in _defaults(subject).values() if isinstance(call, ast.Call) and call.args]


def _of_a_dependency(default: ast.expr) -> frozenset[str]:
    words = ast.unparse(default)
    return (
        frozenset({IDENTITY})
        if re.search(r"user|auth|token|login|admin|permission|principal", words, re.I)
        else frozenset()
    )


def _kinds(
    subject: Subject, node: ast.AST, carried: dict[str, frozenset[str]], project: Project, depth: int
) -> frozenset[str]:
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            held = carried.get(part.id, frozenset())
            found |= held - {IDENTITY} if IDENTITY in held and _other_key(subject, part) else held
            if _other_key(subject, part):
                continue
            if _is_session(subject, part) or (subject.module.resolve(part) or "") in _USERS:
                found.add(IDENTITY)
        elif isinstance(part, ast.Attribute) and not _other_key(subject, part):
            found |= _of_an_attribute(subject, part)
        elif isinstance(part, ast.Call):
            found |= _of_a_call(subject, part, carried, project, depth)
    return frozenset(found)


def _other_key(subject: Subject, node: ast.AST) -> bool:
    """Whether a part of a session is taken that says nothing of who it is: `session["cart"]`."""
    if not re.search(r"sess", ast.unparse(node), re.I):
        return False
    up = subject.module.parents.get(node)
    key: ast.AST | None = None
    if isinstance(up, ast.Subscript) and up.value is node:
        key = up.slice
    elif isinstance(up, ast.Attribute) and up.attr in {"get", "pop"}:
        call = subject.module.parents.get(up)
        key = call.args[0] if isinstance(call, ast.Call) and call.args else None
    return isinstance(key, ast.Constant) and isinstance(key.value, str) and not _WHO.search(key.value)


def _is_session(subject: Subject, node: ast.Name) -> bool:
    return (subject.module.resolve(node) or "") in _SESSIONS


def _of_an_attribute(subject: Subject, node: ast.Attribute) -> set[str]:
    base = chain(node.value)
    last = base.rpartition(".")[2]
    given = {a.arg for a in subject.parameters}
    request = last in {"request", "req"} or (base in given and base not in {"cls"} and node.attr in _PARTS)
    if request and node.attr in {"user", "session", "auth", "identity", "current_user", "authenticated_userid"}:
        return {IDENTITY}
    if base in {"g", "flask.g"} and re.search(r"user|identity|account", node.attr):
        return {IDENTITY}
    if base == "self" and node.attr == "current_user":
        return {IDENTITY}
    if base == "self" and node.attr == "path" and _handles_http(subject):
        return {CLIENT}
    if request and node.attr in _PARTS:
        if node.attr in _COOKIES:
            return {CLIENT, COOKIE}
        return {CLIENT, HEADER} if node.attr in _HEADERS else {CLIENT}
    return set()


def _handles_http(subject: Subject) -> bool:
    cls = subject.module.enclosing_class(subject.node)
    return cls is not None and any(chain(b).endswith("HTTPRequestHandler") for b in cls.bases)


def _of_a_call(
    subject: Subject, call: ast.Call, carried: dict[str, frozenset[str]], project: Project, depth: int
) -> set[str]:
    name = subject.module.resolve(call.func) or (chain(call.func) or str(getattr(call.func, "attr", "")))
    if _READERS.fullmatch(name) or name.endswith(
        ("aiohttp_session.get_session", "get_signed_cookie", "get_secure_cookie")
    ):
        return {IDENTITY}
    if _VERIFIED.fullmatch(name) and not _unverified(call):
        return {IDENTITY}
    if by_a_stored_secret(call):
        given = [*call.args, *(k.value for k in call.keywords)]
        shallow = [_kinds(subject, g, carried, project, _DEEP) for g in given]
        if any(k & {COOKIE, HEADER} for k in shallow):
            return {IDENTITY}
    if depth < _DEEP:
        other = callee(subject.module, call, project)
        if other is not None and other.node is not subject.node and gives_identity(other, project, depth + 1):
            return {IDENTITY}
    return set()


_HARMLESS = frozenset(
    {"format", "strip", "split", "replace", "lower", "upper", "title", "encode", "decode", "join", "append", "extend", "startswith",
     "endswith", "debug", "info", "warning", "error", "exception", "log", "set_cookie", "write", "hexdigest", "isdigit", "items",
     "keys", "values", "is_valid", "render", "setdefault", "pop", "sub", "match", "search", "get", "count", "find", "send_header"}
)  # fmt: skip


def hands_on(reading: Reading, call: ast.Call) -> bool:
    """Whether what the client sends goes into a method of an object that nothing is known of, or into a value that is called."""
    given = [*call.args, *(k.value for k in call.keywords)]
    if not any(reading.says(g, CLIENT) for g in given):
        return False
    module = reading.subject.module
    if re.search(r"\.(?:objects|query)\b", ast.unparse(call.func)):
        return False  # what Django and SQLAlchemy do with it is known
    if isinstance(call.func, ast.Name):
        return any(
            isinstance(n, ast.Name) and n.id == call.func.id and _stored(n) for n in ast.walk(reading.subject.node)
        )
    root: ast.expr = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    imported = isinstance(root, ast.Name) and root.id in module.imports
    last = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    outside = imported and module.imports[getattr(root, "id", "")].partition(".")[0] not in _own_roots(reading.project)
    return not outside and last not in _HARMLESS and callee(module, call, reading.project) is None


def _own_roots(project: Project) -> set[str]:
    return {name.partition(".")[0] for name in project.index.module_paths}


def by_session(reading: Reading) -> bool:
    """Whether the function itself goes by a session or the user that a framework found by one."""
    for node in ast.walk(reading.subject.node):
        if isinstance(node, ast.Name) and (reading.subject.module.resolve(node) or "") in _SESSIONS | _USERS:
            return True
        if isinstance(node, ast.Attribute) and _of_an_attribute(reading.subject, node) == {IDENTITY}:
            return True
        if isinstance(node, ast.Call) and (reading.subject.module.resolve(node.func) or "").endswith(
            "aiohttp_session.get_session"
        ):
            return True
    return False


def gives_identity(subject: Subject, project: Project, depth: int = 1) -> bool:
    """Whether what a function returns was made from a session, a verified token or the like."""
    reading = read(subject, project, endpoint=False, depth=depth)
    returned = [n.value for n in ast.walk(subject.node) if isinstance(n, ast.Return) and n.value is not None]
    return any(IDENTITY in _kinds(subject, value, reading.carried, project, depth) for value in returned)


def _unverified(call: ast.Call) -> bool:
    return any(
        isinstance(n, ast.Constant) and n.value is False and "verify" in ast.unparse(k)
        for k in call.keywords
        for n in ast.walk(k)
    )


def by_a_stored_secret(call: ast.Call) -> bool:
    """A look-up by a column that holds session ids or tokens."""
    last = getattr(call.func, "attr", "")
    if last in {"execute", "fetchone", "fetchrow"}:
        text = "".join(
            n.value for a in call.args for n in ast.walk(a) if isinstance(n, ast.Constant) and isinstance(n.value, str)
        )
        return bool(_STORED_SQL.search(text)) and text.lstrip().upper().startswith("SELECT")
    if last in {"get", "filter", "filter_by", "first", "find_one", "exists"}:
        return any(k.arg and _STORED.fullmatch(k.arg.partition("__")[0]) for k in call.keywords)
    return False
