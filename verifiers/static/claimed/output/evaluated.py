"""Asks the evaluation about a place that the trace found: it reaches less far, and knows which values really arrive."""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.claimed.output.spot import moved
from verifiers.static.ruling import Ruling
from verifiers.static.security import taint


def evaluated(
    finding: Finding, project: Project, module: Module, node: ast.AST, kind: str, *, callers: bool = True
) -> Ruling:
    """What arrives at a call or return, for every function that reaches it; `kind` is the kind of sink.

    Without `callers`, its own function alone is evaluated, with parameters of which nothing is known.
    """
    function = module.enclosing_function(node)
    sink = ast.unparse(node.func) if isinstance(node, ast.Call) else "response body"
    facts = {"sink": sink, "sink_kind": kind, "entry_path": module.path,
             "entry": module.qualname(function) if function is not None else ""}  # fmt: skip
    if not callers:
        facts["source_strength"] = "strong"
    return taint.falsify(moved(finding, module.location(node), facts), project)


def contradicted(finding: Finding, project: Project, module: Module, value: ast.expr, kind: str) -> Ruling | None:
    """The evaluation's dismissal of the call or return that is given a value, whoever calls; None when it has no reason for one."""
    node = module.parents.get(value)
    if isinstance(node, ast.keyword):
        node = module.parents.get(node)
    sent = isinstance(node, ast.Return) or (
        isinstance(node, ast.Call) and node.func is not value and value in node.args[:1]
    )
    if isinstance(node, ast.Call) and not node.args:
        sent = True
    if node is None or not sent:
        return None
    ruling = evaluated(finding, project, module, node, kind, callers=False)
    return ruling if ruling.verdict == "DISMISSED" else None
