"""limits-disagree: are the two settings really parallel, really different, and does more than a guess say which is right?"""

import ast

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.module import Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.reading import remark
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

ENOUGH_SHARED = 2
"""Public names two modules or classes without a common base must share to count as parallel."""


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms parallel classes or modules where other settings of the same name side with the sibling."""
    name, role = finding.facts.get("name", ""), finding.facts.get("role", "")
    here = _read(project, finding.location, name)
    siblings = [(r.location, _read(project, r.location, name)) for r in finding.related if r.role == "sibling"]
    if here is None or not siblings or any(s is None for _, s in siblings):
        return cannot_tell("a setting is not at its place")
    module, value = here
    values = [s[1] for _, s in siblings if s is not None]
    places = (finding.location, *(at for at, _ in siblings))
    if value is None or any(v is None for v in values):
        return cannot_tell("a value is not a constant")
    if all(v == value for v in values):
        return falls(f"all of them come to {value:g}", kind="constant", at=places)
    for at, reading in [(finding.location, here), *siblings]:
        if reading is not None and (note := remark(reading[0], at.line)):
            return falls(f"the code says why, beside it: {note[:120]}", kind="comment", at=(at,))
    other_module = siblings[0][1][0] if siblings[0][1] is not None else module
    kin = _kinship(project, module, finding.location, other_module, siblings[0][0])
    if not kin:
        return cannot_tell("nothing shows that the two are parallel implementations")
    usual = values[0]
    if len(siblings) >= 2 and all(v == usual for v in values):
        return stands(
            f"{len(siblings)} siblings agree on {usual:g}, this one has {value:g} ({kin})", kind="constant", at=places
        )
    agreeing = [
        at for at, found in _same_name(module, name) if found == usual and at != finding.location
    ]  # fmt: skip
    beside = [found for at, found in _same_name(other_module, name) if at != siblings[0][0]]
    if agreeing and all(found == usual for found in beside):
        return stands(
            f"the other `{name}` of this module ({agreeing[0]}) is {usual:g} like the sibling's, only {role} is {value:g} ({kin})",
            kind="constant", at=(*places, agreeing[0]),
        )  # fmt: skip
    return cannot_tell("one stands against one, and nothing says which is meant")


def _read(project: Project, at: Location, name: str) -> tuple[Module, float | None] | None:
    """(module, value) of the setting at a place, None when no setting of that name stands there."""
    try:
        module = project.module(at.path)
    except (KeyError, NotParsed):
        return None
    value = next(
        (v for where, v in _same_name(module, name, every=True) if (where.line, where.column) == (at.line, at.column)),
        None,
    )
    return (module, value) if value is not None else None


def _same_name(module: Module, name: str, *, every: bool = False) -> list[tuple[Location, float]]:
    """Numbers set under this name anywhere in the module, by place."""
    found: list[tuple[ast.AST, ast.expr]] = []
    for assign in module.nodes(ast.Assign):
        if any(_tail(t) == name for t in assign.targets):
            found.append((assign, assign.value))
    for _, function in module.functions:
        a = function.args
        positional = [*a.posonlyargs, *a.args]
        pairs = [*zip(positional[::-1], a.defaults[::-1], strict=False), *zip(a.kwonlyargs, a.kw_defaults, strict=True)]
        found += [(d, d) for p, d in pairs if d is not None and p.arg == name]
    found += [(k.value, k.value) for k in module.nodes(ast.keyword) if k.arg == name]
    for table in module.nodes(ast.Dict):
        found += [
            (k, v) for k, v in zip(table.keys, table.values, strict=True) if isinstance(k, ast.Constant) and k.value == name
        ]  # fmt: skip
    numbers = [(module.location(node), _number(module, value, 4)) for node, value in found]
    return [(at, n) for at, n in numbers if n is not None and (every or n not in (0, 1))]


def _tail(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _number(module: Module, node: ast.expr, depth: int) -> float | None:
    """Value of a constant expression, module constants followed."""
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _number(module, operand, depth)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _number(module, left, depth), _number(module, right, depth)
            if a is None or b is None:
                return None
            match op:
                case ast.Mult():
                    return a * b
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.LShift() if b < 64:
                    return int(a) << int(b)
                case ast.Pow() if abs(a) <= 1024 and 0 <= b <= 16:
                    return float(a**b)
        case ast.Name(id=name) if depth:
            definition = module.definitions.get(name)
            return _number(module, definition.value, depth - 1) if isinstance(definition, ast.Assign) else None
    return None


def _kinship(project: Project, here: Module, at: Location, there: Module, other: Location) -> str:
    """How the two places are parallel: a common base class, or the same public functions; '' when they are not."""
    mine, theirs = _class_at(here, at), _class_at(there, other)
    if mine is not None and theirs is not None and mine is not theirs:
        common = _bases(project, here, mine) & _bases(project, there, theirs)
        if common:
            return f"both derive from {sorted(common)[0]}"
        shared = _public(mine) & _public(theirs)
        return f"both offer {', '.join(sorted(shared)[:3])}" if len(shared) >= ENOUGH_SHARED else ""
    if mine is None and theirs is None and here is not there:
        shared = _public(here.tree) & _public(there.tree)
        return f"both offer {', '.join(sorted(shared)[:3])}" if len(shared) >= ENOUGH_SHARED else ""
    return ""


def _class_at(module: Module, at: Location) -> ast.ClassDef | None:
    around = [c for _, c in module.classes if c.lineno <= at.line <= (c.end_lineno or c.lineno)]
    return around[-1] if around else None


def _bases(project: Project, module: Module, cls: ast.ClassDef) -> set[str]:
    """Bases by name, followed through the project; `object`, `Exception` and the like are no kinship."""
    found: set[str] = set()
    todo = [module.resolve(b) or "" for b in cls.bases]
    while todo and len(found) < 50:
        name = project.index.canonical(todo.pop())
        if (
            not name
            or name in found
            or name.rpartition(".")[2] in {"object", "Exception", "Protocol", "ABC", "Enum", "BaseModel"}
        ):
            continue
        found.add(name)
        known = project.index.classes.get(name)
        todo += list(known.bases) if known else []
    return found


def _public(scope: ast.ClassDef | ast.Module) -> set[str]:
    return {
        s.name
        for s in scope.body
        if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef) and not s.name.startswith("_")
    }
