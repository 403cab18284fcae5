"""Sessions: ids that the client chose (CWE-384) and state that visitors share (CWE-488)."""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.claimed.access.application import reading_of
from verifiers.static.claimed.access.effects import CHANGES, effects
from verifiers.static.claimed.access.reading import CLIENT, COOKIE
from verifiers.static.claimed.access.subject import Subject, module_of, subject_at
from verifiers.static.reading import chain
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_SESSION = re.compile(r"sess(?:ion)?_?(?:id|key|token)?|sid|phpsessid|jsessionid", re.I)
_RENEWS = re.compile(
    r"(?:.*\.)?(?:cycle_key|regenerate|rotate|renew|invalidate|new_session|flush)|django\.contrib\.auth\.login"
)
_IDENTITY_KEY = re.compile(r"user|uid|account|logged|auth|admin|login", re.I)


def falsify(finding: Finding, project: Project) -> Ruling:
    """CWE-384."""
    module = module_of(finding, project)
    subject = subject_at(module, finding.line) if module is not None else None
    if module is None or subject is None:
        return cannot_tell("there is no function at this place")
    reading = reading_of(subject, project)
    for node in ast.walk(subject.node):
        if isinstance(node, ast.Call):
            name = module.resolve(node.func) or chain(node.func)
            if _RENEWS.fullmatch(name):
                return falls(
                    f"`{ast.unparse(node)}` gives the session a new id", kind="operation", at=(module.location(node),)
                )
    for node in ast.walk(subject.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            target = node.targets[0]
            key = target.slice.value if isinstance(target.slice, ast.Constant) else ""
            if _SESSION.fullmatch(str(key)) and reading.says(target.value, COOKIE) and reading.says(node.value, CLIENT):
                return stands(
                    f"`{ast.unparse(node)}` makes the id that the client sent that of the session", kind="session",
                    at=(module.location(node),),
                )  # fmt: skip
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "set_cookie" and len(node.args) > 1:
            key = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
            if _SESSION.fullmatch(str(key)) and reading.says(node.args[1], CLIENT) and not _made(subject, node.args[1]):
                return stands(
                    f"`{ast.unparse(node)}` makes what the client sent the id of the session", kind="session",
                    at=(module.location(node),),
                )  # fmt: skip
    for effect in effects(subject, project):
        bound = _bound(effect.node, module) if effect.within.node is subject.node and effect.kind == CHANGES else None
        if bound is not None and any(_is_cookie(reading.kinds(a)) for a in bound):
            return stands(
                f"`{effect.says}` binds the session id that the client brought to the account, without a new one", kind="session",
                at=(effect.at,),
            )  # fmt: skip
    return _kept(module, subject, project)


def _is_cookie(kinds: frozenset[str]) -> bool:
    return COOKIE in kinds


def _bound(node: ast.AST, module: Module) -> list[ast.expr] | None:
    """What is written beside a column for session ids."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if not re.search(r"\bSET\b.*?\b\w*(?:session|sid)\w*\s*=", node.value, re.I | re.S):
            return None
        for up in module.ancestors(node):
            if isinstance(up, ast.Call):
                return [n for a in up.args[1:] for n in (a.elts if isinstance(a, ast.Tuple | ast.List) else [a])]
    if isinstance(node, ast.Call):
        return [k.value for k in node.keywords if k.arg and _SESSION.fullmatch(k.arg)] or None
    return None


def _made(subject: Subject, value: ast.expr) -> bool:
    """Whether the value is made new in the function from random or hashed parts."""
    names = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    texts = [
        ast.unparse(s.value) for s in ast.walk(subject.node)
        if isinstance(s, ast.Assign) and any(isinstance(t, ast.Name) and t.id in names for t in s.targets)
    ]  # fmt: skip
    return any(
        re.search(r"uuid|secrets|token|urandom|random|encode|sign|now\(", t) for t in [*texts, ast.unparse(value)]
    )


def _kept(module: Module, subject: Subject, project: Project) -> Ruling:
    """Identity written into the session that was there before."""
    for node in ast.walk(subject.node):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Subscript):
            continue
        target = node.targets[0]
        key = target.slice.value if isinstance(target.slice, ast.Constant) else ""
        holder = chain(target.value)
        roots = {t.partition(".")[0] for t in module.imports.values()}
        in_cookie = bool(roots & {"flask", "quart", "starlette", "fastapi"})
        stored = _server_side(project)
        if holder.rpartition(".")[2] == "session" and _IDENTITY_KEY.search(str(key)):
            if in_cookie == stored and "django" not in roots:
                return cannot_tell("where the session is kept does not show")
            if in_cookie:
                return falls(
                    "the session is the signed cookie itself: there is no id that could be fixed beforehand", kind="session",
                    at=(module.location(node),),
                )  # fmt: skip
            return stands(
                f"`{ast.unparse(node)}` logs in within the session that was there before, which keeps its id", kind="session",
                at=(module.location(node),),
            )  # fmt: skip
    return cannot_tell("no session is bound to a user here")


def _server_side(project: Project) -> bool:
    """Whether sessions are kept by the server under an id, by what the project imports."""
    pattern = re.compile(rb"flask_session|RedisStorage|MemcachedStorage|redis_storage|memcached_storage")
    return any(True for _ in project.modules_matching(pattern))


def shared(finding: Finding, project: Project) -> Ruling:
    """CWE-488: an object of the class that every request of every visitor changes."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the file is no module that parses")
    for _, cls in module.classes:
        if not cls.lineno <= finding.line <= (cls.end_lineno or cls.lineno):
            continue
        if not any(re.search(r"Handler|View|Resource|Endpoint", chain(b)) for b in cls.bases):
            continue
        for statement in cls.body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                continue
            name = statement.targets[0].id
            if isinstance(statement.value, ast.Dict | ast.List | ast.Set | ast.Call):
                changed = _changed(cls, name)
                if changed is not None:
                    return stands(
                        f"`{name}` is made once for the class, and `{ast.unparse(changed)}` fills it from one request for all",
                        kind="session", at=(module.location(statement), module.location(changed)),
                    )  # fmt: skip
    return cannot_tell("no state that visitors share shows here")


def _changed(cls: ast.ClassDef, name: str) -> ast.AST | None:
    """Where a method changes the object of the class in place, when no method makes one for the instance."""
    changed: ast.AST | None = None
    for node in ast.walk(cls):
        if isinstance(node, ast.Assign) and any(chain(t) == f"self.{name}" for t in node.targets):
            return None
        stored = isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Subscript) and chain(t.value) == f"self.{name}" for t in node.targets
        )
        filled = (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and chain(node.func.value) == f"self.{name}"
            and node.func.attr in {"load", "update", "append", "add", "setdefault", "extend", "pop", "clear"}
        )
        changed = changed or (node if stored or filled else None)
    return changed
