"""Statements that raise, and handlers that do not catch: the rule of the language, applied again."""

import ast

from harness.source.module import Module
from verifiers.static.ruling import Falsifier, Ruling, cannot_tell, falls
from verifiers.static.wrapped.rule import applied
from verifiers.static.wrapped.sites import FUNCTIONS, constant, keyword


def _raise_literal(_module: Module, node: ast.AST) -> str | None:
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Constant | ast.JoinedStr | ast.Tuple):
        return "a literal is raised, and no literal is an exception"
    return None


def _suppress(module: Module, node: ast.AST) -> str | None:
    if (
        isinstance(node, ast.Call)
        and not node.args
        and not node.keywords
        and module.resolve(node.func) == "contextlib.suppress"
    ):
        return "suppress() without classes catches nothing"
    return None


def _print_to(module: Module, node: ast.AST) -> str | None:
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.RShift)
        and isinstance(node.left, ast.Name)
        and node.left.id == "print"
        and "print" not in module.imports
        and "print" not in module.definitions
    ):
        return "the built-in function has no operator >>"
    return None


def _no_effect_exception(module: Module, node: ast.AST) -> Ruling | str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        name = node.value.func.id if isinstance(node.value.func, ast.Name) else ""
        if name.endswith(("Error", "Exception")) and name not in module.definitions and name not in module.imports:
            return f"{name} is made as a statement of its own, and nothing raises it"
    return None


def _super(module: Module, node: ast.AST) -> str | None:
    root = node.func if isinstance(node, ast.Call) else node
    if (
        isinstance(root, ast.Attribute)
        and isinstance(root.value, ast.Name)
        and root.value.id == "super"
        and "super" not in module.imports
        and "super" not in module.definitions
    ):
        return "the attribute is looked up on the class `super`"
    return None


def _binary_except(_module: Module, node: ast.AST) -> str | None:
    if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.BoolOp):
        return "an or/and of classes is one of them, so only that one is caught"
    return None


def _handler_class(module: Module, node: ast.AST) -> Ruling | str | None:
    handler = (
        node
        if isinstance(node, ast.ExceptHandler)
        else next((u for u in module.ancestors(node) if isinstance(u, ast.ExceptHandler)), None)
    )
    if handler is None or handler.type is None:
        return None
    parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    if isinstance(handler.type, ast.BoolOp):
        return _binary_except(module, handler)
    if any(isinstance(p, ast.Constant | ast.List | ast.Dict | ast.Set) for p in parts):
        return "the handler names a literal that is no exception class"
    return None


def _empty_handler(_module: Module, node: ast.AST) -> str | None:
    if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Tuple) and not node.type.elts:
        return "the tuple of exceptions is empty"
    return None


def _same_handler(module: Module, node: ast.AST) -> Ruling | str | None:
    statement = (
        node if isinstance(node, ast.Try) else next((u for u in module.ancestors(node) if isinstance(u, ast.Try)), None)
    )
    if statement is None:
        return None
    seen: set[str] = set()
    for handler in statement.handlers:
        if handler.type is None:
            continue
        parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = {ast.unparse(part) for part in parts}
        if names & seen:
            return f"{sorted(names & seen)[0]} is already handled by an earlier handler of the same try"
        seen |= names
    return None


def _init_return(module: Module, node: ast.AST) -> Ruling | str | None:
    if isinstance(node, ast.Return) and node.value is not None and constant(node.value) is not None:
        function = module.enclosing_function(node)
        if function and function.name == "__init__" and isinstance(module.parents.get(function), ast.ClassDef):
            if isinstance(node.value, ast.Call | ast.Await | ast.Name | ast.Attribute):
                return cannot_tell("the value returned may be None")
            return "`__init__` returns a value that is not None"
    return None


def _all_object(module: Module, node: ast.AST) -> str | None:
    statement = module.statement(node)
    value = getattr(statement, "value", None)
    if isinstance(value, ast.List | ast.Tuple) and any(
        isinstance(e, ast.Constant) and not isinstance(e.value, str) for e in value.elts
    ):
        return "__all__ holds a literal that is no string"
    if isinstance(value, ast.List | ast.Tuple) and any(
        isinstance(e, ast.Name) and isinstance(module.definitions.get(e.id), (*FUNCTIONS, ast.ClassDef))
        for e in value.elts
    ):
        return "__all__ holds the object itself, not its name"
    return None


