"""A record that is found by an id of the client's choice: is it compared with who asks? CWE-639, CWE-863."""

import ast
import re
from typing import NamedTuple

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.claimed.access import trusted
from verifiers.static.claimed.access.application import answers, checks_of
from verifiers.static.claimed.access.guard import Checks, Guard, before
from verifiers.static.claimed.access.reading import (
    CLIENT,
    COOKIE,
    IDENTITY,
    Reading,
    by_a_stored_secret,
    gives_identity,
    hands_on,
)
from verifiers.static.claimed.access.subject import Subject, callee, module_of, subject_at
from verifiers.static.reading import tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_LOOKS = frozenset(
    {"get", "filter", "filter_by", "get_or_404", "first_or_404", "one", "find_one", "find", "delete_one", "update_one",
     "get_object_or_404", "where"}
)  # fmt: skip
_OWNER = re.compile(
    r"^(?:user|owner|author|creator|created_by|account|customer|member|profile|uploaded_by)(?:_?id|name)?$", re.I
)
_SECRET = re.compile(r"pass|otp|code|token|session|secret|pwd", re.I)
_ACCOUNT = re.compile(r"^(?:password|passwd|pwd|pwd_hash|password_hash|hashed_password)$", re.I)
_LOGIN = re.compile(r"log_?in|logged|auth|jwt|token|session|signed_in", re.I)
_ROLE = re.compile(r"admin|role|staff|superuser|permission|owner", re.I)


class Found(NamedTuple):
    """A look-up by what the client chose."""

    call: ast.Call
    entity: str
    """Dotted name of the class, '' when it does not show."""
    owner: tuple[Location, str] | None
    """The field that says whose it is; of an account, that it is one."""
    plain: tuple[Location, str] | None
    """The class, when all of its fields are known and none is an owner."""
    by_owner: bool
    """The identity of the session is among what it is found by."""


def falsify(finding: Finding, project: Project) -> Ruling:
    """CWE-639 and CWE-863."""
    module = module_of(finding, project)
    subject = subject_at(module, finding.line) if module is not None else None
    if module is None or subject is None:
        return cannot_tell("there is no function at this place")
    ruling = trusted.decision(subject, project, finding.line)
    return ruling if ruling.evidence else of(subject, project)


def of(subject: Subject, project: Project) -> Ruling:
    """Whether something of somebody is found by the client's id alone."""
    found_by, looked = checks_of(subject, project), []
    reading = found_by.reading
    for call in (n for n in ast.walk(subject.node) if isinstance(n, ast.Call)):
        one = _looked_up(subject, call, reading, project)
        if one is not None:
            looked.append(one)
    module = subject.module
    open_to = [f for f in looked if f.owner is not None and not f.by_owner]
    for one in open_to:
        ruling = _judged(one, subject, found_by, project)
        if ruling is not None:
            return ruling
    if open_to:
        return cannot_tell("whether this record belongs to somebody else does not show")
    if not looked:
        return _nothing(subject, reading, project)
    bound = next((f for f in looked if f.by_owner), None)
    if bound is not None:
        return falls(
            f"`{_short(bound.call)}` finds only what belongs to who asks",
            kind="owner",
            at=(module.location(bound.call),),
        )
    plain = [f.plain for f in looked if f.plain is not None]
    if len(plain) == len(looked):
        return falls(
            f"what is found by the id belongs to nobody: {plain[0][1]}", kind="owner",
            at=(module.location(looked[0].call), plain[0][0]),
        )  # fmt: skip
    return cannot_tell("whether what is found belongs to somebody does not show")


def _judged(one: Found, subject: Subject, found_by: Checks, project: Project) -> Ruling | None:
    module = subject.module
    assert one.owner is not None
    mine = compared(subject, found_by.reading)
    guard = found_by.covering(one.call) or found_by.whole() or before(subject, project)
    if mine is not None:
        return falls(f"`{ast.unparse(mine)}` compares with who asks", kind="owner", at=(module.location(mine),))
    if guard is not None and _ROLE.search(guard.says):
        return falls(f"`{guard.says}` lets in only those whose role it is", kind="owner", at=(guard.at,))
    if guard is None or answers(subject, project) is None or _asks_more(guard, subject):
        return None
    return stands(
        f"`{_short(one.call)}` finds it by what the client sends; {one.owner[1]}, and nothing compares that with who asks "
        f"(known by `{guard.says}`)",
        kind="owner", at=(module.location(one.call), one.owner[0], guard.at),
    )  # fmt: skip


def _asks_more(guard: Guard, subject: Subject) -> bool:
    """Whether the guard is one of the project's own that may ask more than who it is, or the body asks for a role."""
    own = guard.says.startswith("@") and not _LOGIN.search(guard.says)
    return own or any(isinstance(n, ast.Call) and _ROLE.search(tail(n.func)) for n in ast.walk(subject.node))


