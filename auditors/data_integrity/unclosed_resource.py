"""unclosed-resource: a file, socket, descriptor or connection is closed only when nothing goes wrong, or never.

Why: an exception in between leaves it open: descriptors run out, files cannot be removed on Windows, what was
buffered is not on the disk, a database stays locked.

Example:

    connection = sqlite3.connect(path)
    rows = connection.execute(query).fetchall()     # raises: the connection stays open
    connection.close()                              # contextlib.closing(...), or finally

What it cannot see: resources kept in attributes, and functions of the project that open something and return it.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import dotted, marginal, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="unclosed-resource",
    group="data-integrity",
    title="Not closed on the error path",
    severity=Severity.LOW,
    cwe=772,
    page=__doc__,
)

OPENERS = {
    "open": "file", "io.open": "file", "os.open": "descriptor", "os.fdopen": "file", "codecs.open": "file",
    "gzip.open": "file", "bz2.open": "file", "lzma.open": "file", "tarfile.open": "archive", "zipfile.ZipFile": "archive",
    "socket.socket": "socket", "socket.create_connection": "socket", "sqlite3.connect": "connection",
    "psycopg2.connect": "connection", "psycopg.connect": "connection", "pymysql.connect": "connection",
    "tempfile.mkstemp": "descriptor", "smtplib.SMTP": "connection", "smtplib.SMTP_SSL": "connection",
    "ftplib.FTP": "connection", "http.client.HTTPConnection": "connection", "http.client.HTTPSConnection": "connection",
}  # fmt: skip
"""Calls that open something which has to be closed -> what it is."""

_HEAVY = {"socket", "connection", "descriptor"}


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Locals that hold an opened thing which stays in the function and is closed neither by `with` nor in `finally`."""
    del project
    if marginal(module):
        return
    for node in module.nodes(ast.Assign):
        if not isinstance(node.value, ast.Call) or len(node.targets) != 1:
            continue
        kind = OPENERS.get(module.resolve(node.value.func) or "")
        function = module.enclosing_function(node) if kind is not None else None
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and kind == "descriptor" and target.elts:
            target = target.elts[0]
        if kind is None or function is None or not isinstance(target, ast.Name):
            continue
        claim = _claim(module, function, list(own(function.body)), node, target.id, kind)
        if claim is not None:
            yield claim


def _claim(
    module: Module, function: FunctionNode, nodes: list[ast.AST], node: ast.Assign, name: str, kind: str
) -> Claim | None:
    if _leaves(module, nodes, name):
        return None
    closes = [c for n in nodes if (c := _close(n, name)) is not None and c.lineno >= node.lineno]
    if any(_final(module, c) for c in closes) or any(_entered(n, name) for n in nodes):
        return None
    opener = module.resolve(node.value.func) or ""  # type: ignore[attr-defined]  # a call, tested by the caller
    when = f"before line {closes[0].lineno}, which closes it," if closes else "or returns: nothing closes it,"
    return module.claim(
        RULE,
        node,
        severity=Severity.MEDIUM if kind in _HEAVY and not closes else None,
        scenario=f"`{function.name}` opens `{name}` with `{opener}` and raises {when} and the {kind} stays open.",
        fix=f"Use `with`{'' if kind in {'file', 'archive', 'socket'} else ' contextlib.closing(...)'}, "
        f"or close `{name}` in `finally`.",
        facts={
            "name": name,
            "kind": kind,
            "opener": opener,
            "close_line": str(closes[0].lineno) if closes else "",
            "function": module.qualname(function),
        },
        related=tuple(module.related("step", c, "closed here when nothing was raised") for c in closes[:1]),
    )


def _leaves(module: Module, nodes: list[ast.AST], name: str) -> bool:
    """Whether the thing is returned, yielded, stored, or handed to somebody who may keep or close it."""
    for node in nodes:
        if not (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)):
            continue
        parent = module.parents.get(node)
        if isinstance(parent, ast.Attribute | ast.Compare | ast.For | ast.If | ast.UnaryOp | ast.comprehension):
            continue
        if isinstance(parent, ast.Call) and (module.resolve(parent.func) or "") in {
            "os.close",
            "os.write",
            "os.read",
            "os.fsync",
        }:
            continue
        if isinstance(parent, ast.Call) and (module.resolve(parent.func) or "") in {
            "json.dump",
            "json.load",
            "pickle.dump",
        }:
            continue
        return True
    return False


def _close(node: ast.AST, name: str) -> ast.Call | None:
    if not isinstance(node, ast.Call):
        return None
    if dotted(node.func) in {f"{name}.close", f"{name}.quit", f"{name}.detach"}:
        return node
    return node if dotted(node.func) == "os.close" and node.args and dotted(node.args[0]) == name else None


def _final(module: Module, call: ast.Call) -> bool:
    below: ast.AST = call
    for up in module.ancestors(call):
        if isinstance(up, ast.Try) and below in up.finalbody:
            return True
        if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef):
            return False
        below = up
    return False


def _entered(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.With | ast.AsyncWith):
        return False
    return any(isinstance(n, ast.Name) and n.id == name for item in node.items for n in ast.walk(item.context_expr))


CHECK = Check(rules=(RULE,), module=check)
