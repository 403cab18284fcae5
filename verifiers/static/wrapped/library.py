"""Calls of the standard library whose arguments do not mean what they seem to: its documentation, applied again."""

import ast

from harness.source.module import Module
from verifiers.static.ruling import Falsifier, Ruling, cannot_tell, falls
from verifiers.static.wrapped.rule import applied
from verifiers.static.wrapped.sites import constant, inner


def _environ(module: Module, node: ast.AST) -> str | None:
    targets = node.targets if isinstance(node, ast.Assign) else []
    if any(module.resolve(target) == "os.environ" for target in targets):
        return "os.environ is bound to a new object, and putenv is never called"
    return None


def _strip(module: Module, node: ast.AST) -> Ruling | str | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or len(node.args) != 1:
        return None
    characters = constant(node.args[0])
    if not isinstance(characters, str):
        return None
    repeated = len(set(characters)) < len(characters)
    if not characters.isascii() or not any(c.isalpha() for c in characters):
        return falls("the characters are signs to strip, not a word", kind="constant", at=(module.location(node),))
    word = sum(c.isalpha() for c in characters) >= 3 and (
        repeated or characters[0] in "._-/" or characters[-1] in "._-/:"
    )
    if word and characters.lower() not in {"abc", "0123456789abcdef"}:
        return f"{characters!r} is a word, and {node.func.attr} removes its letters one by one"
    return None


def _sub_flags(module: Module, node: ast.AST) -> Ruling | str | None:
    if not isinstance(node, ast.Call):
        return None
    name = module.resolve(node.func)
    position = {"re.sub": 3, "re.subn": 3, "re.split": 2}.get(name or "")
    if position is None or len(node.args) <= position:
        return None
    argument = node.args[position]
    if any(
        (module.resolve(n) or "").startswith("re.")
        for n in ast.walk(argument)
        if isinstance(n, ast.Attribute | ast.Name)
    ):
        return f"a flag stands where {name} takes the count"
    if isinstance(constant(argument), int):
        return falls("a number stands where the count belongs", kind="constant", at=(module.location(argument),))
    return None


def _fromkeys(module: Module, node: ast.AST) -> Ruling | str | None:
    if not isinstance(node, ast.Call) or len(node.args) != 2:
        return None
    statement = module.statement(node)
    name = (
        statement.targets[0].id
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
        else None
    )
    scope: ast.AST = module.enclosing_function(node) or module.tree
    if name:
        for call in inner(scope):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and isinstance(call.func.value, ast.Subscript)
            ):
                base = call.func.value.value
                if (
                    isinstance(base, ast.Name)
                    and base.id == name
                    and call.func.attr in {"append", "add", "update", "extend", "setdefault", "insert"}
                ):
                    return f"line {call.lineno} changes the one object under one key"
    return None


def _gettext(module: Module, node: ast.AST) -> Ruling | str | None:
    calls = [c for c in (node, *module.ancestors(node)) if isinstance(c, ast.Call) and c.args]
    call = next((c for c in calls if "gettext" in (module.resolve(c.func) or "")), None)
    if call is None:
        return cannot_tell("the function is not known to look up translations")
    argument = call.args[0]
    lookup = isinstance(argument, ast.JoinedStr) and any(isinstance(v, ast.FormattedValue) for v in argument.values)
    lookup |= (
        isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Mod) and isinstance(argument.left, ast.Constant)
    )
    lookup |= (
        isinstance(argument, ast.Call)
        and isinstance(argument.func, ast.Attribute)
        and argument.func.attr == "format"
        and isinstance(argument.func.value, ast.Constant)
    )
    return "the text is put together before it is looked up" if lookup else None


def _version_text(module: Module, node: ast.AST) -> Ruling | str | None:
    for up in (node, *module.ancestors(node)):
        if isinstance(up, ast.Subscript) and module.resolve(up.value) == "sys.version":
            if ast.unparse(up.slice) in {"0", ":1"}:
                return cannot_tell("the first digit is right until Python 10")
            return "a slice of sys.version cannot hold the two digits of a minor version"
        if isinstance(up, ast.Compare) and any(module.resolve(s) == "sys.version" for s in (up.left, *up.comparators)):
            return "sys.version is compared as text, where 3.10 comes before 3.9"
        if isinstance(up, ast.stmt):
            break
    return None


def _decimal_mode(module: Module, node: ast.AST) -> Ruling | str | None:
    call = (
        node
        if isinstance(node, ast.Call)
        else next((u for u in module.ancestors(node) if isinstance(u, ast.Call)), None)
    )
    if call is None:
        return None
    for argument in (*call.args, *(k.value for k in call.keywords)):
        if isinstance(argument, ast.Constant) and isinstance(argument.value, int):
            digits = module.segment(argument)
            if digits.isdigit() and digits[0] != "0" and len(digits) == 3 and set(digits) <= set("01234567"):
                return f"{digits} is decimal, that is {int(digits):#o}"
    return None


def _own_lock(module: Module, node: ast.AST) -> str | None:
    calls = [i.context_expr for i in node.items] if isinstance(node, ast.With | ast.AsyncWith) else [node]
    for call in calls:
        if isinstance(call, ast.Call) and (module.resolve(call.func) or "") in {
            "threading.Lock",
            "threading.RLock",
            "threading.Semaphore",
            "threading.BoundedSemaphore",
            "threading.Condition",
        }:
            return "the lock is made in the with statement, so no other thread can hold it"
    return None


LIBRARY: dict[str, Falsifier] = {
    "ruff:B003": applied(_environ, ast.Assign),
    "ruff:B005": applied(_strip, ast.Call),
    "ruff:PLE1310": applied(_strip, ast.Call),
    "ruff:B034": applied(_sub_flags, ast.Call),
    "ruff:INT001": applied(_gettext, ast.Call),
    "ruff:INT002": applied(_gettext, ast.Call),
    "ruff:INT003": applied(_gettext, ast.Call),
    "ruff:PLW2101": applied(_own_lock, ast.With, ast.AsyncWith, ast.Call),
    "ruff:RUF024": applied(_fromkeys, ast.Call),
    "ruff:RUF064": applied(_decimal_mode, ast.Call, ast.Constant),
    **{
        f"ruff:YTT{n}": applied(_version_text, ast.Subscript, ast.Compare, ast.Attribute)
        for n in (101, 102, 103, 301, 302, 303)
    },
}
"""Kinds decided by what a function of the standard library does."""
