"""late-binding-closure: a function made in a loop uses the loop's variable, and is called when the loop is over.

Why: the closure holds the variable, not its value. All of them see the last one.

Example:

    for name in names:
        buttons[name] = lambda: click(name)      # lambda name=name: click(name)

What it cannot see: whether a function it is handed to calls it at once or keeps it; such claims stay open.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import own, parameters, stored
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="late-binding-closure",
    group="correctness",
    title="Closure sees the last value of a loop variable",
    severity=Severity.MEDIUM,
    page=__doc__,
)
Closure = ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Closures in a loop body or comprehension element that read one of its targets from outside themselves."""
    if module.test:
        return
    del project
    for loop in module.nodes(ast.For):
        variables = stored([loop.target])
        for node in own(loop.body):
            if isinstance(node, Closure):
                yield from _claim(module, node, variables)
    comprehensions: list[ast.ListComp | ast.SetComp | ast.DictComp] = [
        *module.nodes(ast.ListComp),
        *module.nodes(ast.SetComp),
        *module.nodes(ast.DictComp),
    ]
    for comprehension in comprehensions:
        targets = stored([g.target for g in comprehension.generators])
        values = [comprehension.value] if isinstance(comprehension, ast.DictComp) else [comprehension.elt]
        for node in own(values):
            if isinstance(node, ast.Lambda):
                yield from _claim(module, node, targets)


def _claim(module: Module, closure: Closure, variables: set[str]) -> Iterator[Claim]:
    bound = {p.arg for p in _parameters(closure)}
    body = [closure.body] if isinstance(closure, ast.Lambda) else closure.body
    bound |= stored(body)
    read = [
        n.id for part in body for n in ast.walk(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    ]  # fmt: skip
    late = next((name for name in read if name in variables and name not in bound), None)
    if late is None:
        return
    yield module.claim(
        RULE,
        closure,
        scenario=f"Called after the loop has gone on, this function sees the last `{late}`, not the one it was made for.",
        fix=f"Bind the value at creation: a default `{late}={late}` or functools.partial.",
        facts={"name": late},
    )


def _parameters(closure: Closure) -> list[ast.arg]:
    if isinstance(closure, ast.Lambda):
        a = closure.args
        return [*a.posonlyargs, *a.args, *a.kwonlyargs, *[s for s in (a.vararg, a.kwarg) if s]]
    return parameters(closure)


CHECK = Check(rules=(RULE,), module=check)
