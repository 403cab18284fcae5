"""Rows: from which table a value is read, and who decides what is written there."""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.claimed.output import bindings
from verifiers.static.claimed.output.kept import once
from verifiers.static.claimed.output.origin import STORED, Origin

if TYPE_CHECKING:
    from verifiers.static.claimed.output.trace import Trace

FETCHES = frozenset(
    {"fetchone", "fetchall", "fetchmany", "fetch", "fetchrow", "fetchval", "scalar", "scalars", "scalar_one", "first", "all", "one",
     "one_or_none", "mappings", "scalar_one_or_none"}
)  # fmt: skip
EXECUTES = frozenset({"execute", "executemany", "executescript", "fetch", "fetchrow", "fetchval", "raw"})
_READ = re.compile(r"^\s*select\s+(.*?)\s+from\s+([`\"\[]?\w+)", re.IGNORECASE | re.DOTALL)
_INSERT = re.compile(
    r"^\s*(?:insert|replace)\s+(?:or\s+\w+\s+)?into\s+([`\"\[]?\w+)[`\"\]]?\s*(?:\(([^)]*)\))?", re.IGNORECASE
)
_UPDATE = re.compile(r"^\s*update\s+([`\"\[]?\w+)[`\"\]]?\s+set\s+(.*?)(?:\s+where\b|$)", re.IGNORECASE | re.DOTALL)
_QUERIES = frozenset({"get", "filter", "filter_by", "exclude", "all", "first", "last", "latest", "values", "order_by", "get_or_404",
                      "first_or_404", "one", "create", "get_or_create", "select_related", "find", "find_one"})  # fmt: skip


class Write(NamedTuple):
    """A statement or object that puts values into a table."""

    path: str
    line: int
    table: str
    column: str
    """'' when it is for every column."""
    value: ast.expr


def read(trace: "Trace", module: Module, node: ast.Call) -> list[Origin] | None:
    """Origin of rows that a call fetches; None when it fetches none."""
    assert isinstance(node.func, ast.Attribute)  # the caller asks about methods only
    name = node.func.attr
    model = _model(trace, module, node)
    if model is not None:
        return [Origin(STORED, model, module.location(node))]
    if name not in FETCHES and name not in {"execute"}:
        return None
    statements = [node] if name == "execute" else _statements(module, node.func.value, node)
    found = []
    for call in statements:
        text = sql_text(module, call.args[0]) if call.args else ""
        match = _READ.match(text)
        if match is not None:
            columns = tuple(c.strip().rpartition(".")[2].lower() for c in match.group(1).split(","))
            found.append(
                Origin(
                    STORED,
                    match.group(2).strip('`"[').lower(),
                    module.location(call),
                    columns=() if "*" in columns else columns,
                )
            )
    return found or None


def _statements(module: Module, receiver: ast.expr, fetch: ast.Call) -> list[ast.Call]:
    """Calls that ran the statement whose rows are fetched: on the same cursor, the nearest before."""
    if isinstance(receiver, ast.Await):
        receiver = receiver.value
    if isinstance(receiver, ast.Call):
        return [receiver] if _executes(receiver) else []
    if not isinstance(receiver, ast.Name):
        return []
    found = []
    for binding in bindings.bindings(module, receiver):
        value = binding.node.value if isinstance(binding.node, ast.Await) else binding.node
        if isinstance(value, ast.Call) and _executes(value):
            found.append(value)
    if found:
        return found
    function = module.enclosing_function(fetch)
    if function is None:
        return []
    before = [
        c for c in ast.walk(function)
        if isinstance(c, ast.Call) and _executes(c) and c.lineno <= fetch.lineno
        and isinstance(c.func, ast.Attribute) and isinstance(c.func.value, ast.Name) and c.func.value.id == receiver.id
    ]  # fmt: skip
    return sorted(before, key=lambda c: c.lineno)[-1:]


