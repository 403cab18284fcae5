"""Which class of the project the object is on which a method is called."""

import ast

from auditors.bodies import dotted, own
from harness.source.module import FunctionNode, Module
from harness.source.project import Project


def class_name(module: Module, project: Project, call: ast.AST, receiver: str) -> str | None:
    """Dotted name of the class of `receiver` as seen from `call`: `self`, an annotated parameter, or a name or attribute
    that the function, the class or the module only ever binds to one class's call. None when it cannot be told."""
    cls = module.enclosing_class(call)
    if receiver in {"self", "cls"}:
        return _dotted(module, cls) if cls is not None else None
    function = module.enclosing_function(call)
    made: set[str] = set()
    if "." not in receiver and function is not None:
        made = _annotated(module, function, receiver) or _made(module, list(own(function.body)), receiver)
    if not made and receiver.startswith("self.") and cls is not None:
        made = _made(module, list(ast.walk(cls)), receiver)
    if not made and "." not in receiver:
        made = _made(module, list(own(module.tree)), receiver)
    if len(made) != 1:
        return None
    name = project.index.canonical(made.pop())
    return name if name in project.index.classes else None


def _dotted(module: Module, cls: ast.ClassDef) -> str:
    return f"{module.name}.{module.qualname(cls)}".lstrip(".")


def _annotated(module: Module, function: FunctionNode, name: str) -> set[str]:
    for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
        if argument.arg == name:
            return {(module.resolve(argument.annotation) if argument.annotation is not None else None) or "?"}
    return set()


def _made(module: Module, nodes: list[ast.AST], name: str) -> set[str]:
    """Resolved names of what is called to make `name`; `?` for any other value."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if node.value is not None and any(dotted(t) == name for t in targets):
                found.add((module.resolve(node.value.func) if isinstance(node.value, ast.Call) else None) or "?")
        other: ast.expr | None = node.optional_vars if isinstance(node, ast.withitem) else None
        other = node.target if isinstance(node, ast.For) else other
        if other is not None and any(dotted(n) == name for n in ast.walk(other)):
            found.add("?")
    return found
