"""changed-while-iterated: a dict, set or list grows or shrinks while a loop runs over it.

Why: a dict or set raises `RuntimeError: changed size during iteration`; a list skips the element after each one removed.

Example:

    for key in cache:                    # for key in list(cache)
        if expired(key):
            del cache[key]

What it cannot see: changes made by functions the loop calls.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import dotted, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="changed-while-iterated",
    group="correctness",
    title="Container changes while it is iterated",
    severity=Severity.MEDIUM,
    page=__doc__,
)
CHANGES = frozenset({"pop", "popitem", "clear", "remove", "discard", "add", "insert", "append", "extend"})
VIEWS = frozenset({"items", "keys", "values"})


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Loops over a plain name or attribute, or a view of it, with a change of the same chain in the body."""
    if module.test:
        return
    del project
    for loop in module.nodes(ast.For):
        source = loop.iter
        view = ""
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and source.func.attr in VIEWS:
            view, source = source.func.attr, source.func.value
        base = dotted(source)
        if not base:
            continue
        for node in own(loop.body):
            change = _change(node, base)
            if change:
                yield module.claim(
                    RULE,
                    node,
                    scenario=f"The loop in line {loop.lineno} runs over `{base}` while this `{change}` changes its size: "
                    "RuntimeError for a dict or set, skipped elements for a list.",
                    fix=f"Iterate over a copy: `list({module.segment(loop.iter)})`.",
                    facts={"container": base, "loop": str(loop.lineno), "change": change, "view": view},
                    related=(module.related("definition", loop, "the loop over it"),),
                )
                break


def _change(node: ast.AST, base: str) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
        return node.func.attr if dotted(node.func.value) == base else ""
    if isinstance(node, ast.Delete):
        return "del" if any(isinstance(t, ast.Subscript) and dotted(t.value) == base for t in node.targets) else ""
    return ""


CHECK = Check(rules=(RULE,), module=check)
