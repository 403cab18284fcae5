r"""tex-unescaped: where does the value come from, and has anything on its way escaped it?

Follows the value back through the function: to a call whose function writes backslashes in front of marks (dismissed), to a
number (dismissed), to literals without marks at every caller (dismissed), or to names of files, cells of tables and other text
from outside (confirmed). A parameter whose callers are not all seen stays open.
"""

import ast
import re
from typing import NamedTuple

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.locate import module_of
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, inside

_MARKS = frozenset("#$%&_{}~^\\")
_NUMBERS = frozenset({"int", "float", "len", "round", "sum", "abs", "ord"})
_OUTSIDE = frozenset(
    {
        "csv.reader", "csv.DictReader", "json.load", "json.loads", "os.listdir", "os.scandir", "sys.argv", "input",
        "glob.glob", "yaml.safe_load", "tomllib.load", "tomllib.loads",
    }
)  # fmt: skip
_FILES = frozenset({"iterdir", "glob", "rglob", "read_text", "readlines", "read", "splitlines", "listdir", "walk"})
_DEPTH = 6


class _Answer(NamedTuple):
    verdict: str
    """`safe`, `outside` or `open`."""
    why: str
    node: ast.AST


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    wanted = finding.facts.get("value", "")
    value = _value(module, finding, wanted) if module is not None else None
    if module is None or value is None:
        return cannot_tell("there is no such value at this place")
    found = _trace(module, value, module.enclosing_function(value), project, _DEPTH)
    at = (module.location(found.node),) if hasattr(found.node, "lineno") else ()
    if found.verdict == "safe":
        return falls(f"`{wanted}`: {found.why}", kind="flow", at=at)
    if found.verdict == "outside":
        return stands(
            f"`{wanted}`: {found.why}, and nothing on its way escapes it", kind="flow", detail=found.why, at=at
        )
    return cannot_tell(f"`{wanted}`: {found.why}")


def _value(module: Module, finding: Finding, wanted: str) -> ast.expr | None:
    for node in module.nodes(ast.JoinedStr, ast.BinOp):
        end = node.end_lineno or node.lineno
        if node.lineno <= finding.line <= end:
            for inner in ast.walk(node):
                if isinstance(inner, ast.expr) and inner is not node and ast.unparse(inner) == wanted:
                    return inner
    return None


def _trace(module: Module, value: ast.expr, function: FunctionNode | None, project: Project, depth: int) -> _Answer:
    if depth == 0:
        return _Answer("open", "its way is too long to follow", value)
    match value:
        case ast.Constant():
            marked = isinstance(value.value, str) and bool(_MARKS & set(value.value))
            return _Answer("outside" if marked else "safe", f"the literal {value.value!r}", value)
        case ast.Call():
            return _of_call(module, value, function, project, depth)
        case ast.Attribute():
            return _of_attribute(module, value, function, project, depth)
        case ast.Subscript():
            return _trace(module, value.value, function, project, depth - 1)
        case ast.Name():
            return _of_name(module, value, function, project, depth)
        case ast.BinOp(op=ast.Add()):
            parts = [_trace(module, side, function, project, depth - 1) for side in (value.left, value.right)]
            return min(parts, key=lambda p: ("outside", "open", "safe").index(p.verdict))
    return _Answer("open", "its form is not followed", value)


def _of_call(module: Module, call: ast.Call, function: FunctionNode | None, project: Project, depth: int) -> _Answer:
    name = chain(call.func)
    last = call.func.attr if isinstance(call.func, ast.Attribute) else name
    shown = ast.unparse(call.func)
    if last in _NUMBERS and "." not in name:
        return _Answer("safe", f"`{last}` gives a number", call)
    if (escaper := _escaper(module, name, project)) is not None:
        return _Answer("safe", f"`{name}` escapes it", escaper)
    if module.resolve(call.func) in _OUTSIDE or last in _FILES:
        return _Answer("outside", f"it comes from `{shown}(...)`", call)
    if last == "str" and call.args:
        return _trace(module, call.args[0], function, project, depth - 1)
    if last in ("strip", "lower", "upper", "title", "get", "format", "join", "split") and isinstance(
        call.func, ast.Attribute
    ):
        return _trace(module, call.func.value, function, project, depth - 1)
    if last in ("enumerate", "sorted", "list", "reversed", "zip") and call.args:
        return _trace(module, call.args[0], function, project, depth - 1)
    return _Answer("open", f"what `{shown}` gives is not followed", call)


