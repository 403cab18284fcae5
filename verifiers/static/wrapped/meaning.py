"""Statements and expressions that mean something else than they say: the rule of the language, applied again."""

import ast

from harness.source.module import Module
from verifiers.static.ruling import Falsifier, Ruling, cannot_tell, falls
from verifiers.static.wrapped.rule import applied
from verifiers.static.wrapped.sites import FUNCTIONS, constant, inner


def _increment(module: Module, node: ast.AST) -> Ruling | str | None:
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.operand, ast.UnaryOp)
        and type(node.op) is type(node.operand.op)
    ) and isinstance(module.parents.get(node), ast.Expr):
        return "two signs before a name, as a statement of their own, change nothing"
    return None


def _comparison(module: Module, node: ast.AST) -> Ruling | str | None:
    if not isinstance(node, ast.Compare) or not isinstance(module.parents.get(node), ast.Expr):
        return None
    for up in module.ancestors(node):
        if isinstance(up, ast.With | ast.AsyncWith):
            return falls(
                "the comparison may be there to raise inside this block", kind="guard", at=(module.location(up),)
            )
        if isinstance(up, ast.Try):
            return falls(
                "the comparison may be there to raise inside this try", kind="guard", at=(module.location(up),)
            )
        if isinstance(up, FUNCTIONS):
            break
    return "the result of the comparison is dropped"


def _fstring_doc(module: Module, node: ast.AST) -> str | None:
    parent = module.parents.get(node)
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.JoinedStr)
    if text and isinstance(parent, (*FUNCTIONS, ast.ClassDef, ast.Module)) and parent.body[0] is node:
        return "the first statement is an f-string, which the compiler does not take for a docstring"
    return None


def _annotation(_module: Module, node: ast.AST) -> Ruling | str | None:
    if isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Subscript):
        return "an annotation of a subscript stores nothing"
    return None


def _static_key(_module: Module, node: ast.AST) -> Ruling | str | None:
    if not isinstance(node, ast.DictComp):
        return None
    if isinstance(node.key, ast.Constant):
        return "the key is a literal"
    targets = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    if isinstance(node.key, ast.Name) and node.key.id not in targets:
        return f"`{node.key.id}` is not a variable of the comprehension"
    return None


def _dict_literal(module: Module, node: ast.AST) -> Ruling | str | None:
    if not isinstance(node, ast.Dict):
        return None
    seen: dict[object, ast.expr] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant):
            continue
        mark = (type(key.value), key.value)
        if mark in seen and ast.dump(seen[mark]) != ast.dump(value):
            return f"the key {key.value!r} has another value in the same literal"
        seen[mark] = value
    return falls("no key has two different values", kind="constant", at=(module.location(node),))


def _tuple_test(_module: Module, node: ast.AST) -> Ruling | str | None:
    if (
        isinstance(node, ast.Assert | ast.If | ast.IfExp)
        and isinstance(node.test, ast.Tuple)
        and node.test.elts
        and not all(isinstance(e, ast.Starred) for e in node.test.elts)
    ):
        return "the condition is a tuple with elements, which is true"
    return None


def _is_literal(_module: Module, node: ast.AST) -> Ruling | str | None:
    if not isinstance(node, ast.Compare):
        return None
    sides = [node.left, *node.comparators]
    for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
        if isinstance(operator, ast.Is | ast.IsNot):
            for side in (left, right):
                value = constant(side)
                if isinstance(value, str | bytes | int | float) and not isinstance(value, bool):
                    return f"`is` compares the identity of the literal {value!r}"
    return None


def _nan(module: Module, node: ast.AST) -> Ruling | str | None:
    if not isinstance(node, ast.Compare):
        return None
    for side in (node.left, *node.comparators):
        name = module.resolve(side)
        made = isinstance(side, ast.Call) and module.resolve(side.func) == "float" and side.args
        text = constant(side.args[0]) if made and isinstance(side, ast.Call) else None
        if name in {"math.nan", "numpy.nan"} or (isinstance(text, str) and text.strip().lower() == "nan"):
            return "one side is NaN, which compares equal to nothing"
    return None


