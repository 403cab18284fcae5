"""Outsiders' text that is written to a file of code or of templates, which the program runs later."""

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from harness.schema.location import Location
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.claimed.flow.arriving import MOST_STEPS
from verifiers.static.claimed.flow.place import FARTHEST
from verifiers.static.claimed.flow.spread import Place, Spread, spread
from verifiers.static.ruling import Ruling, stands
from verifiers.static.security import reached
from verifiers.static.security.danger import Answer, judge
from verifiers.static.security.evaluation import Evaluation, Frame, TooMuch
from verifiers.static.security.state import Instance, State
from verifiers.static.security.values import Method, PathValue, Piece, Ref, Value, options, parts, show

_TEMPLATE_SIGNS = frozenset("{%}")
_RENDERS = re.compile(
    r"(?:.*\.)?(?:render|render_template|render_to_string|get_template|TemplateResponse|select_template)"
)


class Written(NamedTuple):
    """Text of an outsider that was written to a file."""

    path: str
    """What is known of the file's path, `\\0` where it is not."""
    piece: Piece
    code: bool
    """It could run as Python."""
    at: Location
    shown: str
    entry: Place


def runs_later(project: Project, module: Module, function: FunctionNode, line: int) -> Ruling | None:
    """CONFIRMED when the function writes such a file, or renders one that another function of the module writes."""
    inside = spread(project, module, function)
    found = _writes(project, module, function, inside)
    for one in found:
        near = (
            len({w.at for w in found}) == 1
            or abs(one.at.line - line) <= FARTHEST
            or line <= function.body[0].lineno
            or one.at.path != module.path
        )
        if near and (ruling := _code(project, one) or _template(project, one)) is not None:
            return ruling
    renders = [n for n in ast.walk(function) if isinstance(n, ast.Call) and _rendered(module, n)]
    for _, other in module.functions if renders else ():
        if other is function or not _has_write(other):
            continue
        for one in _writes(project, module, other, spread(project, module, other)):
            for call in renders:
                if _same(one.path, _rendered(module, call)):
                    return _renders(one, module.location(call))
    return None


def _has_write(function: FunctionNode) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr.startswith("write") for n in ast.walk(function))


def _code(project: Project, one: Written) -> Ruling | None:
    tail = one.path.rpartition("\0")[2].lstrip("/")
    if not one.code or not tail.endswith(".py") or len(tail) < len("a/b.py"):
        return None
    homes = [p for p in project.paths("python") if p == tail or p.endswith(f"/{tail}")]
    if len(homes) != 1:
        return None
    user = _imported(project, homes[0])
    if user is None:
        return None
    return stands(
        f"`{one.piece.source}` of an outsider is written to {homes[0]}, which is code that {user.path} imports",
        kind="flow", detail=f"at {one.at}: writes {one.shown}", at=(one.at, user),
    )  # fmt: skip


def _imported(project: Project, path: str) -> Location | None:
    """Where a module of the project imports this one."""
    home = _module(project, path)
    for other in project.paths("python", test=False) if home is not None else ():
        module = _module(project, other)
        if module is None or other == path or home is None:
            continue
        imports: list[ast.Import | ast.ImportFrom] = [*module.nodes(ast.Import), *module.nodes(ast.ImportFrom)]
        for node in imports:
            for alias in node.names:
                local = alias.asname or (
                    alias.name if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0]
                )
                target = project.index.canonical(module.imports.get(local, ""))
                if target == home.name or target.startswith(f"{home.name}."):
                    return module.location(node)
    return None


def _template(project: Project, one: Written) -> Ruling | None:
    if not _is_template(one):
        return None
    for path in project.paths("python", test=False):
        module = _module(project, path)
        for call in module.nodes(ast.Call) if module is not None else ():
            if module is not None and _same(one.path, _rendered(module, call)):
                return _renders(one, module.location(call))
    return None


def _is_template(one: Written) -> bool:
    return (
        "templates/" in one.path and one.piece.chars >= _TEMPLATE_SIGNS and not one.piece.marks & {"checked", "member"}
    )


