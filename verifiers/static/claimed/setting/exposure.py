"""What leaves in answers: secrets and personal data (200), texts of errors (209)."""

import ast
import re
from collections.abc import Iterator

from harness.source.module import FunctionNode, Module
from verifiers.static.claimed.setting import secrets, switches
from verifiers.static.claimed.setting.answers import Part, answer_of, is_response, makes_a_page, own
from verifiers.static.claimed.setting.clear import typed
from verifiers.static.claimed.setting.place import Scene, Sight, span
from verifiers.static.claimed.setting.words import ABOUT, PASSWORD, last_name, texts
from verifiers.static.reading import words
from verifiers.static.security.untrusted import routes

THING = "an answer that holds something secret"
ERROR_THING = "an error that is answered with its text"
_CARD = re.compile(r"(?:^|_)ssn(?:_|$)|social_security|credit_?card|card_?(?:number|no)|(?:^|_)cvv|iban", re.IGNORECASE)
_KEY = re.compile(r"secret|private_?key|api_?key|access_?key|token|(?:^|_)otp|session", re.IGNORECASE)
_PERSONAL = re.compile(
    r"mail|phone|address|birth|name|user|contact|role|admin|debug|config|env|version|log|error|sql|query|trace",
    re.IGNORECASE,
)
_FORGERY = re.compile(r"csrf|xsrf", re.IGNORECASE)
_REGISTERED = re.compile(r"error_?handler|exception_?handler|app_error", re.IGNORECASE)
_ERROR_WORDS = frozenset({"err", "error", "errors", "exc", "exception", "traceback", "stderr", "stack", "trace"})
_MEANT = re.compile(
    r"Valid|ValueError|HTTPException|Http404|BadRequest|DoesNotExist|Form|Schema|Permission|NotFound|Auth|Abort",
    re.IGNORECASE,
)


def look(scene: Scene) -> Iterator[Sight]:
    """What every function of the module answers, and settings that may give something away."""
    for _, function in scene.module.functions:
        yield from _answered(scene, function)
    yield from _settings(scene)


def _settings(scene: Scene) -> Iterator[Sight]:
    for sight in (*switches.modes(scene), *secrets.look(scene)):
        yield sight._replace(
            bad=None, says="a setting or a secret stands here; whether it leaves the program does not show"
        )


def _answered(scene: Scene, function: FunctionNode) -> Iterator[Sight]:
    answer = answer_of(scene.project, scene.module, function)
    first, last = span(function)
    at = scene.module.location(function).model_copy(update={"line": first, "end_line": last, "column": 1})
    for part in answer.parts:
        if _is_secret(part.name) and not isinstance(part.node, ast.Constant):
            place = part.module.location(part.node)
            if _given_back(scene.module, function, part):
                yield Sight(at, None, f"`{part.name}` is given back to who sent it, or does not show")
            elif answer.made:
                yield Sight(
                    at, True, f"`{part.name}` is in the answer, as it is: `{ast.unparse(part.node)[:60]}`", (place,)
                )
            else:
                yield Sight(at, None, f"`{part.name}` is in what the function returns; who is given it does not show")
            return
    reset = next((p for p in answer.parts if answer.made and _gives_a_reset_away(scene.module, function, p)), None)
    if reset is not None:
        place = scene.module.location(reset.node)
        yield Sight(
            at, True, "the token that proves who asked for a new password is answered to whoever asked", (place,)
        )
        return
    telling = next((p for p in answer.parts if _KEY.search(p.name) or _PERSONAL.search(p.name)), None)
    if telling is not None and not _FORGERY.search(telling.name):
        yield Sight(at, None, f"`{telling.name}` is answered; whether that is secret does not show")
    elif answer.elsewhere:
        yield Sight(at, None, "the function also writes or sends something, which does not show as a whole")
    elif not answer.whole:
        yield Sight(at, None, "what the function answers does not show as a whole")
    else:
        named = ", ".join(sorted({f"`{p.name}`" for p in answer.parts if p.name})[:4]) or "fixed texts alone"
        yield Sight(at, False, f"`{function.name}` answers {named}, nothing secret")


def _is_secret(name: str) -> bool:
    return (PASSWORD.search(name) is not None or _CARD.search(name) is not None) and ABOUT.search(name) is None


def _given_back(module: Module, function: FunctionNode, part: Part) -> bool:
    """Whether the value is no field of something stored, but what came with the request, or a name alone."""
    base = part.node
    while isinstance(base, ast.Attribute | ast.Subscript):
        base = base.value
    if base is part.node or typed(function, part.node, part.node.lineno) is not None:
        return True
    arguments = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    return part.module is module and isinstance(base, ast.Name) and base.id in arguments - {"self"}


def _gives_a_reset_away(module: Module, function: FunctionNode, part: Part) -> bool:
    """A token that the function makes, stores as one for a reset, and puts into its answer."""
    if (
        part.module is not module
        or not re.search(r"token|code|otp", part.name, re.IGNORECASE)
        or not isinstance(part.node, ast.Name)
    ):
        return False
    name = part.node.id
    made = [
        a
        for a in own(function)
        if isinstance(a, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in a.targets)
    ]
    stored = [
        t for a in own(function) if isinstance(a, ast.Assign) for t in a.targets
        if isinstance(t, ast.Subscript) and re.search("reset", ast.unparse(t), re.IGNORECASE)
        and name in {n.id for n in ast.walk(a) if isinstance(n, ast.Name)}
    ]  # fmt: skip
    return bool(made) and bool(stored)


