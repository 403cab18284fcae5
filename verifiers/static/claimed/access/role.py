"""What an endpoint is there for: letting people in, or telling everybody the same."""

import ast
import re

from harness.schema.location import Location
from harness.source.project import Project
from verifiers.static.claimed.access.reading import CLIENT, IDENTITY, Reading
from verifiers.static.claimed.access.subject import Subject, reached
from verifiers.static.reading import chain, words

_LETS_IN = re.compile(
    r"(?:.*\.)?(?:authenticate|login_user|logout_user|check_password|check_password_hash|verify_password|create_user"
    r"|pwd_context\.verify|bcrypt\.checkpw|create_access_token|create_token|django\.contrib\.auth\.(?:login|logout))"
)
_PASSWORD = re.compile(r"^(?:password|passwd|passwort|pwd|pass)\d?$", re.I)
_PROOF = re.compile(r"^(?:password\d?|passwd|passwort|pwd|pass|otp|totp|one_?time_?\w+|pin)$", re.I)
_ACCOUNT_SQL = re.compile(r"^\s*INSERT\s+INTO\s+[\"`\w.]*(?:user|account|member)s?\b[^;]*\bpass", re.I | re.S)
_SESSION_ENDS = re.compile(r"(?:.*\bsession\.(?:pop|clear|flush|invalidate)|.*\.delete_cookie|.*\.unset_cookie)")


def lets_in(subject: Subject, reading: Reading, project: Project) -> tuple[Location, str] | None:
    """The place where it logs in or out, registers, or compares the password that the client gave."""
    module = subject.module
    if (
        set(words(subject.node.name)) & {"admin", "staff", "manage", "management"}
        and "login" not in subject.node.name.lower()
    ):
        return None
    for node in ast.walk(subject.node):
        if isinstance(node, ast.Call):
            name = module.resolve(node.func) or chain(node.func) or str(getattr(node.func, "attr", ""))
            if _LETS_IN.fullmatch(name):
                return module.location(node), f"`{ast.unparse(node.func)}` checks or makes an account"
            if _SESSION_ENDS.fullmatch(name) and len(subject.node.body) <= 6:
                return module.location(node), f"`{ast.unparse(node)}` ends a session"
            given: list[ast.AST] = [
                k for k in node.keywords if k.arg and _PROOF.match(k.arg) and reading.says(k.value, CLIENT)
            ]
            given += [a for a in node.args if _of_a_form(a) or (_password(a) and reading.says(a, CLIENT))]
            if given:
                return module.location(node), "the password or code of the client is looked up or stored for an account"
        if isinstance(node, ast.Compare) and len(node.comparators) == 1:
            sides = [node.left, node.comparators[0]]
            named = [s for s in sides if any(_password(n) for n in ast.walk(s))]
            empty = any(isinstance(s, ast.Constant) and s.value in {"", None} for s in sides)
            tells = not empty and not isinstance(node.ops[0], ast.Is | ast.IsNot)
            if named and tells and any(reading.says(s, CLIENT) for s in sides):
                return module.location(node), "the password of the client is compared"
        text = _text(node)
        if text and _ACCOUNT_SQL.match(text):
            return module.location(node), "it makes an account with the password that the client chose"
    return _resets(subject, project)


def _of_a_form(node: ast.expr) -> bool:
    """`form.password.data`, `request.form["password"]` is handed on."""
    text = ast.unparse(node)
    return bool(re.fullmatch(r"\w*form\.(?:password|passwd|pwd)\d?(?:\.data)?", text, re.I)) or (
        "request." in text and any(isinstance(n, ast.Constant) and _password(n) for n in ast.walk(node))
    )


_WAYS_IN = frozenset(
    {"register", "registration", "signup", "signin", "login", "logout", "confirm", "confirmation", "verify", "verification",
     "activate", "activation", "oauth", "sso", "saml", "forgot", "invite", "invitation", "accept", "unsubscribe"}
)  # fmt: skip


def named_a_way_in(subject: Subject) -> bool:
    """Whether the name says that it registers, confirms an address, or the like: such a link works without a login."""
    spoken = set(words(subject.node.name))
    return (
        bool(spoken & _WAYS_IN)
        or {"reset", "password"} <= spoken
        or {"sign", "up"} <= spoken
        or {"sign", "in"} <= spoken
    )


def _resets(subject: Subject, project: Project) -> tuple[Location, str] | None:
    """A password reset: it makes a token for an address, or takes one."""
    spoken = set(words(subject.node.name))
    if not spoken & {"reset", "forgot", "recover"} or "password" not in " ".join(_texts(subject)).lower():
        return None
    del project
    return subject.module.location(subject.node), "it is the way back in for who has lost the password"


def _texts(subject: Subject) -> list[str]:
    own = [n.value for n in ast.walk(subject.node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [subject.node.name.replace("_", " "), *own]


def _password(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(_PASSWORD.match(node.value))
    if isinstance(node, ast.Attribute):
        return bool(_PASSWORD.match(node.attr))
    return isinstance(node, ast.Name) and bool(_PASSWORD.match(node.id))


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(p.value) if isinstance(p, ast.Constant) else "?" for p in node.values)
    return ""


_READS = re.compile(
    r".*\.objects\b.*|.*\.query\b.*|.*\.(?:execute|fetchone|fetchall|find|find_one|scalars?|filter|filter_by|get_many|raw|all)"
)


def tells_everybody(subject: Subject, reading: Reading, project: Project) -> bool:
    """Whether the answer is made of fixed texts, templates and files with fixed names, with no record read on the way."""
    for one in reached(subject, project):
        for node in ast.walk(one.node):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                if _READS.fullmatch(name) or (isinstance(node.func, ast.Name) and _local(one, node.func.id)):
                    return False
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id.isupper():
                return False
    return not any(reading.says(n, IDENTITY) for n in ast.walk(subject.node) if isinstance(n, ast.Name | ast.Attribute))


def _local(subject: Subject, name: str) -> bool:
    """A call of a value that only this run of the function knows."""
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(subject.node)
    )