def _of_attribute(
    module: Module, value: ast.Attribute, function: FunctionNode | None, project: Project, depth: int
) -> _Answer:
    below = _trace(module, value.value, function, project, depth - 1)
    if value.attr in ("name", "stem") and below.verdict == "outside":
        return _Answer("outside", f"it is the name of a file ({below.why})", below.node)
    return (
        below
        if below.verdict == "outside"
        else _Answer("open", f"what `{ast.unparse(value)}` holds is not followed", value)
    )


def _of_name(module: Module, name: ast.Name, function: FunctionNode | None, project: Project, depth: int) -> _Answer:
    if function is None:
        return _Answer("open", "it is set at module level", name)
    answers = []
    for node in inside(function.body):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name.id for t in node.targets):
            answers.append(_trace(module, node.value, function, project, depth - 1))
        elif isinstance(node, ast.For) and any(
            isinstance(t, ast.Name) and t.id == name.id for t in ast.walk(node.target)
        ):
            answers.append(_of_loop(module, node, name.id, function, project, depth))
    if answers:
        return min(answers, key=lambda a: ("outside", "open", "safe").index(a.verdict))
    return _of_parameter(module, name, function, project, depth)


def _of_loop(module: Module, loop: ast.For, name: str, function: FunctionNode, project: Project, depth: int) -> _Answer:
    source = loop.iter
    if isinstance(source, ast.Call):
        called = chain(source.func)
        first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target
        if called == "range" or (called == "enumerate" and isinstance(first, ast.Name) and first.id == name):
            return _Answer("safe", "it counts", loop)
    return _trace(module, source, function, project, depth - 1)


def _of_parameter(module: Module, name: ast.Name, function: FunctionNode, project: Project, depth: int) -> _Answer:
    arguments = [*function.args.posonlyargs, *function.args.args]
    at = next((i for i, a in enumerate(arguments) if a.arg == name.id), None)
    if at is None:
        return _Answer("open", "where it is set is not to be seen", name)
    note = arguments[at].annotation
    if note is not None and ast.unparse(note) in ("int", "float", "bool"):
        return _Answer("safe", f"it is declared as {ast.unparse(note)}", arguments[at])
    if arguments[0].arg in ("self", "cls"):
        return _Answer("open", "it comes in through a method", name)
    calls = [c for c in module.nodes(ast.Call) if chain(c.func) == function.name]
    mentions = [n for n in module.nodes(ast.Name) if n.id == function.name]
    if not calls or len(mentions) != len(calls) or _imported_elsewhere(module, function.name, project):
        return _Answer("open", "its callers are not all to be seen", name)
    answers = []
    for call in calls:
        if len(call.args) <= at or any(isinstance(a, ast.Starred) for a in call.args):
            return _Answer("open", "a caller passes it in a form that is not followed", call)
        answers.append(_trace(module, call.args[at], module.enclosing_function(call), project, depth - 1))
    worst = min(answers, key=lambda a: ("outside", "open", "safe").index(a.verdict))
    return worst._replace(why=f"every caller passes {worst.why}") if worst.verdict == "safe" else worst


def _imported_elsewhere(module: Module, name: str, project: Project) -> bool:
    for other in project.modules_matching(re.compile(rf"\b{re.escape(name)}\b".encode()), test=None):
        if other is not module and any(target.rpartition(".")[2] == name for target in other.imports.values()):
            return True
    return False


def _escaper(module: Module, name: str, project: Project, depth: int = 3) -> FunctionNode | None:
    """The function of the project that is called and, itself or through another, writes a backslash in front of a mark."""
    last = name.rpartition(".")[2]
    target = module.imports.get(name.split(".")[0], "")
    places = [module]
    for dotted in (target, target.rpartition(".")[0]):
        if dotted and (found := project.module_named(dotted)) is not None:
            places.append(found)
    for place in places:
        for qualified, function in place.functions:
            if last and qualified.rpartition(".")[2] == last and _escapes(place, function, project, depth):
                return function
    return None


def _escapes(module: Module, function: FunctionNode, project: Project, depth: int) -> bool:
    """Texts of the function and of the module's names that it uses, then functions that it calls."""
    used = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    scopes: list[ast.AST] = [function, *(s for name, s in module.definitions.items() if name in used)]
    texts = [
        n.value
        for scope in scopes
        if scope is function or isinstance(scope, ast.Assign | ast.AnnAssign)
        for n in ast.walk(scope)
        if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    if any(re.search(r"\\[_%&#$]", text) for text in texts) or ("\\" in texts and any(_MARKS & set(t) for t in texts)):
        return True
    called = {chain(n.func) for n in ast.walk(function) if isinstance(n, ast.Call)} - {"", function.name}
    return depth > 1 and any(_escaper(module, name, project, depth - 1) is not None for name in sorted(called))
