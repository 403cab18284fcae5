"""swallowed-write-error: something is written to a file or database, and every error of it is dropped.

Why: the caller goes on as if the data were safe. Full disk, missing rights, a broken connection: nobody learns of it
before the data is missed.

Example:

    try:
        path.write_text(record)
    except Exception:
        pass                     # catch what is expected; log, or raise, the rest

What it cannot see: writes behind functions of the project, and handlers that call something without effect.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import dotted, marginal, own
from auditors.data_integrity.paths import access
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="swallowed-write-error",
    group="data-integrity",
    title="Error of a write dropped",
    severity=Severity.MEDIUM,
    cwe=391,
    page=__doc__,
)

_BROAD = {"Exception", "BaseException", "OSError", "IOError", "EnvironmentError", "Error", "DatabaseError"}
_CALLS = {"os.replace", "os.rename", "shutil.copy", "shutil.copyfile", "shutil.copy2", "shutil.move", "json.dump"}
_METHODS = {"commit", "executemany", "write", "writelines", "save", "bulk_create", "insert_one", "put_object"}


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Broad handlers without any statement of effect over a write, and `suppress` of a broad error over one."""
    del project
    if marginal(module):
        return
    for block in module.nodes(ast.Try):
        for handler in block.handlers:
            if not _broad(handler.type) or not _silent(handler.body):
                continue
            write = next((w for n in own(block.body) if (w := _write(module, n))), None)
            if write is not None:
                yield _claim(module, handler, write, ast.unparse(handler.type) if handler.type else "everything")
    for scope in module.nodes(ast.With):
        call = scope.items[0].context_expr
        if isinstance(call, ast.Call) and (module.resolve(call.func) or "") == "contextlib.suppress":
            if not any(_broad(a) for a in call.args):
                continue
            write = next((w for n in own(scope.body) if (w := _write(module, n))), None)
            if write is not None:
                yield _claim(module, scope, write, ", ".join(ast.unparse(a) for a in call.args))


def _claim(module: Module, place: ast.ExceptHandler | ast.With, write: ast.Call, caught: str) -> Claim:
    what = ast.unparse(write.func)
    return module.claim(
        RULE,
        place,
        scenario=f"`{what}` in line {write.lineno} fails (disk full, no rights, connection lost): {caught} is caught, nothing "
        f"is said, and the caller of `{module.symbol(place) or module.name}` takes the data for safe.",
        fix="Catch the one error that is expected; let the others through, or log them and tell the caller.",
        facts={"write": what, "write_line": str(write.lineno), "caught": caught},
        related=(module.related("step", write, "the write"),),
    )


def _broad(kind: ast.expr | None) -> bool:
    if kind is None:
        return True
    names = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any((dotted(n) or "").rpartition(".")[2] in _BROAD for n in names)


def _silent(body: list[ast.stmt]) -> bool:
    """Nothing but pass, continue, docstrings and constants returned."""
    for statement in body:
        plain = isinstance(statement, ast.Pass | ast.Continue | ast.Break)
        returned = isinstance(statement, ast.Return) and (
            statement.value is None or (isinstance(statement.value, ast.Constant) and statement.value.value is None)
        )
        text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not (plain or returned or text):
            return False
    return True


def _write(module: Module, node: ast.AST) -> ast.Call | None:
    if not isinstance(node, ast.Call):
        return None
    found = access(module, node)
    if found is not None:
        return node if set(found.mode) & set("wax+") else None
    if module.resolve(node.func) in _CALLS:
        return node
    return node if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS else None


CHECK = Check(rules=(RULE,), module=check)