def _executes(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in EXECUTES


def sql_text(module: Module, node: ast.expr, depth: int = 5) -> str:
    """What is known of the text of a statement, `?` for what is put in; '' when nothing is."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr():
            return "".join(sql_text(module, v, depth) or "?" for v in node.values)
        case ast.BinOp(op=ast.Add()):
            return sql_text(module, node.left, depth) + (sql_text(module, node.right, depth) or "?")
        case ast.BinOp(op=ast.Mod()):
            return sql_text(module, node.left, depth)
        case ast.Call(func=ast.Attribute(attr="format" | "strip" | "lstrip")):
            assert isinstance(node.func, ast.Attribute)  # as the pattern says
            return sql_text(module, node.func.value, depth)
        case ast.Call() if node.args and (module.resolve(node.func) or "").rpartition(".")[2] in {
            "text",
            "dedent",
            "SQL",
        }:
            return sql_text(module, node.args[0], depth)
        case ast.Subscript():
            return sql_text(module, node.value, depth)
        case ast.Name() if depth:
            values = [
                b.node for b in bindings.bindings(module, node) if b.how == "value" and isinstance(b.node, ast.expr)
            ]
            texts = [sql_text(module, v, depth - 1) for v in values]
            return next(
                (t for t in texts if re.match(r"\s*(?:select|insert|update|delete|replace)\b", t, re.I)),
                next(iter(texts), ""),
            )
        case _:
            return ""


def _model(trace: "Trace", module: Module, node: ast.Call) -> str | None:
    """`Model.objects.filter(...)`, `Model.query.get(...)`, `session.query(Model)...`: the class, with its bases from outside."""
    current: ast.expr = node
    asked = False
    while True:
        if isinstance(current, ast.Call):
            if isinstance(current.func, ast.Attribute) and current.func.attr == "query" and current.args:
                dotted = module.resolve(current.args[0])
                return trace.class_of(module, dotted) if dotted else None
            asked = asked or (isinstance(current.func, ast.Attribute) and current.func.attr in _QUERIES)
            current = current.func
        elif isinstance(current, ast.Attribute):
            if current.attr in {"objects", "query"} and asked:
                dotted = module.resolve(current.value)
                return trace.class_of(module, dotted) if dotted else None
            current = current.value
        elif isinstance(current, ast.Await | ast.Subscript):
            current = current.value
        else:
            return None


# writing


def writers(trace: "Trace", origin: Origin) -> tuple[list[Origin], list[Write]]:
    """Origins of everything the project writes into the column that a stored value is read from, and where."""
    found: list[Origin] = []
    places: list[Write] = []
    for write in written(trace.project):
        if write.table != origin.what or not _fits(write.column, origin):
            continue
        home = trace.module(write.path)
        if home is not None:
            origins = trace.of(home, write.value)
            found += origins
            places.append(write)
    return found, places


def _fits(column: str, origin: Origin) -> bool:
    if not column:
        return not origin.column or not origin.column.startswith("#")
    if origin.column.startswith("#"):
        return False
    if origin.column:
        return column == origin.column.lower()
    return not origin.columns or column in origin.columns


@once
def written(project: Project) -> tuple[Write, ...]:
    """Every write of the project outside of tests, by file."""
    found: list[Write] = []
    for module in project.modules_matching(
        re.compile(rb"(?i)insert\s+(?:or\s+\w+\s+)?into|update\s+\S+\s+set|replace\s+into")
    ):
        for call in module.nodes(ast.Call):
            if _executes(call) and call.args:
                found += _of_statement(module, call)
    for module in project.modules_matching(re.compile(rb"objects|\.save\(|session\.add|\.commit\(")):
        found += _of_objects(project, module)
    return tuple(found)


def _of_statement(module: Module, call: ast.Call) -> Iterator[Write]:
    text = sql_text(module, call.args[0])
    insert, update = _INSERT.match(text), _UPDATE.match(text)
    match = insert or update
    if match is None:
        return
    table = match.group(1).strip('`"[').lower()
    columns: list[str] = []
    if insert is not None and insert.group(2):
        columns = [c.strip().strip('`"[]').lower() for c in insert.group(2).split(",")]
    if update is not None:
        columns = [c.partition("=")[0].strip().strip('`"[]').lower() for c in update.group(2).split(",")]
    values: list[ast.expr] = []
    given = _literal(module, call.args[1]) if len(call.args) > 1 else None
    if isinstance(given, ast.Dict):
        for key, value in zip(given.keys, given.values, strict=True):
            named = str(key.value).lower() if isinstance(key, ast.Constant) else ""
            yield Write(module.path, call.lineno, table, named if named in columns else "", value)
        return
    if isinstance(given, ast.Tuple | ast.List):
        values = list(given.elts)
    plain = insert is not None and bool(columns) and len(columns) == len(values)
    for at, value in enumerate(values):
        if plain or (update is not None and at < len(columns)):
            yield Write(module.path, call.lineno, table, columns[at], value)
        elif update is None:
            yield Write(module.path, call.lineno, table, "", value)
    if given is None and len(call.args) > 1:
        for column in columns or [""]:
            yield Write(module.path, call.lineno, table, column, call.args[1])
    if not isinstance(call.args[0], ast.Constant):
        for column in columns or [""]:
            yield Write(module.path, call.lineno, table, column, call.args[0])


def _literal(module: Module, node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.Name):
        values = [b.node for b in bindings.bindings(module, node) if b.how == "value" and isinstance(b.node, ast.expr)]
        return values[0] if len(values) == 1 and isinstance(values[0], ast.Dict | ast.Tuple | ast.List) else None
    return node if isinstance(node, ast.Dict | ast.Tuple | ast.List) else None


def _of_objects(project: Project, module: Module) -> Iterator[Write]:
    """`Model.objects.create(a=v)`, `Model(a=v)`, and `row.a = v` before `row.save()` or a commit."""
    for call in module.nodes(ast.Call):
        model = _class_called(project, module, call)
        if model is None:
            continue
        for keyword in call.keywords:
            yield Write(module.path, call.lineno, model, (keyword.arg or "").lower(), keyword.value)


def _class_called(project: Project, module: Module, call: ast.Call) -> str | None:
    func = call.func
    if isinstance(func, ast.Attribute) and func.attr in {"create", "get_or_create", "update_or_create"}:
        func = func.value.value if isinstance(func.value, ast.Attribute) and func.value.attr == "objects" else func
    dotted = module.resolve(func)
    if dotted is None:
        return None
    name = project.index.canonical(dotted if "." in dotted or not module.name else f"{module.name}.{dotted}")
    known = project.index.classes.get(name)
    return name if known is not None and any(b.endswith("Model") for b in known.bases) else None
