"""What a function does that matters: changes of stored data, commands that run, secrets that it hands out."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.schema.location import Location
from harness.source.project import Project
from verifiers.static.claimed.access.reading import Reading
from verifiers.static.claimed.access.subject import Subject, callee, reached
from verifiers.static.reading import chain

CHANGES, DESTROYS, RUNS, UNKNOWN = "changes stored data", "deletes stored data", "runs code or commands", "may run code"
_SQL = re.compile(
    r"^\s*(?:(INSERT\s+INTO|REPLACE\s+INTO|UPDATE\s+\S+\s+SET)|(DELETE\s+FROM|DROP\s+\w+|TRUNCATE\b))", re.IGNORECASE
)
_CHANGE = frozenset(
    {"insert_one", "insert_many", "update_one", "update_many", "replace_one", "bulk_create", "bulk_update", "create_all",
     "update_or_create", "get_or_create", "create_user", "create_superuser", "write_text", "write_bytes", "set_password",
     "executemany", "executescript"}
)  # fmt: skip
_DESTROY = frozenset({"delete_one", "delete_many", "drop_all", "drop_collection", "drop_database", "rmtree", "unlink"})
_FILES = frozenset({"os.remove", "os.unlink", "os.rename", "os.rmdir", "os.replace", "shutil.rmtree", "shutil.move"})
_COMMANDS = re.compile(r"subprocess\.\w+|os\.(?:system|popen|exec\w+|spawn\w+)|(?:builtins\.)?(?:eval|exec)|pty\.spawn")
_QUERY = re.compile(r"\.query\b|\bquery\(")
_LOADS = re.compile(
    r"(?:c?[Pp]ickle|dill|marshal|shelve|jsonpickle)\.(?:loads?|decode)|yaml\.(?:unsafe_|full_)?load(?:_all)?|.*\.eval|.*render_template_string"
)
SECRET = re.compile(
    r"^(?:password|passwd|pwd|pwd_hash|password_hash|ssn|social_security\w*|credit_?card\w*|card_number|cvv|api_?key|secret\w*|private_key|access_token)$",
    re.I,
)


class Effect(NamedTuple):
    """One thing that is done."""

    kind: str
    at: Location
    says: str
    within: Subject
    node: ast.AST


def effects(subject: Subject, project: Project, *, loosely: bool = False) -> list[Effect]:
    """In the function, then in those that it calls; `loosely` as for `reached`: what may happen."""
    found: list[Effect] = []
    for one in reached(subject, project, loosely=loosely):
        found += _own(one)
    return found


def _own(subject: Subject) -> Iterator[Effect]:
    executes = any(
        getattr(c.func, "attr", "") in {"execute", "executemany", "execute_sql"} for c in _calls(subject.node)
    )
    passed = {id(a) for c in _calls(subject.node) for a in ast.walk(c)}
    described = {id(s.value) for s in ast.walk(subject.node) if isinstance(s, ast.Expr)}
    for node in ast.walk(subject.node):
        if isinstance(node, ast.Call):
            kind = _of_a_call(subject, node)
            if kind:
                yield Effect(kind, subject.module.location(node), _short(node), subject, node)
        text = _text(node) if id(node) not in described else ""
        found = _SQL.match(text) if text else None
        if found is not None and (executes or id(node) in passed or _stored_in_a_name(subject, node)):
            kind = CHANGES if found.group(1) else DESTROYS
            yield Effect(kind, subject.module.location(node), " ".join(found.group(0).split()), subject, node)


def _stored_in_a_name(subject: Subject, node: ast.AST) -> bool:
    """A text that is kept in a variable which is handed on."""
    statement = subject.module.statement(node)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    name = statement.targets[0].id
    return any(isinstance(a, ast.Name) and a.id == name for c in _calls(subject.node) for a in c.args)


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
        return str(node.values[0].value)
    return ""


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (n for n in ast.walk(node) if isinstance(n, ast.Call))


def _of_a_call(subject: Subject, call: ast.Call) -> str:
    name = subject.module.resolve(call.func) or ""
    last = getattr(call.func, "attr", name)
    if name in _FILES or last in _DESTROY:
        return DESTROYS
    if _COMMANDS.fullmatch(name):
        return RUNS
    if name in {"open", "io.open"} or last == "open":
        mode = next((k.value for k in call.keywords if k.arg == "mode"), call.args[1] if len(call.args) > 1 else None)
        return CHANGES if isinstance(mode, ast.Constant) and re.search(r"[wax+]", str(mode.value)) else ""
    if last in _CHANGE:
        return CHANGES
    if _LOADS.fullmatch(name):
        return UNKNOWN
    if last == "commit" and not call.args and _sets_fields(subject):
        return CHANGES
    return _of_a_model(call, last) if isinstance(call.func, ast.Attribute) else ""


def _sets_fields(subject: Subject) -> bool:
    """Whether the function sets an attribute of a record that it found by a query."""
    found = {
        t.id for s in ast.walk(subject.node) if isinstance(s, ast.Assign) and _QUERY.search(ast.unparse(s.value))
        for t in s.targets if isinstance(t, ast.Name)
    }  # fmt: skip
    return any(
        isinstance(n, ast.Attribute)
        and isinstance(n.ctx, ast.Store)
        and isinstance(n.value, ast.Name)
        and n.value.id in found
        for n in ast.walk(subject.node)
    )


def _of_a_model(call: ast.Call, last: str) -> str:
    assert isinstance(call.func, ast.Attribute)
    owner = ast.unparse(call.func.value)
    stored = bool(re.search(r"\.objects\b|\.query\b|\bquery\(|\.filter(?:_by)?\(|_set\b", owner))
    if (
        last == "delete"
        and (stored or not call.args)
        and not owner.endswith(("client", "requests", "cache", "session"))
    ):
        return DESTROYS
    if last in {"update", "create", "insert"} and stored:
        return CHANGES
    if last == "save" and not call.args and not owner.endswith("session"):
        return CHANGES
    if last in {"add", "add_all", "merge", "delete"} and re.search(r"(?:^|\.)(?:session|db|connection|conn)$", owner):
        return CHANGES
    return ""


def disclosed(subject: Subject, project: Project) -> Effect | None:
    """A secret of a stored record that the answer holds: a dict of the function with it from a record, or its own keys."""
    for one in reached(subject, project):
        for node in ast.walk(one.node):
            if not isinstance(node, ast.Dict) or not _answered(one, node):
                continue
            for key, value in zip(node.keys, node.values, strict=True):
                if (
                    isinstance(key, ast.Constant)
                    and SECRET.match(str(key.value))
                    and isinstance(value, ast.Attribute)
                    and SECRET.match(value.attr)
                ):
                    return Effect("hands out secrets", one.module.location(node), ast.unparse(value), one, node)
    return None


def _answered(subject: Subject, node: ast.Dict) -> bool:
    """Whether the dict goes into what the function returns: directly, or collected in a list that is returned."""
    statement = subject.module.statement(node)
    if isinstance(statement, ast.Return):
        return True
    names = set()
    if isinstance(statement, ast.Assign):
        names = {t.id for t in statement.targets if isinstance(t, ast.Name)}
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if isinstance(function, ast.Attribute) and function.attr in {"append", "add"}:
            names = {chain(function.value)}
    returned = [n for r in ast.walk(subject.node) if isinstance(r, ast.Return) and r.value for n in ast.walk(r.value)]
    return any(isinstance(n, ast.Name) and n.id in names for n in returned)


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 80 else text[:77] + "..."


def driven(effect: Effect, reading: Reading) -> frozenset[str]:
    """What the thing that is done goes by: the client's data, the identity; nothing for fixed values alone."""
    subject, node = reading.subject, effect.node
    if effect.within.node is not subject.node:
        calls = [c for c in _calls(subject.node) if callee(subject.module, c, reading.project)]
        return _of_all(reading, [a for c in calls for a in [*c.args, *(k.value for k in c.keywords)]])
    if not isinstance(node, ast.Call):
        node = next(
            (u for u in subject.module.ancestors(node) if isinstance(u, ast.Call)), subject.module.statement(node)
        )
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "commit":
        stored = [n for n in ast.walk(subject.node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)]
        return _of_all(reading, [n.value for n in stored])
    return reading.kinds_at(node)


def _of_all(reading: Reading, parts: list[ast.expr]) -> frozenset[str]:
    return frozenset().union(*(reading.kinds_at(p) for p in parts))
