"""partial-dump: `json.dump` into a file that is already emptied, of something that may not be serialisable.

Why: `json.dump` writes piece by piece. It raises in the middle at the first value it does not know, and leaves the
first half of the file where the old one was.

Example:

    with open(path, "w") as stream:
        json.dump({"at": datetime.now()}, stream)     # TypeError after `{"at": `; json.dumps first, then write

What it cannot see: values behind names and calls, unless their type is plain from the function.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import dotted, keyword, marginal
from auditors.data_integrity.paths import access
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="partial-dump",
    group="data-integrity",
    title="Half a file when serialising fails",
    severity=Severity.LOW,
    cwe=None,
    page=__doc__,
)

_ODD = {
    "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.date.today", "pathlib.Path", "uuid.uuid4", "set",
    "frozenset", "bytes", "decimal.Decimal", "datetime.timedelta", "datetime.datetime.fromtimestamp", "complex", "object",
}  # fmt: skip


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`json.dump(x, f)` with `f` opened for writing in the same function and something odd in the text of `x`."""
    del project
    if marginal(module):
        return
    for call in module.nodes(ast.Call):
        if (
            module.resolve(call.func) != "json.dump"
            or len(call.args) < 2
            or keyword(call, "default")
            or keyword(call, "cls")
        ):
            continue
        opened = _opened(module, call, dotted(call.args[1]) or "")
        odd = next((n for n in ast.walk(call.args[0]) if _odd(module, n)), None)
        if opened is None or odd is None:
            continue
        yield module.claim(
            RULE,
            call,
            scenario=f"`json.dump` raises TypeError at `{ast.unparse(odd)[:60]}`, after line {opened.lineno} has emptied the "
            "file and the first part is written: what was in the file is gone.",
            fix="text = json.dumps(..., default=...) before the file is opened.",
            facts={"value": ast.unparse(odd)[:200], "open_line": str(opened.lineno)},
            related=(module.related("source", opened, "emptied here"),),
        )


def _odd(module: Module, node: ast.AST) -> bool:
    if isinstance(node, ast.Set | ast.SetComp | ast.GeneratorExp):
        return True
    if isinstance(node, ast.Constant):
        return isinstance(node.value, bytes)
    return isinstance(node, ast.Call) and (module.resolve(node.func) or "") in _ODD


def _opened(module: Module, call: ast.Call, stream: str) -> ast.Call | None:
    for up in module.ancestors(call):
        if isinstance(up, ast.With):
            for item in up.items:
                found = access(module, item.context_expr) if isinstance(item.context_expr, ast.Call) else None
                if found is not None and found.mode[:1] == "w" and dotted(item.optional_vars) == stream:
                    return found.call
        if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef):
            return None
    return None


CHECK = Check(rules=(RULE,), module=check)
