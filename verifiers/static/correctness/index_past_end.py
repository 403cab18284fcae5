"""index-past-end: computes the index of the last round, and looks for guards, handlers and containers that allow it."""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.control import Flow
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import binds, chain, inside_all
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

CATCHES = frozenset({"IndexError", "LookupError", "Exception", "BaseException"})
GROWS = frozenset({"append", "extend", "insert", "pop", "remove", "clear", "appendleft"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms where the access runs in every round, on a sequence nobody changes, and nothing catches IndexError."""
    module = module_of(finding, project)
    access = node_at(module, finding, ast.Subscript) if module else None
    if module is None or access is None:
        return cannot_tell("there is no subscript at this place")
    base = finding.facts.get("sequence", "")
    statement = module.statement(access)
    for up in module.ancestors(access):
        if isinstance(up, ast.Try) and any(_catches(h) for h in up.handlers):
            return falls("a handler expects the IndexError", kind="guard", at=(module.location(up.handlers[0]),))
    function = module.enclosing_function(access)
    if function is None:
        return cannot_tell("the code is at module level")
    if _is_mapping(function.body, base):
        return falls(
            f"`{base}` is a mapping, its keys are not positions", kind="definition", at=(module.location(access),)
        )
    if finding.facts.get("form") == "len":
        if any(isinstance(up, ast.If | ast.IfExp | ast.BoolOp) for up in module.ancestors(access)):
            return cannot_tell("a condition stands around it")
        known = any(
            isinstance(s, ast.Assign) and binds(s, base) and isinstance(s.value, ast.List) for s in function.body
        )
        text = f"len({base}) is never a valid index of `{base}`"
        return (
            stands(text, kind="constant", at=(module.location(access),))
            if known
            else cannot_tell("its type is unknown")
        )
    line = int(finding.facts.get("loop", "0"))
    loop = next((n for n in module.nodes(ast.For) if n.lineno == line), None)
    if loop is None or not isinstance(loop.target, ast.Name):
        return cannot_tell("the loop is not at its place")
    for node in inside_all(loop.body):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr in GROWS and chain(called.value) == base:
            return cannot_tell("the loop changes the length")
        if isinstance(node, ast.stmt) and (binds(node, base) or binds(node, loop.target.id)):
            return cannot_tell("the loop binds the sequence or the index anew")
    if any(isinstance(up, ast.IfExp | ast.BoolOp | ast.comprehension) for up in _up_to(module, access, statement)):
        return falls(
            "a condition in the same expression decides whether it is evaluated",
            kind="guard",
            at=(module.location(access),),
        )
    flow = Flow(function)
    starts = flow.at(loop)
    straight = flow.path(
        starts, flow.at(statement), closed=lambda e: e.raised or isinstance(e.choice, ast.expr | ast.match_case)
    )
    if straight is None:
        return cannot_tell("conditions on the way may leave the last round out")
    if any(isinstance(n, ast.Break | ast.Return) for n in inside_all(loop.body)):
        return cannot_tell("the loop may end before the last round")
    return stands(
        f"in the last round of line {line} the index is the length of `{base}` or more", kind="constant",
        at=(module.location(loop.iter), module.location(access)),
    )  # fmt: skip


def _up_to(module: Module, node: ast.AST, end: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for up in module.ancestors(node):
        if up is end:
            break
        found.append(up)
    return found


def _catches(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(k is None or chain(k).rpartition(".")[2] in CATCHES for k in kinds)


def _is_mapping(body: list[ast.stmt], base: str) -> bool:
    for node in inside_all(body):
        if isinstance(node, ast.Assign) and binds(node, base):
            value = node.value
            if isinstance(value, ast.Dict | ast.DictComp):
                return True
            if isinstance(value, ast.Call) and chain(value.func).rpartition(".")[2] in {
                "dict",
                "defaultdict",
                "Counter",
            }:
                return True
    return False
