"""Guards: tests of who asks whose other branch leaves, in the body, in decorators, dependencies and functions called first."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.schema.location import Location
from harness.source.project import Project
from verifiers.static.claimed.access.reading import COOKIE, IDENTITY, Reading, dependencies, read
from verifiers.static.claimed.access.subject import Subject, named, reached
from verifiers.static.reading import chain

_LIBRARY = re.compile(
    r"(?:.*\.)?(?:login_required|fresh_login_required|permission_required|staff_member_required|superuser_required"
    r"|user_passes_test|jwt_required|auth_required|token_required|roles?_required|roles_accepted|permissions_accepted"
    r"|permission_classes|requires|requires_auth|authenticated|token_auth\.login_required|has_permissions?|admin_required)"
)
_ASKED = frozenset({"permission", "permissions", "roles", "scopes", "required_scopes", "required_permissions", "auth"})
"""Words of a route's decorator that say who may call."""
_ASKS = re.compile(
    r"(?:^|_)(?:verif\w*|authenticat\w*|authori[sz]e\w*|authori[sz]ation|permitted|permission\w*|require_\w+|ensure_\w+)(?:_|$)"
    r"|(?:check|validate)_\w*(?:signature|token|jwt|login|user|perm\w*|access|auth)\w*",
    re.IGNORECASE,
)
_STOPS = re.compile(r"(?:.*\.)?(?:abort|sys\.exit|send_error)")
_REDIRECTS = frozenset({"redirect", "HTTPFound", "HttpResponseRedirect", "RedirectResponse"})
_MIXINS = re.compile(r"(?:Login|Permission)RequiredMixin|UserPassesTestMixin|AccessMixin")


class Guard(NamedTuple):
    """One guard."""

    at: Location
    says: str
    """As code."""


class Checks(NamedTuple):
    """The tests of identity in one function."""

    reading: Reading
    tests: tuple[ast.If, ...]
    """Each with a test that depends on the identity."""
    calls: tuple[ast.stmt, ...]
    """Statements that call a function which raises or aborts for strangers."""

    def covering(self, node: ast.AST) -> Guard | None:
        """The guard that stands before `node` on every path of this function."""
        module = self.reading.subject.module
        around = [node, *module.ancestors(node)]
        for test in self.tests:
            allowed, denied = _branches(test)
            if any(a in allowed for a in around):
                return self._guard(test)
            if leaves(denied) and _follows(module.parents.get(test), test, around):
                return self._guard(test)
        for statement in self.calls:
            if _follows(module.parents.get(statement), statement, around):
                return self._guard(statement)
        return None

    def whole(self) -> Guard | None:
        """The guard of all that the body does: the first statements, but for assignments, are it."""
        body = self.reading.subject.node.body
        for statement in body:
            guard = self.covering(statement)
            if guard is not None:
                return guard
            test = _first_test(statement.body) if isinstance(statement, ast.Try) else statement
            if isinstance(test, ast.If) and test in self.tests:
                denied = _branches(test)[1]
                if leaves(denied) or (test is body[-1] and not denied):
                    return self._guard(test)
        return None

    def _guard(self, node: ast.stmt) -> Guard:
        module = self.reading.subject.module
        shown = node.test if isinstance(node, ast.If) else node
        return Guard(module.location(shown), ast.unparse(shown))


def checks(subject: Subject, project: Project, *, endpoint: bool) -> Checks:
    """Reads the function once."""
    reading = read(subject, project, endpoint=endpoint)
    tests = tuple(n for n in ast.walk(subject.node) if isinstance(n, ast.If) and _of_identity(reading, n.test))
    calls = []
    for statement in ast.walk(subject.node):
        if isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign):
            for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call)):
                other = named(subject.module, call.func, project)
                by_library = other is None and chain(call.func).endswith(
                    ("verify_jwt_in_request", "login_manager.unauthorized")
                )
                if by_library or (other is not None and other.node is not subject.node and raises(other, project)):
                    calls.append(statement)
                    break
    return Checks(reading, tests, tuple(calls))


def _of_identity(reading: Reading, test: ast.expr) -> bool:
    return reading.says(test, IDENTITY)


def before(subject: Subject, project: Project) -> Guard | None:
    """What stands before the function: decorators, dependencies, the class around it."""
    module = subject.module
    for decorator in subject.node.decorator_list:
        found = _of_a_decorator(subject, decorator, project)
        if found is not None:
            return found
        for word in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if word.arg == "dependencies":
                for call in (n for n in ast.walk(word.value) if isinstance(n, ast.Call) and n.args):
                    other = named(module, call.args[0], project)
                    if chain(call.func).endswith(("Depends", "Security")) and _denies(other, call.args[0], project):
                        return Guard(module.location(call), ast.unparse(call))
    for depended in dependencies(subject):
        if _denies(named(module, depended, project), depended, project):
            return Guard(module.location(depended), ast.unparse(depended))
    cls = module.enclosing_class(subject.node)
    return _of_a_class(subject, cls, project) if cls is not None else None


