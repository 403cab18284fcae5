"""Which part of a login was wrong: do the answers tell? (203, 204, 208)"""

import ast
import re
from collections.abc import Iterator

from harness.source.module import FunctionNode, Module
from verifiers.static.claimed.setting.place import Scene, Sight
from verifiers.static.claimed.setting.words import DEVELOPMENT, PASSWORD, constant, last_name

THING = "a login that compares a password"
_UNKNOWN_USER = re.compile(
    r"(?:user(?:name)?|account|e-?mail|login|member)\b.{0,24}"
    r"\b(?:not|n't|doesn't|unknown|no such|unregistered|invalid|incorrect|wrong)"
    r"|(?:no such|unknown|invalid|incorrect|wrong|no)\s+(?:user(?:name)?|account|e-?mail|member)",
    re.IGNORECASE,
)
_WRONG_PASSWORD = re.compile(
    r"passw\w*\b.{0,24}\b(?:not|wrong|incorrect|invalid|bad|mismatch)|(?:wrong|incorrect|invalid|bad)\s+passw",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"(?:user|e-?mail|login|account)\w*\s*(?:or|/|and)\s*(?:the\s+)?passw|passw\w*\s*(?:or|/|and)\s*(?:the\s+)?(?:user|e-?mail|login)",
    re.IGNORECASE,
)
_LEVELS = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception", "log", "print"})
_CHECKS = re.compile(r"check_password|check_password_hash|checkpw|verify_password|authenticate|compare_digest")


def look(scene: Scene) -> Iterator[Sight]:
    """One sight a function that compares a password."""
    example = DEVELOPMENT.search(scene.module.path) is not None
    for _, function in scene.module.functions:
        checks = _checks(function)
        for sight in _answers(scene.module, function, checks) if checks else ():
            yield sight._replace(bad=None) if example and sight.bad else sight


def timing(scene: Scene) -> Iterator[Sight]:
    """Comparisons of secrets, and whether they take the same time for all values."""
    module = scene.module
    for call in module.nodes(ast.Call):
        if (module.resolve(call.func) or "").rpartition(".")[2] in {"compare_digest", "constant_time_compare"}:
            yield Sight(module.location(call), False, "the comparison takes the same time for all values")
    for compare in module.nodes(ast.Compare):
        if isinstance(compare.ops[0], ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
            yield Sight(
                module.location(compare), None, "whether the time of the comparison can be measured does not show"
            )


def _checks(function: FunctionNode) -> list[ast.AST]:
    found: list[ast.AST] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            compared = any(PASSWORD.search(last_name(side)) for side in (node.left, *node.comparators))
        else:
            compared = isinstance(node, ast.Call) and _CHECKS.fullmatch(last_name(node.func)) is not None
        if compared:
            found.append(node)
    return found


def _answers(module: Module, function: FunctionNode, checks: list[ast.AST]) -> Iterator[Sight]:
    docstring = ast.get_docstring(function, clean=False)
    logged = {
        id(n) for c in ast.walk(function) if isinstance(c, ast.Call) and last_name(c.func) in _LEVELS for n in ast.walk(c)
    }  # fmt: skip
    said = [
        n for n in ast.walk(function)
        if isinstance(n, ast.Constant) and constant(n) and n.value != docstring and id(n) not in logged
    ]  # fmt: skip
    user, password = _told(said, _UNKNOWN_USER), _told(said, _WRONG_PASSWORD)
    where = module.location(function).model_copy(update={"end_line": function.end_lineno or function.lineno})
    if user and password:
        says = (
            f"a wrong password is answered with {password[0].value!r:.60}, an unknown user with {user[0].value!r:.60}"
        )
        also = (module.location(password[0]), module.location(user[0]))
        for text in (*password, *user):
            yield Sight(module.location(text), True, says, also)
        yield Sight(where, True, says, also)
    elif user or password:
        yield Sight(
            where, None, "one of the answers names what was wrong; whether the other is different does not show"
        )
    else:
        says = "user and password are asked about at once, and one answer says that they do not fit"
        failing = [n for n in said if re.search(r"passw|credential|login", str(n.value), re.IGNORECASE)]
        together = failing and all(_together(module, check) for check in checks)
        yield Sight(where, False if together else None, says, (module.location(checks[0]),))


def _together(module: Module, check: ast.AST) -> bool:
    """`user is None or not check_password(...)`; or a check that does both, like Django's `authenticate`."""
    if isinstance(check, ast.Call) and last_name(check.func) == "authenticate":
        return True
    below = module.parents.get(check)
    while isinstance(below, ast.UnaryOp):
        below = module.parents.get(below)
    return isinstance(below, ast.BoolOp)


def _told(said: list[ast.Constant], pattern: re.Pattern[str]) -> list[ast.Constant]:
    """Texts that name one of the two, and not both."""
    found = [n for n in said if pattern.search(str(n.value)) and not _BOTH.search(str(n.value))]
    return [n for n in found if pattern is _WRONG_PASSWORD or not _WRONG_PASSWORD.search(str(n.value))]
