"""Whether the one that passed a test has marked what it tested before it let go of the lock, so that no second one passes."""

import ast
from collections.abc import Sequence
from typing import NamedTuple

from harness.source.module import Module
from verifiers.static.concurrency.lockstate import Step
from verifiers.static.surroundings import chain

_ADDS = frozenset({"add", "append", "setdefault"})


class Reservation(NamedTuple):
    """A change of the tested state under the acquisition of the test."""

    node: ast.AST
    same: bool
    """It stands under the very key that the test asks for."""


def reservation(module: Module, walked: Sequence[Step], test: Step, act: Step, state: str) -> Reservation | None:
    """The change between test and act that whoever passes the test makes under the same acquisition; None without one."""
    wanted = {ast.unparse(k) for part in test.parts if (k := _tested(part, state)) is not None}
    found: Reservation | None = None
    for step in walked[walked.index(test) + 1 : walked.index(act)]:
        if not step.regions & test.regions or not _unconditional(module, step.node, act.node):
            continue
        for part in step.parts:
            changed, key = _changed(part, state)
            if changed:
                same = key is not None and ast.unparse(key) in wanted and not _stores_nothing(module, part)
                found = Reservation(step.node, same) if found is None or same else found
    return found


def _tested(part: ast.AST, state: str) -> ast.expr | None:
    """The key in `key in state` or `state.get(key)`."""
    if isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.In | ast.NotIn):
        return part.left if chain(part.comparators[0]) == state else None
    if isinstance(part, ast.Call) and chain(part.func) == f"{state}.get" and part.args:
        return part.args[0]
    return None


def _changed(part: ast.AST, state: str) -> tuple[bool, ast.expr | None]:
    """Whether a node adds to the state or sets it, and under which key."""
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _ADDS:
        return chain(part.func.value) == state, part.args[0] if part.args else None
    if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
        return chain(part.value) == state, part.slice
    if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Store):
        return chain(part) == state, None
    return False, None


def _stores_nothing(module: Module, part: ast.AST) -> bool:
    """A constant that `get` tells apart from no entry at all only by asking for more."""
    value = getattr(module.parents.get(part), "value", None)
    return isinstance(value, ast.Constant) and not value.value


def _unconditional(module: Module, change: ast.AST, act: ast.AST) -> bool:
    """Whether a run that reaches the act has passed the change: only what is around both is conditional around it."""
    around = {*module.ancestors(act), act}
    for up in module.ancestors(change):
        if up in around:
            return True
        if isinstance(up, ast.If | ast.For | ast.AsyncFor | ast.While | ast.Match | ast.ExceptHandler):
            return False
    return True
