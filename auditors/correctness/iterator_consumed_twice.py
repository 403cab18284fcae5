"""iterator-consumed-twice: a generator, map, filter or zip is run through a second time, when nothing is left in it.

Why: the second loop sees nothing, without any error.

Example:

    rows = (parse(line) for line in lines)
    total = sum(r.size for r in rows)
    for row in rows:                      # never entered: rows = [...]
        save(row)

What it cannot see: iterators that come from arguments or attributes.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import dotted, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="iterator-consumed-twice",
    group="correctness",
    title="Iterator is empty the second time",
    severity=Severity.MEDIUM,
    page=__doc__,
)
MAKERS = frozenset({"map", "filter", "zip", "iter", "reversed", "enumerate"})
CONSUMERS = frozenset({"list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "min", "max", "any", "all"})


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Names bound once in a function, to a fresh iterator, with two reads that run through it."""
    if module.test:
        return
    for assign in module.nodes(ast.Assign):
        if len(assign.targets) != 1 or not isinstance(assign.targets[0], ast.Name):
            continue
        if not _makes_iterator(module, project, assign.value):
            continue
        function = module.enclosing_function(assign)
        if function is not None:
            yield from _twice(module, function, assign, assign.targets[0].id)


def _makes_iterator(module: Module, project: Project, value: ast.expr) -> bool:
    if isinstance(value, ast.GeneratorExp):
        return True
    if not isinstance(value, ast.Call):
        return False
    if dotted(value.func) in MAKERS:
        return True
    name = module.resolve(value.func)
    called = project.index.function(name) if name and "." in name else None
    return called is not None and called.is_generator and not called.is_async and not called.decorators


def _twice(module: Module, function: FunctionNode, assign: ast.Assign, name: str) -> Iterator[Claim]:
    uses: list[ast.AST] = []
    for node in own(function.body):
        stored = isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        if stored and getattr(node, "lineno", 0) != assign.lineno:
            return
        if getattr(node, "lineno", 0) < assign.lineno:
            continue
        uses += [s for s in _consumed(node) if isinstance(s, ast.Name) and s.id == name]
    repeated = [u for u in uses if _loops(module, u, function) > _loops(module, assign, function)]
    second = uses[1] if len(uses) > 1 else repeated[0] if repeated else None
    if second is None:
        return
    yield module.claim(
        RULE,
        second,
        scenario=f"`{name}` (line {assign.lineno}) was run through before: here it yields nothing, silently.",
        fix=f"Make `{name}` a list, or make the iterator again.",
        facts={"name": name, "made": str(assign.lineno)},
        related=(
            module.related("definition", assign, "the one iterator"),
            module.related("step", uses[0], "runs through it"),
        ),
    )


def _consumed(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.For):
        return [node.iter]
    if isinstance(node, ast.comprehension):
        return [node.iter]
    if isinstance(node, ast.Call) and dotted(node.func) in CONSUMERS:
        return node.args[:1]
    return []


def _loops(module: Module, node: ast.AST, function: FunctionNode) -> int:
    """How many loops repeat `node` (the iterable of a for-loop is not repeated by it)."""
    count, child = 0, node
    for up in module.ancestors(node):
        if up is function:
            break
        if (isinstance(up, ast.For) and child is not up.iter) or isinstance(up, ast.While):
            count += 1
        child = up
    return count


CHECK = Check(rules=(RULE,), module=check)
