"""A login or permission that is said to be missing: CWE-306, CWE-862, CWE-284, CWE-285 and their kin."""

import ast
import re

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.schema.verdict import Verdict
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.claimed.access import owner, privilege, trusted
from verifiers.static.claimed.access.application import (
    Application,
    Protection,
    answers,
    application,
    checks_of,
    operation_of,
)
from verifiers.static.claimed.access.effects import CHANGES, DESTROYS, RUNS, Effect, disclosed, driven, effects
from verifiers.static.claimed.access.guard import Checks, asked_elsewhere, before, checks, idle
from verifiers.static.claimed.access.reading import CLIENT, IDENTITY
from verifiers.static.claimed.access.role import lets_in, named_a_way_in, tells_everybody
from verifiers.static.claimed.access.subject import Subject, callee, module_of, reached, stars, subject_at
from verifiers.static.reading import words
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.security.untrusted import routes


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
        return (
            outside(module, finding, project)
            if module is not None
            else cannot_tell("the file is no module that parses")
        )
    for ruling in (
        trusted.decision(subject, project, finding.line),
        privilege.chosen(subject, project, by_name=False),
        owner.of(subject, project),
    ):
        if ruling.verdict is Verdict.CONFIRMED:
            return ruling
    ruling = _login(subject, project)
    if ruling.verdict is not Verdict.DISMISSED or not _only_who(ruling):
        return ruling
    own = owner.of(subject, project)
    if own.verdict is Verdict.DISMISSED and _only_own(subject, project):
        return own
    return cannot_tell("it asks who calls; whether every user may do this, the code does not say")


def goes_on(finding: Finding, project: Project) -> Ruling:
    """Whether a function sends strangers elsewhere and goes on for them all the same (CWE-698)."""
    module = module_of(finding, project)
    subject = subject_at(module, finding.line) if module is not None else None
    hollow = idle(subject, project) if subject is not None else None
    return _hollow(hollow) if hollow is not None else cannot_tell("no redirect that does not end the function shows")


def _hollow(hollow: tuple[ast.If, Location]) -> Ruling:
    return stands(
        f"`{ast.unparse(hollow[0].test)}` only adds to the answer and does not end the function, so everybody gets the rest",
        kind="guard", at=(hollow[1],),
    )  # fmt: skip


def _only_who(ruling: Ruling) -> bool:
    return bool(ruling.evidence) and ruling.evidence[0].kind == "guard"


def _only_own(subject: Subject, project: Project) -> bool:
    """Whether all that changes is found by the identity of the session, or a test of the role stands before it."""
    found = checks_of(subject, project)
    done = effects(subject, project)
    here = [e for e in done if e.within.node is subject.node]
    if owner.compared(subject, found.reading) is not None:
        return bool(done) and not _exposed(subject, found, done, project)
    return bool(here) and len(here) == len(done) and all(IDENTITY in driven(e, found.reading) for e in here)


