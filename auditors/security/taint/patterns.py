"""Regular expressions that a text can keep busy: a repeat inside a repeat."""

import ast
from typing import NamedTuple

from harness.source.module import Module

_CALLS = {
    "re.match": 1, "re.search": 1, "re.fullmatch": 1, "re.findall": 1, "re.finditer": 1, "re.split": 1, "re.sub": 2,
    "re.subn": 2,
}  # fmt: skip
"""Position of the text that is searched."""
_METHODS = {"match": 0, "search": 0, "fullmatch": 0, "findall": 0, "finditer": 0, "split": 0, "sub": 1, "subn": 1}


class Search(NamedTuple):
    """A call that matches a pattern against a text."""

    name: str
    text: ast.expr


def slow_search(module: Module, call: ast.Call) -> Search | None:
    """A search with a known pattern that repeats a repeat, None for every other call."""
    name = module.resolve(call.func) or ""
    if name in _CALLS and call.args:
        pattern, at = _text(module, call.args[0], call), _CALLS[name]
    elif isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
        made = _made(module, call.func.value, call)
        compiled = made if isinstance(made, ast.Call) and module.resolve(made.func) == "re.compile" else None
        pattern = _text(module, compiled.args[0], call) if compiled is not None and compiled.args else None
        name, at = f"re.Pattern.{call.func.attr}", _METHODS[call.func.attr]
    else:
        return None
    if pattern is None or at >= len(call.args) or not repeats_a_repeat(pattern):
        return None
    return Search(name, call.args[at])


def repeats_a_repeat(pattern: str) -> bool:
    """Whether a group that holds an unbounded repeat is itself repeated without bound."""
    inside: list[bool] = [False]
    position = 0
    while position < len(pattern):
        c = pattern[position]
        if c == "\\":
            position += 2
            continue
        if c == "[":
            end = pattern.find("]", position + 2)
            position = len(pattern) if end < 0 else end + 1
            continue
        if c == "(":
            inside.append(False)
        elif c == ")" and len(inside) > 1:
            repeated = inside.pop()
            again = pattern[position + 1 : position + 2] in {"+", "*"} or pattern[position + 1 :].startswith("{1,}")
            if repeated and again:
                return True
            inside[-1] = inside[-1] or repeated or again
        elif c in "+*":
            inside[-1] = True
        position += 1
    return False


def _text(module: Module, node: ast.expr, at: ast.AST) -> str | None:
    made = _made(module, node, at) if isinstance(node, ast.Name) else node
    return made.value if isinstance(made, ast.Constant) and isinstance(made.value, str) else None


def _made(module: Module, node: ast.expr, at: ast.AST) -> ast.expr | None:
    """What a name is bound to, in the function around `at` or at module level; the expression itself when it is no name."""
    if not isinstance(node, ast.Name):
        return node
    around = module.enclosing_function(at)
    for inner in ast.walk(around) if around is not None else ():
        if isinstance(inner, ast.Assign) and [ast.unparse(t) for t in inner.targets] == [node.id]:
            return inner.value
    statement = module.definitions.get(node.id)
    return statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
