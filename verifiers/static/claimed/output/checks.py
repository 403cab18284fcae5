"""Tests in a function that look at what a name holds."""

import ast

from harness.source.module import Module
from verifiers.static.claimed.output.bindings import bound, leaves, own_nodes
from verifiers.static.claimed.output.kept import once


@once
def _known(module: Module) -> dict[ast.Name, ast.expr | None]:
    """Answers about one module; the nodes live as long as it does."""
    del module
    return {}


def checks(module: Module, use: ast.Name) -> ast.expr | None:
    """A test before or around the use that looks at what the name holds, None when there is none.

    Whether there is a value at all, how long it is and what it equals say nothing about what is in it otherwise.
    """
    known = _known(module)
    if use not in known:
        known[use] = _checks(module, use)
    return known[use]


def _checks(module: Module, use: ast.Name) -> ast.expr | None:
    function = module.enclosing_function(use)
    if function is None:
        return None
    for up in module.ancestors(use):
        for generator in getattr(up, "generators", []):
            for test in generator.ifs:
                if not any(n is use for n in ast.walk(test)) and (looked := _looks(test, use.id)) is not None:
                    return looked
    before = [n for n in own_nodes(function) if getattr(n, "lineno", 0) <= use.lineno]
    answers = _answers(before, use)
    for node in before:
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            if any(n is use for n in ast.walk(node.test)):
                continue
            looked = _looks(node.test, use.id) or _asked(node.test, answers)
            if looked is not None and _governs(module, node, use) and not _missed(module, node, looked, use):
                return looked
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _demands(node.value, use):
            return node.value
        if isinstance(node, ast.Try) and (looked := _tried(module, node, use)) is not None:
            return looked
    return None


def _answers(nodes: list[ast.AST], use: ast.Name) -> dict[str, ast.expr]:
    """Names that hold what a look at the value found: `safe = is_safe(target)`."""
    found: dict[str, ast.expr] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and not any(n is use for n in ast.walk(node.value)):
            looked = _looks(node.value, use.id)
            for target in node.targets if looked is not None else ():
                if isinstance(target, ast.Name) and target.id != use.id and looked is not None:
                    found[target.id] = looked
    return found


def _asked(test: ast.expr, answers: dict[str, ast.expr]) -> ast.expr | None:
    return next((answers[n.id] for n in ast.walk(test) if isinstance(n, ast.Name) and n.id in answers), None)


def _tried(module: Module, node: ast.Try, use: ast.Name) -> ast.expr | None:
    """A call in a `try` that is given the value, and whose failure keeps the use from being reached."""
    if not any(leaves(h.body) for h in node.handlers) or any(up is node for up in module.ancestors(use)):
        return None
    for statement in node.body:
        for call in ast.walk(statement):
            looked = _looks(call, use.id) if isinstance(call, ast.Call) else None
            if looked is not None:
                return looked
    return None


def _governs(module: Module, node: ast.AST, use: ast.AST) -> bool:
    """Whether what a test finds decides if the use is reached."""
    if isinstance(node, ast.Assert):
        return True
    if any(up is node for up in module.ancestors(use)):
        return True
    return isinstance(node, ast.If) and (leaves(node.body) or leaves(node.orelse) or _rebinds(node, use))


_LOOKUPS = frozenset({"filter", "filter_by", "get", "find_one", "exists", "first"})


def _missed(module: Module, node: ast.AST, looked: ast.expr, use: ast.AST) -> bool:
    """Whether the use stands where a look-up of the value found nothing: then it may be anything else."""
    called = looked.func.attr if isinstance(looked, ast.Call) and isinstance(looked.func, ast.Attribute) else ""
    if (
        called not in _LOOKUPS
        or not isinstance(node, ast.If)
        or not (node.test is looked or isinstance(node.test, ast.Name))
    ):
        return False
    around = [use, *module.ancestors(use)]
    return any(s is up for s in node.orelse for up in around)


def _rebinds(node: ast.If, use: ast.AST) -> bool:
    name = getattr(use, "id", "")
    return any(bound(s, name)[0] for s in [*node.body, *node.orelse])


_PLAIN_CALLS = frozenset({"len", "isinstance", "bool", "print", "hasattr", "type", "callable", "str", "repr", "list"})


def _looks(test: ast.expr, name: str) -> ast.expr | None:
    for node in ast.walk(test):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else ""
            given = [*node.args, *(k.value for k in node.keywords)]
            if called not in _PLAIN_CALLS and any(_is(a, name) for a in given):
                return node
            if isinstance(node.func, ast.Attribute) and _is(node.func.value, name) and node.func.attr in _TESTS:
                return node
        if isinstance(node, ast.Compare):
            for operator, right in zip(node.ops, node.comparators, strict=True):
                if not isinstance(operator, ast.In | ast.NotIn):
                    continue
                if _is(node.left, name):
                    return node
                word = node.left.value if isinstance(node.left, ast.Constant) else None
                if _is(right, name) and not (isinstance(word, str) and word.replace("-", "_").isidentifier()):
                    return node
    return None


_TESTS = frozenset(
    {"isdigit", "isdecimal", "isnumeric", "isalnum", "isalpha", "isidentifier", "startswith", "endswith", "isascii", "count",
     "find"}
)  # fmt: skip


def _is(node: ast.expr, name: str) -> bool:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id == name


def _demands(call: ast.Call, use: ast.Name) -> bool:
    """A call for its effect that is named as one that looks at what it is given."""
    word = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    wanted = any(part in word.lower() for part in ("valid", "check", "verify", "ensure", "require", "assert", "clean"))
    return wanted and any(_is(a, use.id) for a in [*call.args, *(k.value for k in call.keywords)])
