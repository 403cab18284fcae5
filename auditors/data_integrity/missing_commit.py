"""missing-commit: a function opens a database, writes to it, and closes it without a commit.

Why: Python's database modules begin a transaction before the first write. Closing without `commit()` throws it away.

Example:

    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO note VALUES (?)", (text,))
    connection.close()                     # the row was never there; connection.commit() before

What it cannot see: connections that come from elsewhere.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import constant, dotted, marginal, own
from auditors.data_integrity.partial_transaction import WRITES
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="missing-commit",
    group="data-integrity",
    title="Written and never committed",
    severity=Severity.HIGH,
    cwe=None,
    page=__doc__,
)

_MAKERS = {"sqlite3.connect", "psycopg2.connect", "psycopg.connect", "pymysql.connect", "MySQLdb.connect"}


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Locals made by `connect`, with constant write statements in the same function and no word of a commit."""
    del project
    if marginal(module) or "connect(" not in module.text:
        return
    for qualname, function in module.functions:
        nodes = list(own(function.body))
        made = [
            n
            for n in nodes
            if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call) and module.resolve(n.value.func) in _MAKERS
        ]
        if not made or "commit" in ast.unparse(function):
            continue
        writes = [n for n in nodes if isinstance(n, ast.Call) and _writes(n)]
        owner = dotted(made[0].targets[0])
        if owner is None or "." in owner or not writes:
            continue
        yield module.claim(
            RULE,
            writes[0],
            scenario=f"`{qualname}` writes through `{owner}` in line {writes[0].lineno} and never commits: when the connection "
            "is closed the row is gone, without an error.",
            fix=f"{owner}.commit(), or `with {owner}:` around the writes.",
            facts={"connection": owner, "made_line": str(made[0].lineno), "function": qualname},
            related=(module.related("definition", made[0], "opened here"),),
        )


def _writes(call: ast.Call) -> bool:
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return method in {"execute", "executemany"} and bool(call.args) and bool(WRITES.match(constant(call.args[0]) or ""))


CHECK = Check(rules=(RULE,), module=check)