def _renders(one: Written, call: Location) -> Ruling | None:
    if not _is_template(one):
        return None
    return stands(
        f"`{one.piece.source}` of an outsider is written to a template in line {one.at.line}, which line {call.line} of "
        f"{call.path} renders: what it says in template syntax is carried out",
        kind="flow", detail=f"at {one.at}: writes {one.shown}", at=(one.at, call),
    )  # fmt: skip


def _rendered(module: Module, call: ast.Call) -> str:
    """The name of the template that a call renders, `\\0` where it is not known, '' for other calls."""
    if not _RENDERS.fullmatch(module.resolve(call.func) or ""):
        return ""
    for argument in call.args[:2]:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            return argument.value
        if isinstance(argument, ast.JoinedStr):
            return "".join(str(v.value) if isinstance(v, ast.Constant) else "\0" for v in argument.values)
    return ""


def _same(path: str, template: str) -> bool:
    """Whether a template may be the file: the known beginning is the same, and names a folder or the whole file."""
    inside = path.rpartition("templates/")[2] if "templates/" in path else ""
    first, _, rest = inside.partition("\0")
    known, _, ending = template.partition("\0")
    folder = first.endswith("/") or "\0" not in inside
    return bool(known) and first == known and folder and rest.rpartition("\0")[2] == ending.rpartition("\0")[2]


def _writes(project: Project, module: Module, function: FunctionNode, inside: Spread) -> list[Written]:
    """What outsiders' text the function writes where, also when called from where such text enters."""
    place = (module.path, module.qualname(function))
    if not any(_has_write(r.function) for r in inside.functions.values()):
        return []
    found: list[Written] = []
    spent = 0
    for entry in [place, *reached.entries(project, *place)]:
        if found or spent > MOST_STEPS:
            break
        found, steps = _from(project, entry, place, inside)
        spent += steps
    return found


def _from(project: Project, entry: Place, through: Place, inside: Spread) -> tuple[list[Written], int]:
    """What is written in one evaluation, and the steps it took."""
    start = _module(project, entry[0])
    found: list[Written] = []

    def watch(
        node: ast.AST,
        frame: Frame,
        given: Sequence[Value],
        keywords: dict[str, Value],
        callee: Value | None,
        state: State,
    ) -> None:
        del keywords
        if through not in evaluation.stack or not isinstance(callee, Method) or not given:
            return
        path = _path_of(callee, state)
        value = state.settled(state.refined(given[0]))
        harm = judge("code", value)
        for option in options(value):
            for piece in parts(option) if path else ():
                if isinstance(piece, Piece) and piece.untrusted and "operator" not in piece.marks:
                    code = harm.answer is Answer.HARM
                    found.append(Written(path, piece, code, frame.module.location(node), show(value), entry))

    places = {
        (r.module.path, call.lineno, call.col_offset, call.end_col_offset or 0)
        for r, call in inside.calls()
        if isinstance(call.func, ast.Attribute) and call.func.attr in {"write", "write_text"}
    }
    evaluation = Evaluation(project, frozenset(places), watch)
    try:
        if start is not None:
            evaluation.run(start, entry[1])
    except (TooMuch, RecursionError, KeyError):
        pass  # what was seen so far did happen
    return found, evaluation.steps


def _path_of(callee: Method, state: State) -> str:
    """What is known of the path of the file that is written, '' when it is no file."""
    name: Value | None = None
    if callee.name == "write_text" and isinstance(callee.receiver, PathValue):
        name = callee.receiver.text
    elif callee.name == "write" and isinstance(callee.receiver, Ref):
        item = state.heap.get(callee.receiver.number)
        name = item.attributes.get("name") if isinstance(item, Instance) and item.kind == "file" else None
    known = name.text if isinstance(name, PathValue) else name
    if known is None or len(options(known)) != 1:
        return ""
    return "".join(p if isinstance(p, str) else "\0" for p in parts(known))


def _module(project: Project, path: str) -> Module | None:
    try:
        return project.module(path)
    except (KeyError, NotParsed, OSError):
        return None
