"""Swallowed errors and special methods: what the try guards, and what the data model asks for."""

import ast
import re

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.wrapped.sites import FUNCTIONS, constant, inner, site

_WANTED: dict[str, type | tuple[type, ...]] = {
    "__len__": int, "__bool__": bool, "__index__": int, "__str__": str, "__repr__": str, "__bytes__": bytes, "__hash__": int,
}  # fmt: skip
_PARAMETERS = {
    "__enter__": 1, "__exit__": 4, "__aenter__": 1, "__aexit__": 4, "__len__": 1, "__iter__": 1, "__next__": 1, "__bool__": 1,
    "__hash__": 1, "__str__": 1, "__repr__": 1, "__contains__": 2, "__getitem__": 2, "__setitem__": 3, "__delitem__": 2,
    "__eq__": 2, "__lt__": 2, "__le__": 2, "__gt__": 2, "__ge__": 2, "__ne__": 2, "__getattr__": 2, "__setattr__": 3,
}  # fmt: skip
"""Positional arguments that the interpreter passes, self among them."""


def swallowed(finding: Finding, project: Project) -> Ruling:
    """S110: dismisses a handler whose reason is written beside it; leaves the rest to people."""
    found = site(finding, project, ast.ExceptHandler)
    if found is None or not isinstance(found.node, ast.ExceptHandler):
        return cannot_tell("there is no handler at this place")
    module, handler = found
    last = handler.end_lineno or handler.lineno
    for number in range(handler.lineno, last + 1):
        match = re.search(r"#\s*(?!noqa|nosec|type:|pragma|pylint)(.*\w.*)", module.lines[number - 1])
        if match:
            return falls(
                f"line {number} says why: {match.group(1)[:80]}", kind="comment", at=(module.location(handler),)
            )
    if handler.type is not None and ast.unparse(handler.type) not in {"Exception", "BaseException"}:
        return falls("the handler names the errors it expects", kind="syntax", at=(module.location(handler),))
    return cannot_tell("whether losing these errors does harm is not known")


def return_type(finding: Finding, project: Project) -> Ruling:
    """PLE030x: confirms a literal of the wrong type returned by the method itself."""
    found = site(finding, project, *FUNCTIONS, ast.Return, ast.Constant)
    if found is None:
        return cannot_tell("there is no method at this place")
    module, node = found
    method = node if isinstance(node, FUNCTIONS) else module.enclosing_function(node)
    if not isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) or method.name not in _WANTED:
        return cannot_tell("there is no special method at this place")
    wanted = _WANTED[method.name]
    for statement in inner(method):
        if isinstance(statement, ast.Return):
            value = None if statement.value is None else constant(statement.value)
            if value is not ... and (
                not isinstance(value, wanted) or (method.name == "__len__" and isinstance(value, int) and value < 0)
            ):
                return stands(f"`{method.name}` returns {value!r}", kind="constant", at=(module.location(statement),))
    return cannot_tell("what the method returns is known only while running")


def signature(finding: Finding, project: Project) -> Ruling:
    """PLE0302: compares the parameters with what the interpreter passes."""
    found = site(finding, project, *FUNCTIONS)
    if found is None:
        return cannot_tell("there is no method at this place")
    module, method = found
    assert isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef)
    place = (module.location(method),)
    passed = _PARAMETERS.get(method.name)
    if passed is None or method.decorator_list or not isinstance(module.parents.get(method), ast.ClassDef):
        return cannot_tell("what the interpreter passes to this method is not in our table")
    arguments = method.args
    most = len(arguments.posonlyargs) + len(arguments.args)
    least = most - len(arguments.defaults)
    required = [a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None]
    if required or passed < least or (passed > most and arguments.vararg is None):
        return stands(
            f"the interpreter passes {passed} arguments to `{method.name}`, which takes {least} to {most}",
            kind="definition",
            at=place,
        )
    return falls(
        f"`{method.name}` takes the {passed} arguments that the interpreter passes", kind="definition", at=place
    )


def dispatch(finding: Finding, project: Project) -> Ruling:
    """PLE1519, PLE1520: the decorator, and whether the function stands in a class."""
    found = site(finding, project, *FUNCTIONS, ast.Name, ast.Attribute)
    if found is None:
        return cannot_tell("there is no decorator at this place")
    module, node = found
    function = (
        node
        if isinstance(node, FUNCTIONS)
        else next((u for u in module.ancestors(node) if isinstance(u, FUNCTIONS)), None)
    )
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return cannot_tell("there is no function at this place")
    names = {module.resolve(d) for d in function.decorator_list}
    method = isinstance(module.parents.get(function), ast.ClassDef) and "staticmethod" not in names
    if "functools.singledispatch" in names and method:
        return stands(
            "singledispatch looks at the first argument, which is self",
            kind="definition",
            at=(module.location(function),),
        )
    if "functools.singledispatchmethod" in names and not isinstance(module.parents.get(function), ast.ClassDef):
        return stands(
            "singledispatchmethod skips the first argument, which is no self here",
            kind="definition",
            at=(module.location(function),),
        )
    return cannot_tell("the decorator fits the function")


def no_exception(finding: Finding, project: Project) -> Ruling:
    """LOG014: dismisses calls inside a handler; confirms `exc_info=True` in a function that no handler can call by name."""
    found = site(finding, project, ast.keyword, ast.Call)
    if found is None:
        return cannot_tell("there is no call at this place")
    module, node = found
    if any(isinstance(up, ast.ExceptHandler) for up in module.ancestors(node)):
        return falls("a handler is around the call", kind="guard", at=(module.location(node),))
    function = module.enclosing_function(node)
    if function is not None:
        return cannot_tell("the function may be called from a handler")
    return stands(
        "the call stands at the top level of the module, outside of handlers",
        kind="syntax",
        at=(module.location(node),),
    )
