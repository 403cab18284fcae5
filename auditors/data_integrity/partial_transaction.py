"""partial-transaction: several writes and one commit on a connection that lives on, and no rollback when one fails.

Why: after the error the first writes are still in the open transaction. The next caller's commit makes them permanent,
without the rest.

Example:

    self.db.execute("UPDATE account SET balance = balance - ? WHERE id = ?", (n, a))
    self.db.execute("UPDATE account SET balance = balance + ? WHERE id = ?", (n, b))   # raises
    self.db.commit()                                                                   # with self.db: around both

What it cannot see: connections that are opened elsewhere and handed in, and statements built at run time.
"""

import ast
import re
from collections.abc import Iterator

from auditors.bodies import constant, dotted, marginal, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="partial-transaction",
    group="data-integrity",
    title="No rollback between writes",
    severity=Severity.MEDIUM,
    cwe=460,
    page=__doc__,
)

WRITES = re.compile(r"\s*(insert|update|delete|replace)\b", re.IGNORECASE)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Functions with two or more constant write statements, a commit, and no word of a rollback."""
    del project
    if marginal(module) or ".commit(" not in module.text:
        return
    for qualname, function in module.functions:
        calls = [n for n in own(function.body) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
        commits = [c for c in calls if c.func.attr == "commit"]  # type: ignore[attr-defined]  # filtered above
        if not commits or "rollback" in ast.unparse(function):
            continue
        writes = [c for c in calls if _writes(c) and c.lineno <= commits[0].lineno]
        owner = dotted(commits[0].func.value) if isinstance(commits[0].func, ast.Attribute) else None
        if len(writes) < 2 or owner is None or _in_with(module, writes[1], function, owner):
            continue
        yield module.claim(
            RULE,
            commits[0],
            scenario=f"The statement in line {writes[1].lineno} of `{qualname}` raises: that of line {writes[0].lineno} stays in "
            f"the open transaction of `{owner}`, and the next commit on it makes half of the change permanent.",
            fix=f"`with {owner}:` around the statements, or rollback() in an exception handler.",
            facts={
                "connection": owner,
                "first_line": str(writes[0].lineno),
                "second_line": str(writes[1].lineno),
                "function": qualname,
            },
            related=tuple(module.related("step", w) for w in writes[:2]),
        )


def _writes(call: ast.Call) -> bool:
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return method in {"execute", "executemany"} and bool(call.args) and bool(WRITES.match(constant(call.args[0]) or ""))


def _in_with(module: Module, node: ast.AST, function: FunctionNode, owner: str) -> bool:
    for up in module.ancestors(node):
        if up is function:
            return False
        if isinstance(up, ast.With) and any(owner in ast.unparse(item.context_expr) for item in up.items):
            return True
    return False


CHECK = Check(rules=(RULE,), module=check)