def _login(subject: Subject, project: Project) -> Ruling:
    module, node = subject
    known = application(project)
    entry = answers(subject, project)
    here = module.location(node)
    found = checks_of(subject, project)
    hollow = idle(subject, project)
    if hollow is not None:
        return _hollow(hollow)
    guard = before(subject, project)
    if guard is not None:
        return falls(f"`{guard.says}` stands before it", kind="guard", at=(guard.at, here))
    if entry is None and not _reads_a_request(subject, project):
        return _no_endpoint(subject, project)
    done = effects(subject, project)
    guard = found.whole()
    if guard is not None or found.tests:
        before_it = _exposed(subject, found, done, project)
        if guard is not None and not before_it:
            return falls(f"the function looks at the caller itself: `{guard.says}`", kind="guard", at=(guard.at,))
        own = [e for e in done if e.within.node is node]
        covered = found.covering(own[0].node) if own else None
        if covered is not None and not before_it:
            return falls(f"what it does stands behind `{covered.says}`", kind="guard", at=(covered.at, own[0].at))
    asks = asked_elsewhere(subject, project)
    if asks is not None:
        return cannot_tell(f"`{asks}` may turn strangers away")
    grave = [e for e in done if e.kind in {CHANGES, DESTROYS} or (e.kind == RUNS and driven(e, found.reading))]
    if known.everywhere:
        return cannot_tell(known.everywhere[0].says)
    entrance = lets_in(subject, found.reading, project)
    if entrance is not None:
        return falls(f"it has to answer strangers: {entrance[1]}", kind="role", at=(entrance[0], here))
    if entry is None:
        return cannot_tell("no table of routes names this function, yet it reads a request")
    operation = operation_of(subject, known)
    if found.tests or found.calls or (operation is not None and operation[1]):
        return cannot_tell("the function looks at the caller on some of its paths")
    uses = any(found.reading.says(n, IDENTITY) for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute))
    accounts = _accounts(known, module, project)
    secret = disclosed(subject, project)
    if secret is not None and accounts and not uses:
        return stands(
            f"`{node.name}` answers everybody, and its answer holds `{secret.says}` of stored records",
            kind="endpoint", at=(entry[0], secret.at, accounts[0].at),
        )  # fmt: skip
    if (grave or secret is not None) and accounts and named_a_way_in(subject):
        return cannot_tell("its name says that it lets users in, which has to work without a login")
    if grave and accounts and not uses and _open_to_all(subject) and not any(e.kind in {DESTROYS, RUNS} for e in grave):
        return cannot_tell("it takes what strangers send, as its name says: whether that is meant does not show")
    if grave and accounts and not uses:
        worst = _worst(grave)
        return stands(
            f"`{node.name}` answers everybody and {worst.kind} (`{worst.says}`); nothing before or in it asks who calls, "
            f"while the application knows users: {accounts[0].says}",
            kind="endpoint", at=(entry[0], worst.at, accounts[0].at),
        )  # fmt: skip
    decided = trusted.decision(subject, project).verdict is Verdict.CONFIRMED
    harmless = not done and not uses and not decided and not effects(subject, project, loosely=True)
    if harmless and tells_everybody(subject, found.reading, project):
        beside = _same_address(subject, project)
        if beside is not None:
            return cannot_tell(f"the same address is answered by `{beside.node.name}` too, which does more")
        return falls(
            "it reads no record, changes nothing and runs nothing: the answer is fixed text, templates and files for everybody",
            kind="role", at=(entry[0], here),
        )  # fmt: skip
    if not accounts and not grave:
        return cannot_tell("the application knows no users at all")
    return cannot_tell(
        "it only reads, or the application knows no users: whether it is meant for everybody does not show"
    )


_TAKES = frozenset(
    {"contact", "feedback", "subscribe", "unsubscribe", "newsletter", "webhook", "webhooks", "callback", "hook", "track",
     "tracking", "analytics", "metrics", "beacon", "csp", "search", "vote", "survey", "waitlist", "log", "logs", "visit",
     "visits", "view"}
)  # fmt: skip


def _open_to_all(subject: Subject) -> bool:
    """Whether name or URL say that it takes what anybody sends: a contact form, a webhook, a counter."""
    spoken = set(words(subject.node.name)) | {
        w for r in routes(subject.module, subject.node) for w in words(r.replace("/", "_"))
    }
    return bool(spoken & _TAKES)


def _exposed(subject: Subject, found: Checks, done: list[Effect], project: Project) -> bool:
    """Whether something that matters runs without a guard before it: here, or in what is called from here."""
    inside = [e for e in done if e.within.node is subject.node]
    if any(found.covering(e.node) is None for e in inside):
        return True
    others = {e.within.name for e in done if e.within.node is not subject.node}
    for call in (n for n in ast.walk(subject.node) if isinstance(n, ast.Call)) if others else ():
        other = callee(subject.module, call, project)
        if other is not None and found.covering(call) is None and others & {r.name for r in reached(other, project)}:
            return True
    return False