# errors


def errors(scene: Scene) -> Iterator[Sight]:
    """Every handler of the module, by what it answers."""
    for handler in scene.module.nodes(ast.ExceptHandler):
        yield _handled(scene, handler)
    for _, function in scene.module.functions:
        yield from _error_pages(scene.module, function)
    for sight in switches.modes(scene):
        yield sight._replace(
            bad=None, says="a debug mode would answer errors with their text; whether it is on does not show"
        )


def _error_pages(module: Module, function: FunctionNode) -> Iterator[Sight]:
    """Functions that a framework calls with the error, and answers that speak of an error by a name."""
    registered = [d for d in function.decorator_list if _REGISTERED.search(ast.unparse(d))]
    given = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)} - {"self", "request", "req"}
    for node in own(function):
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        called = {id(n) for c in ast.walk(node.value) if isinstance(c, ast.Call) for n in ast.walk(c.func)}
        named = [n for n in ast.walk(node.value) if isinstance(n, ast.Name | ast.Attribute) and id(n) not in called]
        if registered and any(isinstance(n, ast.Name) and n.id in given for n in named):
            every = any(re.search(r"\b(?:Exception|500|InternalServerError)\b", ast.unparse(d)) for d in registered)
            says = "whoever asked is told the text of every error" if every else "an error of one kind is answered"
            yield Sight(module.location(node), True if every else None, says, (module.location(function),))
        elif any(not _ERROR_WORDS.isdisjoint(words(last_name(n))) for n in named):
            yield Sight(
                module.location(node), None, "something named after an error is answered; its text does not show"
            )


def _handled(scene: Scene, handler: ast.ExceptHandler) -> Sight:
    module = scene.module
    at = module.location(handler)
    function = module.enclosing_function(handler)
    held = _held(module, handler)
    told = next((n for n in _answers(module, handler, function) if _holds(module, n, held)), None)
    if told is not None and function is not None:
        kind = ast.unparse(handler.type) if handler.type is not None else "Exception"
        if _MEANT.search(kind) or any(name.rpartition(".")[2] == kind for name in scene.project.index.classes):
            return Sight(at, None, f"the text of `{kind}` is answered, which may be meant for whoever asked")
        if _asks(module, told, held):
            return Sight(at, None, "the text of the error is answered under a condition")
        return Sight(at, True, f"whoever asked is told the text of `{kind}`", (module.location(told),))
    if any(_holds(module, n, held) for n in ast.walk(handler) if isinstance(n, ast.Return)):
        return Sight(at, None, "the error is returned; whether that reaches whoever asked does not show")
    answers = [n for n in ast.walk(handler) if isinstance(n, ast.Return | ast.Raise)]
    if not answers or not all(_fixed(n) for n in answers):
        return Sight(at, None, "what follows the handler does not show")
    return Sight(at, False, "the handler answers with a text of its own")


def _asks(module: Module, told: ast.AST, held: set[str]) -> bool:
    """Whether a debug mode decides that the error is told: `str(e) if settings.DEBUG else "..."`."""
    tests = [n.test for n in ast.walk(told) if isinstance(n, ast.IfExp) and _holds(module, n, held)]
    tests += [up.test for up in module.ancestors(told) if isinstance(up, ast.If)]
    return any("debug" in name.lower() for test in tests for name in texts(test))


def _held(module: Module, handler: ast.ExceptHandler) -> set[str]:
    """Names that hold the error or its text."""
    held = {handler.name} if handler.name else set()
    for node in ast.walk(handler):
        if isinstance(node, ast.Assign) and _holds(module, node.value, held):
            held |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return held


def _holds(module: Module, node: ast.AST, held: set[str]) -> bool:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in held:
            return True
        if isinstance(part, ast.Call) and module.resolve(part.func) in {
            "traceback.format_exc",
            "traceback.format_exception",
            "sys.exc_info",
        }:
            return True
    return False


def _answers(module: Module, handler: ast.ExceptHandler, function: FunctionNode | None) -> Iterator[ast.AST]:
    """What reaches whoever asked: from the handler, and behind it in the same function."""
    if function is None:
        return
    page = makes_a_page(function) or bool(routes(module, function))
    for node in ast.walk(handler):
        if (isinstance(node, ast.Call) and is_response(node)) or (
            isinstance(node, ast.Return) and node.value is not None and page
        ):
            yield node
    end = handler.end_lineno or handler.lineno
    rebound = {
        t.id
        for a in own(function)
        if isinstance(a, ast.Assign) and a.lineno > end
        for t in a.targets
        if isinstance(t, ast.Name)
    }
    for node in own(function):
        if isinstance(node, ast.Call) and node.lineno > end and is_response(node):
            used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            if not used & rebound - {handler.name or ""}:
                yield node


def _fixed(node: ast.Return | ast.Raise) -> bool:
    """An answer made of constants, calls of constants, and the request."""
    value = node.value if isinstance(node, ast.Return) else node.exc
    if value is None:
        return isinstance(node, ast.Return)
    called = {id(n) for c in ast.walk(value) if isinstance(c, ast.Call) for n in ast.walk(c.func)}
    return all(n.id == "request" for n in ast.walk(value) if isinstance(n, ast.Name) and id(n) not in called)
