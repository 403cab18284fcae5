"""What a name in a function stands for where it is used: the bindings that get there, found backwards over the syntax."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.source.module import FunctionNode, Module
from verifiers.static.claimed.output.kept import once

_ENDS = frozenset({"abort", "exit", "_exit", "quit", "fail"})
GROWS = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "appendleft", "write"})


class Binding(NamedTuple):
    """One way a name gets its value."""

    how: str
    """`value`, `element` (of a sequence), `context` (of a `with`), `content` (put into it), `definition`, `import`,
    `parameter`, `raised`, `global` (bound in a function of the module)."""
    node: ast.AST
    """The expression, definition, import, or argument."""
    pick: int | None = None
    """Position in the tuple that is taken apart, None for the whole."""
    scope: FunctionNode | None = None
    """Function whose parameter it is."""


@once
def _known(module: Module) -> dict[ast.Name, list[Binding]]:
    """Answers about one module; the nodes live as long as it does."""
    del module
    return {}


def bindings(module: Module, use: ast.Name) -> list[Binding]:
    """Bindings that reach a use: by way of blocks and branches in its own function, any of an outer function or module."""
    known = _known(module)
    if use not in known:
        known[use] = _bindings(module, use)
    return known[use]


def _bindings(module: Module, use: ast.Name) -> list[Binding]:
    inside = _comprehended(module, use)
    if inside is not None:
        return inside
    function = module.enclosing_function(use)
    if function is not None and _is_default(module, use, function):
        function = module.enclosing_function(function)
    own = True
    while function is not None:
        if any(_binds(function, use.id)):
            found, open_ = _reaching(module, function, use) if own else (list(_all(function, use.id)), True)
            argument = next((a for a in _arguments(function) if a.arg == use.id), None)
            if open_ and argument is not None:
                found.append(Binding("parameter", argument, scope=function))
            return [*found, *_contents(module, function, use.id)]
        function, own = module.enclosing_function(function), False
    found = [b for s in module.tree.body for b in bound(s, use.id)[0]]
    return list(dict.fromkeys([*found, *_global(module, use.id)]))


def _global(module: Module, name: str) -> Iterator[Binding]:
    """What functions do to a name of the module: bind it by `global`, or put something into it."""
    for statement in module.nodes(ast.Global):
        if name in statement.names:
            yield Binding("global", statement)
    yield from (Binding("content", value) for value in put_into(module, None, name))


def _is_default(module: Module, use: ast.AST, function: FunctionNode) -> bool:
    """Whether the use stands in a default or a decorator, which are evaluated outside of the function."""
    outside = [*function.decorator_list, *function.args.defaults, *(d for d in function.args.kw_defaults if d)]
    around = [use, *module.ancestors(use)]
    return any(node is part for part in outside for node in around)


def _comprehended(module: Module, use: ast.Name) -> list[Binding] | None:
    for up in module.ancestors(use):
        if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef):
            return None
        if isinstance(up, ast.Lambda) and any(a.arg == use.id for a in up.args.args):
            return [Binding("parameter", up)]
        for generator in getattr(up, "generators", []):
            found = _targets(generator.target, use.id, generator.iter, "element")
            if found:
                return found
    return None


def _arguments(function: FunctionNode) -> list[ast.arg]:
    a = function.args
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *([a.vararg] if a.vararg else []), *([a.kwarg] if a.kwarg else [])]


def _binds(function: FunctionNode, name: str) -> Iterator[bool]:
    if any(a.arg == name for a in _arguments(function)):
        yield True
    for node in own_nodes(function):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            yield True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
            yield True
        if isinstance(node, ast.ExceptHandler) and node.name == name:
            yield True
        if isinstance(node, ast.Import | ast.ImportFrom) and name in {_local(a) for a in node.names}:
            yield True


def _local(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def own_nodes(function: FunctionNode) -> Iterator[ast.AST]:
    """Nodes of a function without those of functions inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _all(function: FunctionNode, name: str) -> Iterator[Binding]:
    for statement in function.body:
        yield from bound(statement, name)[0]


def _reaching(module: Module, function: FunctionNode, use: ast.Name) -> tuple[list[Binding], bool]:
    """Bindings before the use, and whether what held at the beginning of the function may hold still."""
    found: list[Binding] = []
    current: ast.AST = module.statement(use)
    while current is not function:
        parent = module.parents.get(current)
        if parent is None:
            return found, True
        for before in _before(parent, current):
            some, ends = bound(before, use.id)
            found += some
            if ends:
                return found, False
        closed = _header(parent, current, use.id, found)
        if closed:
            return found, False
        current = parent
    return found, True


