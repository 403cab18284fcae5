"""Does the code itself show that two calls of a function run at once: a route, a thread, a pool, a task."""

import ast
from typing import NamedTuple

from harness.source.module import FunctionNode, Module
from verifiers.static.surroundings import chain

_ROUTES = frozenset({"route", "get", "post", "put", "delete", "patch", "websocket"})
_TAKES = frozenset(
    {
        "submit",
        "map",
        "Thread",
        "Process",
        "Timer",
        "starmap",
        "apply_async",
        "imap",
        "create_task",
        "gather",
        "start_new_thread",
    }
)


class Shown(NamedTuple):
    """A place that makes a function run concurrently with itself."""

    reason: str
    node: ast.AST


def shown_concurrent(module: Module, function: FunctionNode) -> Shown | None:
    """The first such place in the function's own module."""
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(decorator, ast.Call) and isinstance(called, ast.Attribute) and called.attr in _ROUTES:
            return Shown(f"`{function.name}` serves requests", function)
    for call in module.nodes(ast.Call):
        name = chain(call.func) or (call.func.attr if isinstance(call.func, ast.Attribute) else "")
        if name.rpartition(".")[2] not in _TAKES:
            continue
        given = [*call.args, *(k.value for k in call.keywords if k.arg in {"target", "function"})]
        for argument in given:
            named = argument.func if isinstance(argument, ast.Call) else argument
            if chain(named).rpartition(".")[2] == function.name and name.rpartition(".")[2] != function.name:
                return Shown(f"line {call.lineno} runs `{function.name}` in several threads, processes or tasks", call)
    return None