def _of_a_class(subject: Subject, cls: ast.ClassDef, project: Project) -> Guard | None:
    module = subject.module
    for base in cls.bases:
        if _MIXINS.search(chain(base)):
            return Guard(module.location(base), chain(base))
    for decorator in cls.decorator_list:
        inner = [
            a
            for a in getattr(decorator, "args", [])
            if chain(getattr(decorator, "func", None)).endswith("method_decorator")
        ]
        for one in [*inner, decorator]:
            found = _of_a_decorator(subject, one, project)
            if found is not None:
                return found
    for statement in cls.body:
        if isinstance(statement, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id in {"permission_classes", "decorators", "authentication_classes"}
            for t in statement.targets
        ):
            words = ast.unparse(statement.value)
            if re.search(r"IsAuthenticated|IsAdmin|IsOwner|login_required|jwt_required|auth", words):
                return Guard(module.location(statement), ast.unparse(statement))
    return None


def _of_a_decorator(subject: Subject, decorator: ast.expr, project: Project) -> Guard | None:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    for word in decorator.keywords if isinstance(decorator, ast.Call) else ():
        if word.arg in _ASKED and not _nobody(word.value):
            return Guard(subject.module.location(word.value), f"{word.arg}={ast.unparse(word.value)}")
    other = named(subject.module, called, project)
    if other is not None:
        if not denies(other, project):
            return None
    elif not _LIBRARY.fullmatch(subject.module.resolve(called) or chain(called)):
        return None
    return Guard(subject.module.location(decorator), f"@{ast.unparse(decorator)}")


def _nobody(value: ast.expr) -> bool:
    """`None`, `False`, `NO_PERMISSION_REQUIRED`: anybody may."""
    written = chain(value) or (ast.unparse(value) if isinstance(value, ast.Constant) else "")
    return (
        written in {"None", "False", "''"} or "NO_PERMISSION" in written or written.endswith(("Everyone", "AllowAny"))
    )


