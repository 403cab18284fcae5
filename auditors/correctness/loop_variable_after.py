"""loop-variable-after-empty-loop: a name that only the loop binds is used behind it.

Why: with nothing to iterate over the name was never bound: `UnboundLocalError`, or the value of an older binding.

Example:

    for line in lines:
        number = parse(line)
    return number          # lines == [] raises UnboundLocalError

Claimed where a test of the same function asks about the iterable, which shows that it may be empty.
What it cannot see: iterables that nobody asks about; most of those have a reason to be never empty.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import NESTED, dotted, own, parameters, stored
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="loop-variable-after-empty-loop",
    group="correctness",
    title="Name bound only inside a loop is used after it",
    severity=Severity.LOW,
    cwe=457,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """For-loops over something a test asks about, whose bindings nobody made before and the same block reads behind."""
    if module.test:
        return
    del project
    for loop in module.nodes(ast.For):
        function = module.enclosing_function(loop)
        if function is None or loop.orelse or not _may_be_empty(function, loop):
            continue
        block = _block_of(module, loop)
        at = block.index(loop) if loop in block else -1
        if at < 0:
            continue
        fresh = stored([loop.target, *loop.body]) - _bound_before(function, loop)
        if not fresh:
            continue
        yield from _first_reads(module, loop, block[at + 1 :], fresh)


def _may_be_empty(function: FunctionNode, loop: ast.For) -> bool:
    """Some test of the function speaks of what the loop runs over."""
    source = dotted(loop.iter)
    tests = (node.test for node in own(function.body) if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert))
    return bool(source) and any(dotted(part) == source for test in tests for part in ast.walk(test))


def _block_of(module: Module, statement: ast.stmt) -> list[ast.stmt]:
    parent = module.parents.get(statement)
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, None)
        if isinstance(block, list) and statement in block:
            return block
    return []


def _bound_before(function: FunctionNode, loop: ast.For) -> set[str]:
    bound = {p.arg for p in parameters(function)}
    for node in own(function.body):
        if isinstance(node, ast.Global | ast.Nonlocal):
            bound.update(node.names)
        line = getattr(node, "lineno", 0)
        if line >= loop.lineno:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.alias | ast.ExceptHandler):
            bound |= stored([node])
    return bound


def _first_reads(module: Module, loop: ast.For, rest: list[ast.stmt], fresh: set[str]) -> Iterator[Claim]:
    settled: set[str] = set()
    for statement in rest:
        for node in own([statement]):
            if isinstance(node, NESTED) or not isinstance(node, ast.Name) or node.id not in fresh or node.id in settled:
                continue
            settled.add(node.id)
            if isinstance(node.ctx, ast.Load):
                yield module.claim(
                    RULE,
                    node,
                    scenario=f"When the loop in line {loop.lineno} has nothing to iterate over, `{node.id}` was never bound and "
                    "this line raises UnboundLocalError.",
                    fix=f"Bind `{node.id}` before the loop, or handle the empty case.",
                    facts={"name": node.id, "loop": str(loop.lineno)},
                    related=(module.related("definition", loop, "the only place that binds it"),),
                )
        settled |= stored([statement]) & fresh


CHECK = Check(rules=(RULE,), module=check)
