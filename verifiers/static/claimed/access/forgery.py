"""Forged requests (CWE-352): a page elsewhere makes the browser of a user change something with the user's session."""

import ast
import re

from harness.schema.finding import Finding
from harness.schema.verdict import Verdict
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.claimed.access.application import (
    Application,
    Protection,
    answers,
    application,
    checks_of,
    reading_of,
)
from verifiers.static.claimed.access.effects import CHANGES, DESTROYS, Effect, driven, effects
from verifiers.static.claimed.access.guard import Checks, before
from verifiers.static.claimed.access.reading import CLIENT, COOKIE, HEADER, IDENTITY, Reading, by_session
from verifiers.static.claimed.access.role import lets_in
from verifiers.static.claimed.access.subject import Subject, module_of, subject_at
from verifiers.static.reading import chain
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_EXEMPT = re.compile(r"(?:.*\.)?(?:csrf_exempt|csrf\.exempt|exempt)")


def falsify(finding: Finding, project: Project) -> Ruling:
    """By what the endpoint changes, by whose authority, and what protects it."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the file is no module that parses")
    subject = subject_at(module, finding.line)
    if subject is None:
        return _import(module, finding)
    built = _built(subject, project)
    if built is not None:
        return built
    return _endpoint(subject, project)


def _import(module: Module, finding: Finding) -> Ruling:
    for statement in module.nodes(ast.Import, ast.ImportFrom):
        if statement.lineno <= finding.line <= (statement.end_lineno or 0):
            return falls("an import answers no request", kind="role", at=(module.location(statement),))
    return cannot_tell("there is no function at this place")


def _endpoint(subject: Subject, project: Project) -> Ruling:
    module, node = subject
    known = application(project)
    reading = reading_of(subject, project)
    entry = answers(subject, project)
    done = effects(subject, project)
    changes = [e for e in done if e.kind in {CHANGES, DESTROYS}]
    here = module.location(node)
    protection = _protected(subject, known)
    compared = _token_compared(subject)
    if compared is not None:
        return falls(
            f"`{ast.unparse(compared)}` checks the token of the form", kind="guard", at=(module.location(compared),)
        )
    if entry is None and not _reads_a_request(reading):
        return (
            falls(f"`{node.name}` answers no request", kind="role", at=(here,))
            if not _nests(subject)
            else cannot_tell("functions are made in it, which may answer requests")
        )
    if not done:
        if effects(subject, project, loosely=True):
            return cannot_tell("whether a method that it calls changes something does not show")
        return falls("it changes nothing: no record, no file, no command", kind="operation", at=(here,))
    by_get = [e for e in changes if e.within.node is node and _for_get(module, e.node, node)]
    if protection is not None and not by_get:
        return falls(f"{protection.says}, and this is not exempt", kind="setting", at=(protection.at, here))
    found = checks_of(subject, project)
    some = next((p for p in known.forgery if p.framework == "some"), None)
    if some is not None and not _exempt(subject):
        return cannot_tell(f"{some.says} at {some.at}: whether that protects this too does not show")
    if known_cookie(known) is not None and not by_get:
        return cannot_tell("the session cookie does not go with requests from other sites")
    if entry is not None and entry[1] and entry[1] <= {"PUT", "PATCH", "DELETE"}:
        return cannot_tell("a browser asks first before it sends such a method to another site")
    if _json_only(subject):
        return cannot_tell("it takes JSON, which a form elsewhere cannot send as such")
    authority = _authority(subject, found, changes, project)
    if authority == "header":
        return falls(
            "who calls is told by a header, which a browser does not send by itself", kind="operation", at=(here,)
        )
    if authority != "header" and lets_in(subject, reading, project) is not None:
        return cannot_tell("it lets users in: whether a forged login does harm does not show")
    if authority == "":
        if not changes:
            return cannot_tell("it runs code for anybody; a session adds nothing to it that shows")
        return falls(
            "it needs no session: whoever would forge the request can send it directly", kind="operation",
            at=(here, changes[0].at),
        )  # fmt: skip
    moved = [e for e in changes if driven(e, reading) & {CLIENT, IDENTITY}]
    if entry is not None and entry[1] == {"GET"} and not any(e.kind == DESTROYS for e in moved):
        return cannot_tell("what a visit writes down may be meant to be written")
    if authority != "cookie" or not moved:
        return cannot_tell("whether the session of a user gives such a request anything does not show")
    return _stands(subject, moved, [e for e in by_get if e in moved], protection)


def _stands(subject: Subject, changes: list[Effect], by_get: list[Effect], protection: Protection | None) -> Ruling:
    module, node = subject
    if protection is not None and not by_get:
        return cannot_tell("what runs for GET writes fixed values")
    worst = min(by_get or changes, key=lambda e: e.kind != DESTROYS)
    if protection is not None:
        reason = f"`{worst.says}` runs for GET, which {protection.says.split(' is ')[0]} lets pass"
        return stands(reason, kind="endpoint", at=(worst.at, protection.at))
    return stands(
        f"`{node.name}` {worst.kind} (`{worst.says}`) for whoever's browser brings the session cookie, and nothing checks a token",
        kind="endpoint", at=(worst.at, module.location(node)),
    )  # fmt: skip


def known_cookie(known: Application) -> Protection | None:
    """The setting that keeps the session cookie from requests of other sites."""
    return next((p for p in known.forgery if p.framework == "cookie"), None)


def _json_only(subject: Subject) -> bool:
    text = ast.unparse(subject.node)
    return bool(re.search(r"request\.(?:get_json\(|json\b)", text)) and not re.search(
        r"request\.(?:form|values|args|POST|GET)\b|force=True", text
    )


def _nests(subject: Subject) -> bool:
    return any(
        isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n is not subject.node for n in ast.walk(subject.node)
    )


def _reads_a_request(reading: Reading) -> bool:
    return any(
        isinstance(n, ast.Attribute) and reading.kinds(n) & {COOKIE, HEADER, IDENTITY, CLIENT}
        for n in ast.walk(reading.subject.node)
    )


def _protected(subject: Subject, known: Application) -> Protection | None:
    """What protects all of the application, unless this function is exempt from it."""
    if _exempt(subject):
        return None
    roots = {t.partition(".")[0] for t in subject.module.imports.values()}
    for protection in known.forgery:
        if protection.framework in roots or (protection.framework == "starlette" and "fastapi" in roots):
            return protection
    return None


def _exempt(subject: Subject) -> bool:
    return any(_EXEMPT.fullmatch(chain(d.func if isinstance(d, ast.Call) else d)) for d in subject.node.decorator_list)


def _token_compared(subject: Subject) -> ast.AST | None:
    for decorator in subject.node.decorator_list:
        text = ast.unparse(decorator)
        if re.search(r"csrf|xsrf", text, re.I) and not re.search(
            r"exempt|require_csrf=False|ensure_csrf_cookie", text, re.I
        ):
            return decorator
    for node in ast.walk(subject.node):
        if isinstance(node, ast.Compare) and re.search(r"csrf|xsrf", ast.unparse(node), re.I):
            return node
        if isinstance(node, ast.Call) and re.search(
            r"(?:validate|check|verify)_?(?:csrf|xsrf)|validate_on_submit", chain(node.func), re.I
        ):
            return node
    return None


def _for_get(module: Module, node: ast.AST, function: ast.AST) -> bool:
    """Whether an `if` on the method lets this run for GET only or too."""
    below: ast.AST = node
    for up in module.ancestors(node):
        if isinstance(up, ast.If) and re.search(r"\bmethod\b", ast.unparse(up.test)):
            words = {n.value for n in ast.walk(up.test) if isinstance(n, ast.Constant)}
            if below in up.body and words == {"GET"}:
                return True
        if up is function:
            return False
        below = up
    return False


def _authority(subject: Subject, found: Checks, changes: list[Effect], project: Project) -> str:
    """By what a browser may do this: `cookie` for a session, `header`, '' for nothing, `unknown`."""
    reading = found.reading
    kinds: set[str] = set()
    for node in ast.walk(subject.node):
        if isinstance(node, ast.Name | ast.Attribute | ast.Call):
            kinds |= reading.kinds(node)
    if before(subject, project) is not None:
        return "cookie" if _browser(subject) else "unknown"
    if not kinds & {COOKIE, IDENTITY}:
        return (
            "header" if HEADER in kinds and re.search("authorization|api.?key", ast.unparse(subject.node), re.I) else ""
        )
    if HEADER in kinds and COOKIE not in kinds and not by_session(reading):
        return "header"
    if COOKIE not in kinds and not by_session(reading):
        return "unknown"
    inside = [e for e in changes if e.within.node is subject.node]
    guarded = found.whole() is not None or any(found.covering(e.node) is not None for e in inside)
    used = any(driven(e, reading) & {COOKIE, IDENTITY} for e in inside)
    return "cookie" if guarded or used else "unknown"


def _browser(subject: Subject) -> bool:
    """Whether its guard goes by a session: the decorators do not speak of tokens."""
    words = " ".join(ast.unparse(d) for d in subject.node.decorator_list)
    return not re.search(r"jwt|token|bearer|api_?key", words, re.I)


def _built(subject: Subject, project: Project) -> Ruling | None:
    """Where the application is put together: sessions by cookie, changes by form, and nothing against forgery."""
    module = subject.module
    calls = [
        c for c in ast.walk(subject.node)
        if isinstance(c, ast.Call) and (module.resolve(c.func) or "") in {
            "aiohttp.web.Application", "flask.Flask", "quart.Quart", "starlette.applications.Starlette"
        }
    ]  # fmt: skip
    known = application(project)
    if not calls or any(p.framework != "cookie" for p in known.forgery):
        return None
    for name, (at, _) in sorted(known.routed.items()):
        function = project.index.functions.get(name)
        if function is None or function.test:
            continue
        home = project.module(function.path)
        view = dict(home.functions).get(function.qualname)
        if view is None:
            continue
        one = Subject(home, view)
        ruling = _endpoint(one, project)
        changes = [e for e in effects(one, project) if e.kind in {CHANGES, DESTROYS}]
        if ruling.verdict is not Verdict.CONFIRMED and not (changes and _sessions(module)):
            continue
        return stands(
            f"the application is put together without protection against forged requests, and `{view.name}` changes data by form: "
            f"`{changes[0].says if changes else ''}`",
            kind="setting", at=(module.location(calls[0]), at, *(c.at for c in changes[:1])),
        )  # fmt: skip
    return None


def _sessions(module: Module) -> bool:
    """Whether this module gives the application sessions by cookie."""
    return any("session" in target.lower() for target in module.imports.values())