def _mode(module: Module, node: ast.AST) -> Ruling | str | None:
    call = (
        node
        if isinstance(node, ast.Call)
        else next((u for u in module.ancestors(node) if isinstance(u, ast.Call)), None)
    )
    if call is None or module.resolve(call.func) not in {"open", "io.open"}:
        return None
    mode = constant(keyword(call, "mode") or (call.args[1] if len(call.args) > 1 else None))
    if not isinstance(mode, str):
        return None
    kinds = sum(mode.count(c) for c in "rwax")
    if set(mode) - set("rwaxbt+") or len(set(mode)) < len(mode) or kinds != 1 or ("b" in mode and "t" in mode):
        return f"{mode!r} is no mode that open accepts"
    return falls(f"{mode!r} is a mode that open accepts", kind="constant", at=(module.location(call),))


def _index(module: Module, node: ast.AST) -> Ruling | str | None:
    subscript = (
        node
        if isinstance(node, ast.Subscript)
        else next((u for u in module.ancestors(node) if isinstance(u, ast.Subscript)), None)
    )
    if subscript is None or not isinstance(
        subscript.value, ast.Constant | ast.List | ast.Tuple | ast.ListComp | ast.JoinedStr
    ):
        return None
    if isinstance(subscript.slice, ast.Constant) and not isinstance(subscript.slice.value, int):
        return f"a literal sequence is indexed by {subscript.slice.value!r}"
    if isinstance(subscript.slice, ast.List | ast.Tuple | ast.JoinedStr | ast.Dict):
        return "a literal sequence is indexed by something that is no number"
    return None


def _default_factory(module: Module, node: ast.AST) -> str | None:
    call = (
        node
        if isinstance(node, ast.Call)
        else next((u for u in module.ancestors(node) if isinstance(u, ast.Call)), None)
    )
    if call is not None and module.resolve(call.func) == "collections.defaultdict" and not call.args:
        return "the factory is passed by keyword, which defaultdict takes for an entry"
    return None


def _lost_error(module: Module, node: ast.AST) -> Ruling | str | None:
    if not isinstance(node, ast.Return | ast.Break | ast.Continue):
        return None
    for up in module.ancestors(node):
        if isinstance(up, ast.Try | ast.TryStar) and any(node is n or node in set(ast.walk(n)) for n in up.finalbody):
            if any(h.type is None for h in up.handlers):
                return cannot_tell("a handler of the same try already takes every exception")
            return "leaving a finally block this way drops the exception that is on its way"
        if isinstance(up, FUNCTIONS) or (isinstance(up, ast.For | ast.While) and not isinstance(node, ast.Return)):
            break
    return None


RAISING: dict[str, Falsifier] = {
    "ruff:B012": applied(_lost_error, ast.Return, ast.Break, ast.Continue),
    "ruff:B016": applied(_raise_literal, ast.Raise),
    "ruff:B022": applied(_suppress, ast.Call),
    "ruff:B025": applied(_same_handler, ast.ExceptHandler, ast.Name, ast.Attribute),
    "ruff:B029": applied(_empty_handler, ast.ExceptHandler),
    "ruff:B030": applied(_handler_class, ast.ExceptHandler, ast.Constant, ast.List),
    "ruff:F633": applied(_print_to, ast.BinOp),
    "ruff:PLE0101": applied(_init_return, ast.Return),
    "ruff:PLE0604": applied(_all_object, ast.Assign, ast.AnnAssign, ast.Constant, ast.Name),
    "ruff:PLW0133": applied(_no_effect_exception, ast.Expr),
    "ruff:PLW0245": applied(_super, ast.Attribute, ast.Call),
    "ruff:PLW0711": applied(_binary_except, ast.ExceptHandler),
    "ruff:PLW1501": applied(_mode, ast.Call, ast.Constant),
    "ruff:RUF016": applied(_index, ast.Subscript, ast.Constant),
    "ruff:RUF026": applied(_default_factory, ast.Call),
}
"""Kinds decided by what the interpreter raises or catches."""
