"""mutable-default-mutated: does the shared object itself reach the change, or a fresh one bound before?"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.control import ENTRY, Edge, Flow
from verifiers.static.locate import module_of
from verifiers.static.reading import arguments_of, binds, chain, remark
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

MEANT_TO_LAST = re.compile(r"(^_)|cache|memo|seen|registry|state|counter|static|known", re.IGNORECASE)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses changes of a copy; leaves caches open; confirms where the default flows into the change."""
    module = module_of(finding, project)
    name = finding.facts.get("name", "")
    if module is None:
        return cannot_tell("the module cannot be read")
    statement = next((s for s in _statements(module) if s.lineno == finding.line), None)
    function = module.enclosing_function(statement) if statement else None
    if statement is None or function is None:
        return cannot_tell("there is no statement at this place")
    if name not in arguments_of(function):
        return cannot_tell("the change is in a nested function")
    if MEANT_TO_LAST.search(name) or remark(module, function.lineno, function.body[0].lineno):
        return cannot_tell("the name or a comment suggests that the object is meant to outlive the call")
    inner = [n for n in ast.walk(function) if isinstance(n, ast.FunctionDef | ast.Lambda) and n is not function]
    if any(isinstance(n, ast.Name) and n.id == name for scope in inner for n in ast.walk(scope)):
        return cannot_tell("functions inside it share the object, so it may be meant to last")
    flow = Flow(function)
    goals = flow.at(statement)
    rebinds = flow.path(
        [ENTRY],
        goals,
        stops=lambda node: binds(node, name) and not isinstance(node, ast.AugAssign),
        closed=lambda edge: _excludes(edge, name),
    )
    if rebinds is None:
        return falls(
            f"`{name}` is bound to another object on every path to here", kind="flow", at=(module.location(statement),)
        )
    if not _omitted(project, module, function, name):
        return cannot_tell("every call in the project passes this argument")
    default = next((r.location for r in finding.related if r.role == "definition"), module.location(function))
    return stands(
        f"the one default object of `{name}` reaches this change unbound to anything else", kind="flow",
        at=(default, module.location(statement)),
    )  # fmt: skip


def _statements(module: Module) -> list[ast.stmt]:
    return module.nodes(ast.Expr, ast.Assign, ast.AugAssign, ast.Delete, ast.Return, ast.If, ast.AnnAssign)


def _excludes(edge: Edge, name: str) -> bool:
    """Edges that an empty default cannot take: `if name:` true."""
    if isinstance(edge.choice, ast.Name):
        return edge.choice.id == name and edge.outcome
    if isinstance(edge.choice, ast.UnaryOp) and isinstance(edge.choice.op, ast.Not):
        return chain(edge.choice.operand) == name and not edge.outcome
    return False


def _omitted(project: Project, module: Module, function: FunctionNode, name: str) -> bool:
    """Some call of the function in the project leaves the argument out, or no call is known and the function is public."""
    known = project.index.functions.get(f"{module.name}.{module.qualname(function)}")
    calls = project.index.callers(known) if known else []
    if not calls:
        return not function.name.startswith("_")
    position = arguments_of(function).index(name) - (known is not None and known.class_name is not None)
    for call in calls[:50]:
        caller = project.module(call.path)
        for node in caller.nodes(ast.Call):
            if (node.lineno, node.col_offset) != (call.line, call.column):
                continue
            starred = any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)
            if not starred and len(node.args) <= position and all(k.arg != name for k in node.keywords):
                return True
    return False