def asked_elsewhere(subject: Subject, project: Project) -> str | None:
    """A call, in the function or what it calls, that by its name asks who calls, though its code does not show how."""
    own = subject.module.path, subject.module.qualname(subject.node)
    for decorator in subject.node.decorator_list:
        written = chain(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if _ASKS.search(written.rpartition(".")[2]):
            return f"@{written}"
    for one in (subject, *reached(subject, project)):
        for call in _calls(one.node):
            name = chain(call.func) or str(getattr(call.func, "attr", ""))
            if _ASKS.search(name.rpartition(".")[2]) and (one.module.path, name) != own:
                return name
    return None


def _denies(other: Subject | None, written: ast.expr, project: Project) -> bool:
    """Whether a dependency turns strangers away: by its code, or, of a library, by its name."""
    if other is None:
        return bool(re.search(r"current_user|login|auth|jwt|token|admin|permission", chain(written), re.I))
    return raises(other, project)


def denies(subject: Subject, project: Project) -> bool:
    """Whether a function, or one that it makes, has a test of identity with a branch that does not go on."""
    for node in [n for n in ast.walk(subject.node) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]:
        inner = Subject(subject.module, node)
        reading = read(inner, project, endpoint=False)
        wrapped = _wrapped(inner)
        for test in (n for n in ast.walk(node) if isinstance(n, ast.If)):
            asks = reading.says(test.test, IDENTITY) or any(
                reading.says(n, IDENTITY) for n in wrapped if _within(n, test.test)
            )
            if asks and _stops(subject, node, test):
                return True
        if raises(inner, project):
            return True
    return False


def _stops(subject: Subject, inner: ast.FunctionDef | ast.AsyncFunctionDef, test: ast.If) -> bool:
    """Whether strangers do not come to what is wrapped: no branch for them calls it."""
    functions = [n for n in ast.walk(subject.node) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    given = {a.arg for f in functions for a in [*f.args.posonlyargs, *f.args.args]} - {"self", "cls"}

    def goes_on(block: Sequence[ast.stmt]) -> bool:
        return any(isinstance(c.func, ast.Name) and c.func.id in given for s in block for c in _calls(s))

    allowed, denied = _branches(test)
    if denied:
        return leaves(denied) and not goes_on(denied)
    after = inner.body[inner.body.index(test) + 1 :] if test in inner.body else []
    return goes_on(allowed) and leaves(allowed) and not goes_on(after)


def _wrapped(inner: Subject) -> list[ast.AST]:
    """`args[0].user` in a wrapper that takes `*args`: the request that it was called with."""
    star = inner.node.args.vararg
    if star is None:
        return []
    found: list[ast.AST] = []
    for node in ast.walk(inner.node):
        if (
            isinstance(node, ast.Attribute)
            and node.attr in {"user", "session"}
            and ast.unparse(node.value) == f"{star.arg}[0]"
        ):
            node_copy = ast.Attribute(value=ast.Name(id="request", ctx=ast.Load()), attr=node.attr, ctx=ast.Load())
            found.append(ast.copy_location(node_copy, node))
    return found


def _within(part: ast.AST, whole: ast.expr) -> bool:
    place = (getattr(part, "lineno", 0), getattr(part, "col_offset", 0))
    return any((getattr(n, "lineno", 0), getattr(n, "col_offset", 0)) == place for n in ast.walk(whole))


def raises(subject: Subject, project: Project, depth: int = 0) -> bool:
    """Whether a function raises or aborts by a test of identity: who calls it goes no further."""
    reading = read(subject, project, endpoint=False)
    for test in (n for n in ast.walk(subject.node) if isinstance(n, ast.If)):
        if reading.says(test.test, IDENTITY) and any(_throws(b) for b in (test.body, test.orelse)):
            return True
    if depth < 2:
        for call in _calls(subject.node):
            other = named(subject.module, call.func, project)
            if other is not None and other.node is not subject.node and raises(other, project, depth + 1):
                return True
    return False


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (n for n in ast.walk(node) if isinstance(n, ast.Call))


def _throws(block: Sequence[ast.stmt]) -> bool:
    last = block[-1] if block else None
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return bool(_STOPS.fullmatch(chain(last.value.func)))
    return isinstance(last, ast.Raise)


def leaves(block: Sequence[ast.stmt]) -> bool:
    """Whether the block ends the function."""
    last = block[-1] if block else None
    if isinstance(last, ast.Return | ast.Raise):
        return True
    if isinstance(last, ast.If):
        return leaves(last.body) and leaves(last.orelse)
    return _throws(block)


def _branches(test: ast.If) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """(for those who are known, for strangers)."""
    return (test.orelse, test.body) if _negative(test.test) else (test.body, test.orelse)


def _negative(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=None)]):
            return True
        case ast.Compare(left=ast.Constant(value=str() as word), ops=[ast.In()]):
            return "err" in word.lower()
        case ast.Compare(left=ast.Constant(), ops=[ast.NotIn()]):
            return True
        case ast.Compare(ops=[ast.NotEq()]):
            return True
        case ast.BoolOp(op=ast.Or(), values=values):
            return all(_negative(v) for v in values[:1])
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_negative(v) for v in values)
    return False


def _follows(block: ast.AST | None, guard: ast.stmt, around: list[ast.AST]) -> bool:
    """Whether one of `around` is a later statement of the block that holds the guard."""
    for field in ("body", "orelse", "finalbody"):
        statements = getattr(block, field, None)
        if isinstance(statements, list) and guard in statements:
            return any(a in statements[statements.index(guard) + 1 :] for a in around)
    return False


def _first_test(body: list[ast.stmt]) -> ast.If | None:
    return next((s for s in body if isinstance(s, ast.If)), None)


def idle(subject: Subject, project: Project) -> tuple[ast.If, Location] | None:
    """A test for a missing cookie or identity whose branch does not leave, so that what follows goes on for strangers."""
    reading = read(subject, project, endpoint=False)
    for test in (n for n in ast.walk(subject.node) if isinstance(n, ast.If)):
        kinds = reading.kinds(test.test)
        bare = isinstance(test.test, ast.UnaryOp) and isinstance(test.test.op, ast.Not)
        goes_on = bare and not test.orelse and not leaves(test.body)
        if goes_on and kinds & {COOKIE, IDENTITY} and _turns_away(test):
            return test, subject.module.location(test)
    return None


def _turns_away(test: ast.If) -> bool:
    """Whether the branch sends elsewhere without leaving."""
    for statement in test.body:
        if isinstance(statement, ast.AugAssign):
            texts = [
                n.value for n in ast.walk(statement.value) if isinstance(n, ast.Constant) and isinstance(n.value, str)
            ]
            if any(re.search(r"location(?:\.href)?\s*=|location\.replace|http-equiv", t) for t in texts):
                return True
        thrown_away = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(thrown_away, ast.Call) and chain(thrown_away.func).rpartition(".")[2] in _REDIRECTS:
            return True
    return False