def _nothing(subject: Subject, reading: Reading, project: Project) -> Ruling:
    """No look-up by the client's choice."""
    module = subject.module
    for call in (n for n in ast.walk(subject.node) if isinstance(n, ast.Call)):
        given = [*call.args, *(k.value for k in call.keywords)]
        if by_a_stored_secret(call) or any(reading.says(g, IDENTITY) for g in given):
            continue  # who asks is among what it goes by
        if any(reading.says(g, CLIENT) for g in given) and (_reads_by(call) or callee(module, call, project)):
            return cannot_tell("what the client sends goes into a look-up that does not show")
        if hands_on(reading, call):
            return cannot_tell("what the client sends goes to a function that does not show")
    for node in ast.walk(subject.node):
        if (
            isinstance(node, ast.Subscript)
            and reading.says(node.slice, CLIENT)
            and not reading.says(node.value, CLIENT)
        ):
            return cannot_tell("a table is read by what the client sends")
    return falls(
        "no record is found by an id that the client sends: there is no object here to take from another user",
        kind="operation", at=(module.location(subject.node),),
    )  # fmt: skip


def _reads_by(call: ast.Call) -> bool:
    return getattr(call.func, "attr", "") in {
        *_LOOKS,
        "execute",
        "raw",
        "fetch",
        "fetchrow",
        "open",
    } and not _of_a_request(call)


def _of_a_request(call: ast.Call) -> bool:
    """`request.args.get(...)`, `data.get(...)`."""
    return getattr(call.func, "attr", "") == "get" and not call.keywords and len(call.args) <= 2


def _looked_up(subject: Subject, call: ast.Call, reading: Reading, project: Project) -> Found | None:
    last = getattr(call.func, "attr", getattr(call.func, "id", ""))
    words = [k for k in call.keywords if k.arg]
    chosen = [k for k in words if reading.says(k.value, CLIENT)]
    by_owner = any(reading.says(k.value, IDENTITY) for k in words)
    if last in _LOOKS and chosen:
        if any(_SECRET.search(str(k.arg)) for k in words):
            return None  # an account by its password: a login
        if any(reading.says(k.value, COOKIE) for k in chosen) and by_owner:
            by_owner = False
        return _found(call, _entity(subject.module, call, project), by_owner, project)
    other = callee(subject.module, call, project)
    given = [*call.args, *(k.value for k in call.keywords)]
    secret = any(_SECRET.search(ast.unparse(g)) for g in given) or (
        other is not None and gives_identity(other, project)
    )
    if other is not None and not secret and _by_name(call) and any(reading.says(g, CLIENT) for g in given):
        class_name = other.name.rpartition(".")[0]
        if class_name in project.index.classes and _looks_by_parameter(other):
            bound = any(reading.says(g, IDENTITY) for g in given)
            return _found(call, class_name, bound, project)
    return None


def _by_name(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute)


def _looks_by_parameter(subject: Subject) -> bool:
    """Whether a method of a record finds, changes or deletes one by what it is given."""
    text = ast.unparse(subject.node)
    return bool(re.search(r"\bWHERE\b|filter(?:_by)?\(|\.get\(|find_one\(|delete_one\(|INSERT INTO", text, re.I))


def _entity(module: Module, call: ast.Call, project: Project) -> str:
    """The class on whose rows the call works: `Book.query.filter_by(...)`, `get_object_or_404(Book, ...)`."""
    roots: list[ast.expr] = [n for n in ast.walk(call.func) if isinstance(n, ast.Name)]
    roots += [a for a in call.args[:1] if isinstance(a, ast.Name)]
    for root in roots:
        name = project.index.canonical(module.resolve(root) or "")
        if name in project.index.classes:
            return name
    return ""


def _found(call: ast.Call, entity: str, by_owner: bool, project: Project) -> Found:
    cls = project.index.classes.get(entity)
    if cls is None:
        return Found(call, entity, None, None, by_owner)
    home = project.module(cls.path)
    node = next((n for q, n in home.classes if n.lineno == cls.line), None)
    fields: list[tuple[str, ast.stmt]] = []
    for statement in node.body if node is not None else ():
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            fields.append((statement.target.id, statement))
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            fields.append((statement.targets[0].id, statement))
    name = entity.rpartition(".")[2]
    for field, statement in fields:
        if _ACCOUNT.match(field):
            return Found(
                call, entity, (home.location(statement), f"`{name}` is an account with a password"), None, by_owner
            )
    for field, statement in fields:
        if _OWNER.match(field):
            return Found(call, entity, (home.location(statement), f"`{name}.{field}` says whose it is"), None, by_owner)
    plain = None
    if fields and node is not None:
        shown = ", ".join(f for f, _ in fields[:8] if not f.startswith("_"))
        plain = (home.location(node), f"`{name}` has {shown} and no owner")
    return Found(call, entity, None, plain, by_owner)


def compared(subject: Subject, reading: Reading) -> ast.AST | None:
    """A comparison of something with the identity of the session, or a test of its role, whose branch decides."""
    for test in (n for n in ast.walk(subject.node) if isinstance(n, ast.If | ast.IfExp | ast.Assert)):
        for node in ast.walk(test.test):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn):
                sides = [node.left, *node.comparators]
                known = [s for s in sides if reading.says(s, IDENTITY) and not isinstance(s, ast.Constant)]
                others = [s for s in sides if s not in known and not isinstance(s, ast.Constant)]
                if known and others and not isinstance(node.left, ast.Constant):
                    return node
            if isinstance(node, ast.Attribute) and _ROLE.search(node.attr) and reading.says(node.value, IDENTITY):
                return node
    return None


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 90 else text[:87] + "..."
