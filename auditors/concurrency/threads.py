"""Which functions a module itself runs in several threads: routes of a threaded server, targets of threads and pools."""

import ast

from auditors.bodies import dotted
from harness.source.module import FunctionNode, Module

_ROUTES = frozenset({"route", "get", "post", "put", "delete", "patch"})
_TAKES = frozenset({"submit", "map", "Thread", "Timer", "starmap", "apply_async", "imap", "start_new_thread"})


def threaded_names(module: Module) -> frozenset[str]:
    """Names of functions that the module hands to a thread or a pool."""
    found: set[str] = set()
    for call in module.nodes(ast.Call):
        last = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if last in _TAKES:
            given = [*call.args, *(k.value for k in call.keywords if k.arg in {"target", "function"})]
            found |= {name.rpartition(".")[2] for a in given if (name := dotted(a))}
    return frozenset(found)


def in_threads(function: FunctionNode, threaded: frozenset[str]) -> bool:
    """Whether two calls of `function` may run at once in two threads, by the showing of its own module."""
    if isinstance(function, ast.AsyncFunctionDef):
        return False
    routes = (d.func for d in function.decorator_list if isinstance(d, ast.Call))
    return function.name in threaded or any(isinstance(r, ast.Attribute) and r.attr in _ROUTES for r in routes)
