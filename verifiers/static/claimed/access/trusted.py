"""Decisions by what a client can write itself: unsigned cookies and headers. CWE-565, CWE-807, CWE-290, CWE-639, CWE-287."""

import ast
import re

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.claimed.access.reading import COOKIE, HEADER, IDENTITY, Reading, read
from verifiers.static.claimed.access.subject import Subject, module_of, subject_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_POWER = re.compile(r"admin|role|user|auth|logged|login|staff|super|member|account|uid|permission|priv", re.I)
_ADDRESS = re.compile(r"forwarded|real_?ip|client_?ip|x-host|host|user_?agent|referer|origin", re.I)
_TOKENS = re.compile(r"csrf|lang|locale|theme|tz|timezone|consent|authorization|api_?key|token|content|accept", re.I)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirmed at the test; dismissed when nothing of a cookie or header is read around the place."""
    module = module_of(finding, project)
    subject = subject_at(module, finding.line) if module is not None else None
    if module is None or subject is None:
        return cannot_tell("there is no function at this place")
    ruling = decision(subject, project)
    if ruling.evidence:
        return ruling
    reading = read(subject, project, endpoint=True)
    if not any(reading.says(n, k) for n in ast.walk(subject.node) for k in (COOKIE, HEADER) if isinstance(n, ast.Attribute)):
        return falls(
            "no cookie and no header is read here, nor by what it calls", kind="operation", at=(module.location(subject.node),)
        ) if not _writes_cookie(subject) else cannot_tell("it sets a cookie; who reads it does not show")  # fmt: skip
    return cannot_tell("whether the cookie or header decides anything does not show")


def _writes_cookie(subject: Subject) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr == "set_cookie" for n in ast.walk(subject.node))


def decision(subject: Subject, project: Project) -> Ruling:
    """Confirmed where an unsigned cookie or a header is what tells an administrator or a user."""
    reading = read(subject, project, endpoint=True)
    for found in (_by_a_test(reading), _by_a_record(reading), _by_a_made_cookie(reading, project)):
        if found is not None:
            return found
    return cannot_tell("no decision by a cookie or header")


def _named(reading: Reading, node: ast.AST) -> str:
    """The name of the cookie or header that an expression goes back to, '' when it does not show."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    values: list[ast.AST] = [node]
    for _ in range(3):
        for statement in ast.walk(reading.subject.node):
            if isinstance(statement, ast.Assign) and statement.value not in values:
                if any(isinstance(t, ast.Name) and t.id in names for t in statement.targets):
                    values.append(statement.value)
                    names |= {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
    for value in values:
        for part in ast.walk(value):
            key: ast.AST | None = None
            if isinstance(part, ast.Subscript):
                holder, key = part.value, part.slice
            elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "get" and part.args:
                holder, key = part.func.value, part.args[0]
            else:
                continue
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(holder, ast.Attribute):
                if reading.kinds(holder) & {COOKIE, HEADER}:
                    return key.value
    return ""


def _by_a_test(reading: Reading) -> Ruling | None:
    module = reading.subject.module
    for test in (n for n in ast.walk(reading.subject.node) if isinstance(n, ast.If | ast.IfExp)):
        for compare in (n for n in ast.walk(test.test) if isinstance(n, ast.Compare)):
            sides = [compare.left, *compare.comparators]
            fixed = [s for s in sides if isinstance(s, ast.Constant) and isinstance(s.value, str | int | bool) and s.value != ""]
            asked = [s for s in sides if reading.kinds(s) & {COOKIE, HEADER}]
            if not fixed or not asked or not isinstance(compare.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn):
                continue
            if reading.says(asked[0], IDENTITY):
                continue
            name = _named(reading, asked[0])
            value = str(fixed[0].value)
            cookie = reading.says(asked[0], COOKIE)
            grants = bool(_POWER.search(f"{name} {value}")) if cookie else bool(_ADDRESS.search(name) or _POWER.search(value))
            if grants and not _TOKENS.search(name) and _guards_something(test):
                what = "cookie" if cookie else "header"
                return stands(
                    f"`{ast.unparse(compare)}` decides who is let in by the {what} `{name or '?'}`, which the client writes itself: "
                    "it is not signed",
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
        asked = [k for k in call.keywords if k.arg and reading.says(k.value, COOKIE) and not reading.says(k.value, IDENTITY)]
        secret = [k for k in call.keywords if k.arg and re.search(r"pass|otp|code|token|session|secret", k.arg, re.I)]
        if asked and not secret and re.search(r"^(?:pk|id|\w*user\w*|email|login|uid|account\w*)$", str(asked[0].arg), re.I):
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
        other = reading if node is reading.subject.node else read(Subject(module, node), project, endpoint=True)
        for test in (n for n in ast.walk(node) if isinstance(n, ast.If)):
            if not other.says(test.test, COOKIE) or other.says(test.test, IDENTITY):
                continue
            name = _named(other, test.test)
            beside = here.get(name)
            own = node is reading.subject.node and _decoded(other, test.test)
            if name and (beside is not None or own) and _membership(test.test) and _decoded(other, test.test):
                at = (module.location(beside), module.location(test.test)) if beside is not None else (module.location(test.test),)
                return stands(
                    f"the cookie `{name}` names the user and carries no signature; `{ast.unparse(test.test)}` takes it as proof",
                    kind="decision", at=at,
                )  # fmt: skip
    return None


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