def _print_message(module: Module, node: ast.AST) -> str | None:
    statement = (
        node
        if isinstance(node, ast.Assert)
        else next((u for u in module.ancestors(node) if isinstance(u, ast.Assert)), None)
    )
    if statement and isinstance(statement.msg, ast.Call) and module.resolve(statement.msg.func) == "print":
        return "the message is what print returns, None"
    return None


def _same_branches(_module: Module, node: ast.AST) -> str | None:
    if isinstance(node, ast.IfExp) and ast.dump(node.body) == ast.dump(node.orelse):
        return "both branches are the same expression"
    return None


def _self_comparison(module: Module, node: ast.AST) -> Ruling | str | None:
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.left, ast.Name):
        return None
    if ast.dump(node.left) != ast.dump(node.comparators[0]):
        return None
    if isinstance(node.ops[0], ast.Eq | ast.NotEq):
        # x != x is how NaN is told from other numbers, and == of an object with itself is how its __eq__ is tested.
        if module.test:
            return cannot_tell("the test may be about __eq__ itself")
        return falls(
            "comparing a name with itself tells NaN from other values", kind="idiom", at=(module.location(node),)
        )
    return cannot_tell("the operator may be overloaded")


def _always(module: Module, node: ast.AST) -> Ruling | str | None:
    bool_op = (
        node
        if isinstance(node, ast.BoolOp)
        else next((u for u in module.ancestors(node) if isinstance(u, ast.BoolOp)), None)
    )
    if bool_op is None:
        return None
    parent = module.parents.get(bool_op)
    if not (isinstance(parent, ast.If | ast.While | ast.Assert | ast.IfExp) and parent.test is bool_op):
        return cannot_tell("the value of the expression may be what is wanted")
    wanted = isinstance(bool_op.op, ast.Or)
    for value in bool_op.values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value and wanted:
            return f"{value.value!r} stands alone in an or and is always true"
        if isinstance(value, ast.Constant) and bool(value.value) is wanted:
            return cannot_tell("the literal may be a switch that was left on purpose")
    return None


def _assert_assigns(module: Module, node: ast.AST) -> Ruling | str | None:
    statement = (
        node
        if isinstance(node, ast.Assert)
        else next((u for u in module.ancestors(node) if isinstance(u, ast.Assert)), None)
    )
    if statement is None:
        return None
    names = {
        n.target.id for n in ast.walk(statement.test) if isinstance(n, ast.NamedExpr) and isinstance(n.target, ast.Name)
    }
    scope: ast.AST = module.enclosing_function(statement) or module.tree
    last = statement.end_lineno or statement.lineno
    used = [
        n
        for n in inner(scope)
        if isinstance(n, ast.Name) and n.id in names and n.lineno > last and isinstance(n.ctx, ast.Load)
    ]
    if used:
        return f"line {used[0].lineno} uses `{used[0].id}`, which only this assertion assigns"
    return falls("the name is used in the assertion only", kind="use", at=(module.location(statement),))


MEANING: dict[str, Falsifier] = {
    "ruff:B002": applied(_increment, ast.UnaryOp),
    "ruff:B015": applied(_comparison, ast.Compare),
    "ruff:B021": applied(_fstring_doc, ast.Expr),
    "ruff:B032": applied(_annotation, ast.AnnAssign),
    "ruff:B035": applied(_static_key, ast.DictComp),
    "ruff:F601": applied(_dict_literal, ast.Dict),
    "ruff:F631": applied(_tuple_test, ast.Assert),
    "ruff:F634": applied(_tuple_test, ast.If, ast.IfExp),
    "ruff:F632": applied(_is_literal, ast.Compare),
    "ruff:PLR0124": applied(_self_comparison, ast.Compare),
    "ruff:PLW0177": applied(_nan, ast.Compare),
    "ruff:RUF018": applied(_assert_assigns, ast.Assert, ast.NamedExpr),
    "ruff:RUF030": applied(_print_message, ast.Assert, ast.Call),
    "ruff:RUF034": applied(_same_branches, ast.IfExp),
    **{f"ruff:SIM22{n}": applied(_always, ast.BoolOp, ast.Constant) for n in range(4)},
}
"""Kinds decided by what an expression means."""
