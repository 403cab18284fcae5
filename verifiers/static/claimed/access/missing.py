"""A login or permission that is said to be missing: CWE-306, CWE-862, CWE-284, CWE-285 and their kin."""

import ast

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.schema.verdict import Verdict
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.claimed.access import owner, privilege, trusted
from verifiers.static.claimed.access.application import Application, Protection, answers, application
from verifiers.static.claimed.access.effects import CHANGES, DESTROYS, RUNS, UNKNOWN, Effect, disclosed, effects
from verifiers.static.claimed.access.guard import before, checks, idle
from verifiers.static.claimed.access.reading import CLIENT, IDENTITY
from verifiers.static.claimed.access.role import lets_in, tells_everybody
from verifiers.static.claimed.access.subject import Subject, module_of, subject_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def login(finding: Finding, project: Project) -> Ruling:
    """Nobody asks who calls (CWE-306)."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the file is no module that parses")
    subject = subject_at(module, finding.line)
    if subject is None:
        return outside(module, finding, project)
    return _login(subject, project)


def permission(finding: Finding, project: Project) -> Ruling:
    """Nobody asks whether the caller may (CWE-862 and the classes above it): login, then owner, then what is trusted."""
    module = module_of(finding, project)
    subject = subject_at(module, finding.line) if module is not None else None
    if module is None or subject is None:
        return outside(module, finding, project) if module is not None else cannot_tell("the file is no module that parses")
    for decide in (trusted.decision, privilege.chosen, owner.of):
        ruling = decide(subject, project)
        if ruling.verdict is Verdict.CONFIRMED:
            return ruling
    ruling = _login(subject, project)
    if ruling.verdict is not Verdict.DISMISSED or not _only_who(ruling):
        return ruling
    own = owner.of(subject, project)
    if own.verdict is Verdict.DISMISSED and _only_own(subject, project):
        return own
    return cannot_tell("it asks who calls; whether every user may do this, the code does not say")


def _only_who(ruling: Ruling) -> bool:
    return bool(ruling.evidence) and ruling.evidence[0].kind == "guard"


def _only_own(subject: Subject, project: Project) -> bool:
    """Whether all that changes is found by the identity of the session, or a test of the role stands before it."""
    found = checks(subject, project, endpoint=True)
    done = [e for e in effects(subject, project) if e.within.node is subject.node]
    return bool(done) and all(found.covering(e.node) is not None for e in done)


def _login(subject: Subject, project: Project) -> Ruling:
    module, node = subject
    known = application(project)
    entry = answers(subject, project)
    here = module.location(node)
    found = checks(subject, project, endpoint=True)
    hollow = idle(subject, project)
    if hollow is not None:
        return stands(
            f"`{ast.unparse(hollow[0].test)}` only adds to the answer and does not end the function, so everybody gets the rest",
            kind="guard", at=(hollow[1],),
        )  # fmt: skip
    guard = before(subject, project)
    if guard is not None:
        return falls(f"`{guard.says}` stands before it", kind="guard", at=(guard.at, here))
    guard = found.whole()
    if guard is not None:
        return falls(f"the function looks at the caller itself: `{guard.says}`", kind="guard", at=(guard.at,))
    done = effects(subject, project)
    grave = [e for e in done if e.kind != UNKNOWN]
    own = [e for e in grave if e.within.node is node]
    covered = [found.covering(e.node) for e in own]
    if own and all(covered) and len(own) == len(grave) and covered[0] is not None:
        return falls(
            f"what it does stands behind `{covered[0].says}`", kind="guard", at=(covered[0].at, own[0].at)
        )
    if known.everywhere:
        return cannot_tell(known.everywhere[0].says)
    entrance = lets_in(subject, found.reading, project)
    if entrance is not None:
        return falls(f"it has to answer strangers: {entrance[1]}", kind="role", at=(entrance[0], here))
    if entry is None:
        return _no_endpoint(subject, project)
    if found.tests or found.calls or known.checked_operations:
        return cannot_tell("the function looks at the caller on some of its paths")
    uses = any(found.reading.says(n, IDENTITY) for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute))
    accounts = _accounts(known, module)
    secret = disclosed(subject, project)
    if secret is not None and accounts and not uses:
        return stands(
            f"`{node.name}` answers everybody, and its answer holds `{secret.says}` of stored records",
            kind="endpoint", at=(entry[0], secret.at, accounts[0].at),
        )  # fmt: skip
    if grave and accounts and not uses:
        worst = _worst(grave)
        return stands(
            f"`{node.name}` answers everybody and {worst.kind} (`{worst.says}`); nothing before or in it asks who calls, "
            f"while the application knows users: {accounts[0].says}",
            kind="endpoint", at=(entry[0], worst.at, accounts[0].at),
        )  # fmt: skip
    if not done and not uses and tells_everybody(subject, found.reading, project):
        return falls(
            "it reads no record, changes nothing and runs nothing: the answer is fixed text, templates and files for everybody",
            kind="role", at=(entry[0], here),
        )  # fmt: skip
    if not accounts and not grave:
        return cannot_tell("the application knows no users at all")
    return cannot_tell("it only reads, or the application knows no users: whether it is meant for everybody does not show")


def _worst(found: list[Effect]) -> Effect:
    order = [DESTROYS, RUNS, CHANGES]
    return min(found, key=lambda e: order.index(e.kind))


def _accounts(known: Application, module: Module) -> list[Protection]:
    """Users and guards of the same program: below the same top folder, nearest first."""
    top = module.path.partition("/")[0] if "/" in module.path else ""
    near = [p for p in (*known.accounts, *known.per_view) if (p.at.path.partition("/")[0] if "/" in p.at.path else "") == top]
    return sorted(near, key=lambda p: p.at.path != module.path)


def _no_endpoint(subject: Subject, project: Project) -> Ruling:
    """A function that no table of routes names: dismissed when it takes nothing of a request and its callers are known."""
    module, node = subject
    reading = checks(subject, project, endpoint=False).reading
    if any(reading.says(n, CLIENT) for n in ast.walk(node) if isinstance(n, ast.Attribute)):
        return cannot_tell("no table of routes names this function, yet it reads a request")
    nested = [Subject(module, n) for n in ast.walk(node) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n is not node]
    if nested:
        return cannot_tell("functions are made in it, which may answer requests")
    function = project.index.functions.get(subject.name)
    calls = [c for c in project.index.callers(function) if not c.test] if function is not None else []
    at = tuple(Location(path=c.path, line=c.line, end_line=c.line) for c in calls[:3])
    called = f"it is called from {at[0]}" if at else "it is called by the program itself"
    return falls(f"`{node.name}` answers no request: {called}, and a login belongs where requests arrive", kind="role", at=at or (module.location(node),))


def outside(module: Module, finding: Finding, project: Project) -> Ruling:
    """A line outside of functions: imports and fields of classes answer no request."""
    for statement in ast.walk(module.tree):
        if isinstance(statement, ast.Import | ast.ImportFrom) and statement.lineno <= finding.line <= (statement.end_lineno or 0):
            return falls("an import answers no request", kind="role", at=(module.location(statement),))
    del project
    return cannot_tell("there is no function at this place")
