"""Fields that a client may set although they decide what it may do: CWE-915, CWE-269."""

import ast
import re

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.claimed.access.application import reading_of
from verifiers.static.claimed.access.reading import CLIENT, Reading, hands_on
from verifiers.static.claimed.access.subject import Subject, module_of, subject_at
from verifiers.static.reading import chain, tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_POWER = re.compile(
    r"^(?:is_?)?(?:admin|staff|superuser|root|moderator|verified|approved)$|^(?:roles?|permissions?|privileges?|groups?|user_type|account_type)$",
    re.I,
)
_STORES = re.compile(
    r"(?:^|\.)(?:create|insert|insert_one|update_one|update_or_create|get_or_create|create_user)$"
    r"|(?:objects|query|filter|filter_by|where|all|collection|table)\b[^.]*\.update$"
)
"""A plain `update` may be that of a dictionary."""
_RECORDS = re.compile(r"(?:^|\.)(?:Model|Base|Document|SQLModel|DeclarativeBase|EmbeddedDocument)$")


def falsify(finding: Finding, project: Project) -> Ruling:
    """Whether a field is set by a name that the client sends, or a field of power by its value."""
    module = module_of(finding, project)
    subject = subject_at(module, finding.line) if module is not None else None
    if module is None or subject is None:
        return cannot_tell("there is no function at this place")
    ruling = chosen(subject, project)
    if ruling.evidence:
        return ruling
    reading = reading_of(subject, project)
    calls = [n for n in ast.walk(subject.node) if isinstance(n, ast.Call)]
    if any(hands_on(reading, c) for c in calls):
        return cannot_tell("what it hands on may set attributes")
    if not any(_makes(subject, n) for n in ast.walk(subject.node)):
        return falls(
            "it makes no record and sets no attribute from what the client sends", kind="operation",
            at=(module.location(subject.node),),
        ) if _no_writes(subject, reading) else cannot_tell("what it hands on may set attributes")  # fmt: skip
    return cannot_tell("which fields the record takes does not show")


def _makes(subject: Subject, node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    name = subject.module.resolve(node.func) or str(getattr(node.func, "attr", ""))
    last = name.rpartition(".")[2]
    return (
        any(k.arg is None for k in node.keywords) or last == "setattr" or bool(_STORES.search(ast.unparse(node.func)))
    )


def _no_writes(subject: Subject, reading: Reading) -> bool:
    """No constructor of the project takes the client's data either."""
    for call in (n for n in ast.walk(subject.node) if isinstance(n, ast.Call)):
        name = subject.module.resolve(call.func) or ""
        cls = reading.project.index.classes.get(reading.project.index.canonical(name))
        if cls is not None and any(reading.says(a, CLIENT) for a in [*call.args, *(k.value for k in call.keywords)]):
            return False
    return True


def power(finding: Finding, project: Project) -> Ruling:
    """Whether the client decides a field of power (CWE-266, CWE-269): a login that is missing is another defect."""
    module = module_of(finding, project)
    subject = subject_at(module, finding.line) if module is not None else None
    if subject is None:
        return cannot_tell("there is no function at this place")
    return chosen(subject, project, by_name=False)


def chosen(subject: Subject, project: Project, *, by_name: bool = True) -> Ruling:
    """Confirmed where the client sets a field of power, or, with `by_name`, whichever fields it names."""
    reading = reading_of(subject, project)
    module = subject.module
    for node in ast.walk(subject.node):
        if not isinstance(node, ast.Call):
            continue
        name = module.resolve(node.func) or chain(node.func)
        made = project.index.classes.get(project.index.canonical(name))
        kept = made is not None and any(_RECORDS.search(b) for b in made.bases)
        stores = kept or bool(_STORES.search(ast.unparse(node.func)))
        for word in node.keywords:
            if by_name and word.arg is None and stores and _whole(reading, word.value):
                return stands(
                    f"`{_short(node)}` takes every field that the client sends",
                    kind="assignment",
                    at=(module.location(node),),
                )
            if stores and word.arg and _POWER.match(word.arg):
                decided = _decided(subject, reading, word.value)
                if decided is not None:
                    return stands(
                        f"the client decides `{word.arg}` of the record: `{_short(node)}`", kind="assignment",
                        at=(module.location(node), module.location(decided)),
                    )  # fmt: skip
        key = node.args[1] if name.rpartition(".")[2] == "setattr" and len(node.args) == 3 else None
        if by_name and key is not None and reading.says(key, CLIENT) and not _listed(subject, node):
            return stands(
                f"`{_short(node)}` sets whichever attribute the client names",
                kind="assignment",
                at=(module.location(node),),
            )
    return cannot_tell("no field is set by what the client sends")


def _whole(reading: Reading, value: ast.expr) -> bool:
    """The body of the request itself, not a dict that was made from parts of it, nor the fields that a form declares."""
    if isinstance(value, ast.Attribute):
        of_form = value.attr == "data" and tail(value.value) not in {"request", "req"}
        if of_form or value.attr in {"cleaned_data", "validated_data"}:
            return False
    if isinstance(value, ast.Name):
        return reading.says(value, CLIENT) and not any(
            isinstance(n, ast.Assign) and isinstance(n.value, ast.Dict | ast.DictComp)
            and any(isinstance(t, ast.Name) and t.id == value.id for t in n.targets)
            for n in ast.walk(reading.subject.node)
        )  # fmt: skip
    return isinstance(value, ast.Call | ast.Attribute | ast.Await) and reading.says(value, CLIENT)


def _decided(subject: Subject, reading: Reading, value: ast.expr) -> ast.AST | None:
    """Where the client's data is, or decides by a branch, what a value is."""
    if reading.says(value, CLIENT):
        return value
    if not isinstance(value, ast.Name):
        return None
    tests = []
    for test in (n for n in ast.walk(subject.node) if isinstance(n, ast.If)):
        sets = [
            s for block in (test.body, test.orelse) for s in block
            if isinstance(s, ast.Assign) and any(isinstance(t, ast.Name) and t.id == value.id for t in s.targets)
        ]  # fmt: skip
        if sets and reading.says(test.test, CLIENT):
            tests.append(test.test)
    return tests[0] if tests else None


def _listed(subject: Subject, node: ast.AST) -> bool:
    """Whether a test of the name against a list stands around it."""
    for up in subject.module.ancestors(node):
        if isinstance(up, ast.If) and any(isinstance(n, ast.In | ast.NotIn) for n in ast.walk(up.test)):
            return True
        if up is subject.node:
            break
    return False


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 90 else text[:87] + "..."