def _worst(found: list[Effect]) -> Effect:
    order = [DESTROYS, RUNS, CHANGES]
    return min(found, key=lambda e: order.index(e.kind))


def _accounts(known: Application, module: Module, project: Project) -> list[Protection]:
    """Users and guards of the same program: below the same top folder, or in what the module imports; nearest first."""
    imported = _imported(module, project)
    near = [
        p for p in (*known.accounts, *known.per_view) if _top(p.at.path) == _top(module.path) or p.at.path in imported
    ]
    return sorted(near, key=lambda p: p.at.path != module.path)


def _top(path: str) -> str:
    return path.partition("/")[0] if "/" in path else ""


def _imported(module: Module, project: Project) -> set[str]:
    """Paths of the modules of the project that it imports, and those that they import."""
    found: set[str] = set()
    level = [module]
    for _ in range(2):
        names = {project.index.canonical(target) for one in level for target in [*one.imports.values(), *stars(one)]}
        paths = {
            project.index.module_paths.get(n) or project.index.module_paths.get(n.rpartition(".")[0]) for n in names
        }
        new = {p for p in paths if p is not None} - found
        found |= new
        level = [project.module(p) for p in sorted(new)]
    return found


def _no_endpoint(subject: Subject, project: Project) -> Ruling:
    """A function that no table of routes names: dismissed when it takes nothing of a request and its callers are known."""
    module, node = subject
    nested = [
        Subject(module, n)
        for n in ast.walk(node)
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n is not node
    ]
    if nested:
        return cannot_tell("functions are made in it, which may answer requests")
    function = project.index.functions.get(subject.name)
    calls = [c for c in project.index.callers(function) if not c.test] if function is not None else []
    at = tuple(Location(path=c.path, line=c.line, end_line=c.line) for c in calls[:3])
    if not at or node.decorator_list or _handed_on(node.name, project):
        return cannot_tell("who calls this function does not show")
    return falls(
        f"`{node.name}` answers no request: it is called from {at[0]}, and a login belongs where requests arrive",
        kind="role",
        at=at,
    )


def _handed_on(name: str, project: Project) -> bool:
    """Whether a function so called is used as a value anywhere, so that a framework may call it."""
    for module in project.modules_matching(re.compile(rf"\b{re.escape(name)}\b".encode())):
        called = {id(c.func) for c in module.nodes(ast.Call)}
        uses: list[ast.expr] = [n for n in module.nodes(ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
        uses += [n for n in module.nodes(ast.Attribute) if n.attr == name and isinstance(n.ctx, ast.Load)]
        if any(id(n) not in called for n in uses):
            return True
    return False


def _reads_a_request(subject: Subject, project: Project) -> bool:
    reading = checks(subject, project, endpoint=False).reading
    return any(reading.says(n, CLIENT) for n in ast.walk(subject.node) if isinstance(n, ast.Attribute))


def _same_address(subject: Subject, project: Project) -> Subject | None:
    """Another function of the module for the same URL that changes or runs something."""
    own = routes(subject.module, subject.node)
    for _, node in subject.module.functions:
        other = Subject(subject.module, node)
        if (
            node is not subject.node
            and own
            and set(routes(subject.module, node)) & set(own)
            and effects(other, project)
        ):
            return other
    return None


def outside(module: Module, finding: Finding, project: Project) -> Ruling:
    """A line outside of functions: imports and fields of classes answer no request."""
    for statement in ast.walk(module.tree):
        if isinstance(statement, ast.Import | ast.ImportFrom) and statement.lineno <= finding.line <= (
            statement.end_lineno or 0
        ):
            return falls("an import answers no request", kind="role", at=(module.location(statement),))
    del project
    return cannot_tell("there is no function at this place")