def _before(parent: ast.AST, child: ast.AST) -> list[ast.stmt]:
    """Statements of the block that holds `child`, that stand before it, last first."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, None)
        if isinstance(block, list) and any(s is child for s in block):
            at = next(n for n, s in enumerate(block) if s is child)
            return list(reversed(block[:at]))
    return []


def _header(parent: ast.AST, child: ast.AST, name: str, found: list[Binding]) -> bool:
    """What the compound statement around a block binds; whether nothing from before it gets through."""
    if isinstance(parent, ast.For | ast.AsyncFor | ast.While) and any(s is child for s in parent.body):
        for statement in parent.body:
            found += [b for b in bound(statement, name)[0] if b not in found]
        if not isinstance(parent, ast.While):
            turned = _targets(parent.target, name, parent.iter, "element")
            found += turned
            return bool(turned)
    if isinstance(parent, ast.With | ast.AsyncWith):
        entered = [
            b for i in parent.items if i.optional_vars
            for b in _targets(i.optional_vars, name, i.context_expr, "context")
        ]  # fmt: skip
        found += entered
        return bool(entered)
    if isinstance(parent, ast.Try) and not any(s is child for s in parent.body):
        some, ends = _block(parent.body, name)
        found += some
        return ends and any(s is child for s in parent.orelse)
    if isinstance(parent, ast.ExceptHandler) and parent.name == name:
        found.append(Binding("raised", parent))
        return True
    return False


def _block(body: Sequence[ast.stmt], name: str) -> tuple[list[Binding], bool]:
    found: list[Binding] = []
    for statement in reversed(body):
        some, ends = bound(statement, name)
        found += some
        if ends:
            return found, True
    return found, False


def leaves(body: Sequence[ast.stmt], *, turns: bool = True) -> bool:
    """Whether the end of a block is not reached: it returns, raises or ends the program; with `turns`, also when it
    leaves a turn of a loop, whose bindings still hold behind the loop."""
    last = body[-1] if body else None
    if isinstance(last, ast.Return | ast.Raise) or (turns and isinstance(last, ast.Continue | ast.Break)):
        return True
    if isinstance(last, ast.If):
        return leaves(last.body, turns=turns) and leaves(last.orelse, turns=turns)
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        called = last.value.func
        word = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        return word in _ENDS
    return False


def bound(statement: ast.stmt, name: str) -> tuple[list[Binding], bool]:
    """What a statement binds the name to, and whether it binds it on every way through."""
    match statement:
        case ast.Assign():
            found = [b for t in statement.targets for b in _targets(t, name, statement.value, "value")]
            return found + _walrus(statement.value, name), bool(found)
        case ast.AnnAssign() if statement.value is not None:
            found = _targets(statement.target, name, statement.value, "value")
            return found, bool(found)
        case ast.AugAssign():
            return _targets(statement.target, name, statement.value, "value"), False
        case ast.If():
            return _branches([statement.body, statement.orelse], name, _walrus(statement.test, name))
        case ast.Match():
            return _branches([*(c.body for c in statement.cases), []], name, [])
        case ast.For() | ast.AsyncFor():
            inside = _block(statement.body, name)[0]
            found = _targets(statement.target, name, statement.iter, "element")
            return [*found, *inside, *_block(statement.orelse, name)[0]], False
        case ast.While():
            return [*_walrus(statement.test, name), *_block(statement.body, name)[0]], False
        case ast.With() | ast.AsyncWith():
            found = [
                b for i in statement.items if i.optional_vars
                for b in _targets(i.optional_vars, name, i.context_expr, "context")
            ]  # fmt: skip
            some, ends = _block(statement.body, name)
            return found + some, ends or bool(found)
        case ast.Try():
            some, ends = _block([*statement.body, *statement.orelse], name)
            for handler in statement.handlers:
                if not leaves(handler.body, turns=False):
                    more, also = _block(handler.body, name)
                    some, ends = some + more, ends and also
            last, always = _block(statement.finalbody, name)
            return some + last, ends or always
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return ([Binding("definition", statement)], True) if statement.name == name else ([], False)
        case ast.Import() | ast.ImportFrom():
            imports = any(_local(a) == name for a in statement.names)
            return ([Binding("import", statement)], True) if imports else ([], False)
        case ast.Expr():
            return _walrus(statement.value, name), False
        case _:
            return [], False


def _branches(bodies: Sequence[Sequence[ast.stmt]], name: str, first: list[Binding]) -> tuple[list[Binding], bool]:
    found, ends = list(first), True
    for body in bodies:
        if leaves(body, turns=False):
            continue
        some, also = _block(body, name)
        found, ends = found + some, ends and also
    return found, ends


def _walrus(node: ast.AST, name: str) -> list[Binding]:
    return [
        Binding("value", n.value) for n in ast.walk(node)
        if isinstance(n, ast.NamedExpr) and n.target.id == name
    ]  # fmt: skip


def _targets(target: ast.expr, name: str, value: ast.expr, how: str) -> list[Binding]:
    if isinstance(target, ast.Name):
        return [Binding(how, value)] if target.id == name else []
    if isinstance(target, ast.Starred):
        return _targets(target.value, name, value, how)
    if isinstance(target, ast.Tuple | ast.List):
        for at, part in enumerate(target.elts):
            if isinstance(part, ast.Name) and part.id == name:
                if how == "value" and isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
                    return [Binding(how, value.elts[at])]
                return [Binding(how, value, at)]
            if _targets(part, name, value, how):
                return [Binding(how, value)]
    return []


def _contents(module: Module, function: FunctionNode, name: str) -> Iterator[Binding]:
    """What is put into the object behind a name anywhere in the function."""
    return (Binding("content", value) for value in put_into(module, function, name))


@once
def _puts(module: Module) -> dict[str, list[ast.expr]]:
    """Values by the object that they are put into: `rows` or `self.rows`."""
    found: dict[str, list[ast.expr]] = {}
    for call in module.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in GROWS:
            found.setdefault(_written(call.func.value), []).extend([*call.args, *(k.value for k in call.keywords)])
    for node in module.nodes(ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                found.setdefault(_written(target.value), []).append(node.value)
    return found


def put_into(module: Module, scope: FunctionNode | ast.ClassDef | None, name: str) -> list[ast.expr]:
    """Values that are put into the object behind a name or `self.name`, in a function, a class or the whole module."""
    found = _puts(module).get(name, [])
    if scope is None:
        return found
    return [value for value in found if scope.lineno <= value.lineno <= (scope.end_lineno or scope.lineno)]


def _written(node: ast.expr) -> str:
    return ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""


def first_line(function: FunctionNode) -> int:
    """First line of a function, decorators included."""
    return min([function.lineno, *(d.lineno for d in function.decorator_list)])
