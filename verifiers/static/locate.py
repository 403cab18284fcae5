"""Finds the node a finding speaks of in the audited revision, again and from scratch."""

import ast
from typing import TypeVar

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from harness.source.syntax import NotParsed

N = TypeVar("N", bound=ast.AST)


def module_of(finding: Finding, project: Project) -> Module | None:
    """The parsed module of the finding, None when there is none."""
    try:
        return project.module(finding.path)
    except (KeyError, NotParsed):
        return None


def node_at(module: Module, finding: Finding, *types: type[N]) -> N | None:
    """The node of one of `types` with the finding's extent, else that starts there, else the only one on the line."""
    on_line = [n for n in module.nodes(*types) if getattr(n, "lineno", 0) == finding.line]
    exact = [n for n in on_line if module.location(n).column == finding.column]
    if exact:
        whole = [n for n in exact if module.location(n) == finding.location]
        return (whole or exact)[0]
    return on_line[0] if len(on_line) == 1 else None


def statement_at(module: Module, line: int) -> ast.stmt | None:
    """The innermost statement on the line, None when there is none."""
    found: ast.stmt | None = None
    stack: list[ast.AST] = list(module.tree.body)
    while stack:
        node = stack.pop()
        first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if first is not None and last is not None and not first <= line <= last:
            continue
        if isinstance(node, ast.stmt):
            found = node
            stack = []
        stack.extend(ast.iter_child_nodes(node))
    return found
