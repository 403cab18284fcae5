"""implicit-none-return: a function returns a value on most paths and falls off its end on one, and a caller uses the value.

Why: the forgotten path answers None, and the caller breaks far away from the mistake.

Example:

    def load(path):
        try:
            return parse(path)
        except OSError:
            log.exception("cannot load")     # falls off: None

    load("settings").timeout                  # AttributeError

What it cannot see: callers in other projects.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.index import Function
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed

RULE = Rule(
    id="implicit-none-return",
    group="correctness",
    title="Function forgets to return on one path",
    severity=Severity.MEDIUM,
    cwe=394,
    page=__doc__,
)
MOST_CALLERS = 40
"""Callers looked at; a name with more is too common to tell whose calls they are."""


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Functions with a valued return and an end that can be reached, one of whose callers dereferences the result."""
    if module.test:
        return
    for qualname, function in module.functions:
        if not _falls_off(function.body) or not _returns_value(function):
            continue
        known = project.index.functions.get(f"{module.name}.{qualname}" if module.name else qualname)
        if known is None or known.is_generator or known.decorators:
            continue
        use = _use(project, known)
        if use is None:
            continue
        path, line = use
        yield module.claim(
            RULE,
            function,
            scenario=f"`{function.name}` falls off its end on one path and answers None; {path}:{line} uses the answer unchecked.",
            fix="Return a value or raise on that path.",
            facts={"caller_path": path, "caller_line": str(line)},
        )


def _returns_value(function: FunctionNode) -> bool:
    returns = [n for n in own(function.body) if isinstance(n, ast.Return)]
    empty = [r for r in returns if r.value is None or (isinstance(r.value, ast.Constant) and r.value.value is None)]
    return bool(returns) and not empty


def _falls_off(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.Return | ast.Raise | ast.Continue):
        return False
    if isinstance(last, ast.If):
        return not last.orelse or _falls_off(last.body) or _falls_off(last.orelse)
    if isinstance(last, ast.With | ast.AsyncWith):
        return _falls_off(last.body)
    if isinstance(last, ast.Try):
        if last.finalbody and not _falls_off(last.finalbody):
            return False
        return any(_falls_off(b) for b in [last.orelse or last.body, *(h.body for h in last.handlers)])
    if isinstance(last, ast.While):
        return not (isinstance(last.test, ast.Constant) and last.test.value)
    return True


def _use(project: Project, function: Function) -> tuple[str, int] | None:
    callers = project.index.callers(function)
    if (
        len(callers) > MOST_CALLERS
        or len(project.index.by_simple_name.get(function.qualname.rpartition(".")[2], [])) > 1
    ):
        return None
    for call in callers:
        if call.test:
            continue
        try:
            module = project.module(call.path)
        except NotParsed:
            continue
        for node in module.nodes(ast.Call):
            if (node.lineno, node.col_offset) == (call.line, call.column):
                parent = module.parents.get(node)
                if isinstance(parent, ast.Attribute | ast.Subscript) and parent.value is node:
                    return call.path, call.line
                if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Tuple):
                    return call.path, call.line
    return None


CHECK = Check(rules=(RULE,), module=check)
