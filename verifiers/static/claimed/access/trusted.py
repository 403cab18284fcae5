"""Decisions by what a client can write itself: unsigned cookies and headers. CWE-565, CWE-807, CWE-290, CWE-639, CWE-287."""

import ast
import re

from harness.intake.anchor import FARTHEST
from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.claimed.access.application import reading_of
from verifiers.static.claimed.access.reading import COOKIE, HEADER, IDENTITY, Reading
from verifiers.static.claimed.access.subject import Subject, module_of, reached, subject_at
from verifiers.static.reading import words
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_POWER = re.compile(r"admin|superuser|\bstaff\b|\broot\b|internal", re.I)
_RIGHTS = frozenset({"admin", "isadmin", "role", "roles", "auth", "authenticated", "authorized", "logged", "loggedin", "staff",
                     "superuser", "privilege", "permission", "access", "group", "level"})  # fmt: skip
_ADDRESS = re.compile(r"forwarded[-_]for|real[-_]?ip|client[-_]?ip", re.I)
_ADDRESSES = re.compile(r"localhost|::1|\d+\.\d+\.\d+\.\d+")
_OPEN = re.compile(r"(?:http_)?(?:host|origin|referer)", re.I)
_TOKENS = re.compile(r"csrf|lang|locale|theme|tz|timezone|consent|authorization|api_?key|token|content|accept", re.I)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirmed at the test; dismissed when nothing of a cookie or header is read around the place."""
    module = module_of(finding, project)
    subject = subject_at(module, finding.line) if module is not None else None
    if module is None or subject is None:
        return cannot_tell("there is no function at this place")
    ruling = decision(subject, project, finding.line)
    if ruling.evidence:
        return ruling
    if _writes_cookie(subject):
        return cannot_tell("it sets a cookie; who reads it does not show")
    if not any(_reads_one(one, project) for one in reached(subject, project, loosely=True)):
        here = module.location(subject.node)
        return falls("no cookie and no header is read here, nor by what it calls", kind="operation", at=(here,))
    return cannot_tell("whether the cookie or header decides anything does not show")


def _reads_one(subject: Subject, project: Project) -> bool:
    reading = reading_of(subject, project)
    return any(reading.kinds(n) & {COOKIE, HEADER} for n in ast.walk(subject.node) if isinstance(n, ast.Attribute))


def _writes_cookie(subject: Subject) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr == "set_cookie" for n in ast.walk(subject.node))


def decision(subject: Subject, project: Project, line: int = 0) -> Ruling:
    """Confirmed where an unsigned cookie or a header is what tells an administrator or a user.

    With a `line`, only when the decision, or the cookie that is made for it, is near: a long function may hold another
    way in that the claim is not about.
    """
    reading = reading_of(subject, project)
    made = [c.lineno for c in _cookies_set(reading).values()]
    for found in (_by_a_test(reading), _by_a_record(reading), _by_a_made_cookie(reading, project)):
        if found is None:
            continue
        places = [*made, *(a.line for e in found.evidence for a in e.locations), subject.node.lineno]
        if not line or any(abs(place - line) <= FARTHEST for place in places):
            return found
    return cannot_tell("no decision by a cookie or header")


def _named(reading: Reading, node: ast.AST) -> str:
    """The name of the cookie or header that an expression goes back to, '' when it does not show."""
    values: list[ast.AST] = [node]
    for one in values:  # grows
        for name in dict.fromkeys(n.id for n in ast.walk(one) if isinstance(n, ast.Name)):
            values += [v for v in reading.reaching(name, node) if v not in values]
    for value in values:
        for part in ast.walk(value):
            key: ast.AST | None = None
            if isinstance(part, ast.Subscript):
                holder, key = part.value, part.slice
            elif (
                isinstance(part, ast.Call)
                and isinstance(part.func, ast.Attribute)
                and part.func.attr == "get"
                and part.args
            ):
                holder, key = part.func.value, part.args[0]
            else:
                continue
            of_a_request = isinstance(holder, ast.Attribute) and reading.kinds(holder) & {COOKIE, HEADER}
            if of_a_request and isinstance(key, ast.Constant) and isinstance(key.value, str):
                return key.value
    return ""


def _by_a_test(reading: Reading) -> Ruling | None:
    module = reading.subject.module
    for test in (n for n in ast.walk(reading.subject.node) if isinstance(n, ast.If | ast.IfExp)):
        for compare in (n for n in ast.walk(test.test) if isinstance(n, ast.Compare)):
            sides = [compare.left, *compare.comparators]
            fixed = [
                s
                for s in sides
                if isinstance(s, ast.Constant) and isinstance(s.value, str | int | bool) and s.value != ""
            ]
            asked = [s for s in sides if reading.kinds_at(s) & {COOKIE, HEADER}]
            if not fixed or not asked or not isinstance(compare.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn):
                continue
            if IDENTITY in reading.kinds_at(asked[0]):
                continue
            name = _named(reading, asked[0])
            value = str(fixed[0].value)
            cookie = COOKIE in reading.kinds_at(asked[0])
            if cookie:
                grants = bool(set(words(name)) & _RIGHTS or _POWER.search(value))
            else:
                from_where = bool(_ADDRESS.search(name) and _ADDRESSES.search(value))
                grants = not _OPEN.fullmatch(name) and (from_where or bool(_POWER.search(value)))
            if grants and not _TOKENS.search(name) and _guards_something(test):
                what = "cookie" if cookie else "header"
                return stands(
                    f"`{ast.unparse(compare)}` decides who is let in by the {what} `{name or '?'}`, which the client "
                    "writes itself, unsigned",
                    kind="decision", at=(module.location(compare),),
                )  # fmt: skip
    return None


def _guards_something(test: ast.If | ast.IfExp) -> bool:
    """Whether the branches give different answers."""
    if isinstance(test, ast.IfExp):
        return True
    return any(isinstance(n, ast.Return | ast.Raise | ast.Assign | ast.Call) for s in test.body for n in ast.walk(s))


def _by_a_record(reading: Reading) -> Ruling | None:
    """A user is found by an id in a cookie, without a secret beside it."""
    module = reading.subject.module
    for call in (n for n in ast.walk(reading.subject.node) if isinstance(n, ast.Call)):
        if getattr(call.func, "attr", "") not in {"get", "filter", "filter_by", "get_or_404", "get_object_or_404"}:
            continue
        asked = [
            k for k in call.keywords
            if k.arg and COOKIE in reading.kinds_at(k.value) and IDENTITY not in reading.kinds_at(k.value)
        ]  # fmt: skip
        secret = [k for k in call.keywords if k.arg and re.search(r"pass|otp|code|token|session|secret", k.arg, re.I)]
        known = asked and (_USER.match(str(asked[0].arg)) or _is_account(reading, call))
        if known and not secret:
            return stands(
                f"`{ast.unparse(call)}` takes who calls from a cookie, which the client writes itself: another id is another user",
                kind="decision", at=(module.location(call),),
            )  # fmt: skip
    return None


def _by_a_made_cookie(reading: Reading, project: Project) -> Ruling | None:
    """A cookie that names the user and holds no secret is read back as the proof of who it is, here or beside."""
    module = reading.subject.module
    here = _cookies_set(reading)
    for _, node in module.functions:
        other = reading if node is reading.subject.node else reading_of(Subject(module, node), project)
        for test in (n for n in ast.walk(node) if isinstance(n, ast.If)):
            if not other.says(test.test, COOKIE) or other.says(test.test, IDENTITY):
                continue
            name = _named(other, test.test)
            beside = here.get(name)
            own = node is reading.subject.node and _decoded(other, test.test)
            if name and (beside is not None or own) and _membership(test.test) and _decoded(other, test.test):
                at = (
                    (module.location(beside), module.location(test.test))
                    if beside is not None
                    else (module.location(test.test),)
                )
                return stands(
                    f"the cookie `{name}` names the user and carries no signature; `{ast.unparse(test.test)}` takes it as proof",
                    kind="decision", at=at,
                )  # fmt: skip
    return None


_USER = re.compile(r"^(?:\w*user\w*|e?mail|login|uid|account\w*)$", re.I)
_ACCOUNT = re.compile(r"^(?:password|passwd|pwd|pwd_hash|password_hash|hashed_password)$", re.I)


def _is_account(reading: Reading, call: ast.Call) -> bool:
    """Whether the rows have passwords."""
    index = reading.project.index
    for root in (n for n in ast.walk(call.func) if isinstance(n, ast.Name)):
        cls = index.classes.get(index.canonical(reading.subject.module.resolve(root) or ""))
        node = (
            next((n for _, n in reading.project.module(cls.path).classes if n.lineno == cls.line), None)
            if cls
            else None
        )
        if node is not None and any(
            isinstance(n, ast.Name) and _ACCOUNT.match(n.id) for s in node.body for n in ast.walk(s)
        ):
            return True
    return False


def _cookies_set(reading: Reading) -> dict[str, ast.Call]:
    found = {}
    for call in (n for n in ast.walk(reading.subject.node) if isinstance(n, ast.Call)):
        if getattr(call.func, "attr", "") == "set_cookie" and call.args and isinstance(call.args[0], ast.Constant):
            found[str(call.args[0].value)] = call
    return found


def _membership(test: ast.expr) -> bool:
    """`name in users`, `name == 'admin'`."""
    return any(isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.In | ast.Eq) for n in ast.walk(test))


def _decoded(reading: Reading, test: ast.expr) -> bool:
    """Whether the tested value was taken out of the cookie by splitting or decoding, without a key."""
    names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
    values: list[ast.AST] = [test, *(
        s.value for s in ast.walk(reading.subject.node)
        if isinstance(s, ast.Assign) and any(isinstance(t, ast.Name) and t.id in names for t in s.targets)
    )]  # fmt: skip
    return any(
        isinstance(n, ast.Attribute) and n.attr in {"split", "b64decode", "urlsafe_b64decode", "partition", "unquote"}
        for v in values
        for n in ast.walk(v)
    )
