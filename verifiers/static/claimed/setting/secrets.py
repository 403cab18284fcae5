"""Passwords and keys that stand in the code: is there one at the place, and does it let somebody in? (798, 259, 321)"""

import ast
import re
from collections.abc import Iterator

from harness.schema.location import Location
from harness.source.module import Module
from verifiers.static.claimed.setting import shapes
from verifiers.static.claimed.setting.place import Scene, Sight, called_functions
from verifiers.static.claimed.setting.switches import defined
from verifiers.static.claimed.setting.words import (
    DEVELOPMENT,
    FRAMEWORK_KEY,
    constant,
    credential,
    is_digest,
    is_made_up,
    is_placeholder,
    last_name,
    opens,
)
from verifiers.static.surroundings import local_names

THING = "a password or key that is written out"
_READS = frozenset({"os.getenv", "os.environ.get", "environ.get", "decouple.config", "getpass.getpass"})
_SIGNS = frozenset({"jwt.encode", "jwt.decode", "jose.jwt.encode", "jose.jwt.decode"})
_WHO = re.compile(r"user|login|name|account|email|admin", re.IGNORECASE)


def look(scene: Scene) -> Iterator[Sight]:
    """Every text that is named like a secret, compared with one, or handed on as one."""
    module = scene.module
    for name, value, node in _named(module):
        yield from _text(scene, name, value, node)
    for compare in module.nodes(ast.Compare):
        yield from _compared(scene, compare)
    for call in module.nodes(ast.Call):
        yield from _given(scene, call)
    yield from shapes.look(scene)


def _named(module: Module) -> Iterator[tuple[str, ast.expr, ast.AST]]:
    """(name, value, node) of assignments, dictionary entries and keyword arguments."""
    for assign in module.nodes(ast.Assign):
        for target in assign.targets:
            if isinstance(target, ast.Tuple) and isinstance(assign.value, ast.Tuple):
                for name, value in zip(target.elts, assign.value.elts, strict=False):
                    yield last_name(name), value, assign
            yield last_name(target), assign.value, assign
    for annotated in module.nodes(ast.AnnAssign):
        if annotated.value is not None:
            yield last_name(annotated.target), annotated.value, annotated
    for table in module.nodes(ast.Dict):
        for key, value in zip(table.keys, table.values, strict=True):
            yield constant(key) or "", value, value
    for given in module.nodes(ast.arguments):
        positional = [*given.posonlyargs, *given.args]
        for argument, default in zip(positional[len(positional) - len(given.defaults) :], given.defaults, strict=True):
            yield argument.arg, default, default
        for argument, optional in zip(given.kwonlyargs, given.kw_defaults, strict=True):
            if optional is not None:
                yield argument.arg, optional, optional
    for call in module.nodes(ast.Call):
        for keyword in call.keywords:
            yield keyword.arg or "", keyword.value, keyword.value


def _text(scene: Scene, name: str, value: ast.expr, node: ast.AST) -> Iterator[Sight]:
    if not credential(name):
        return
    at = scene.module.location(node)
    if _from_outside(scene.module, value):
        yield Sight(at, False, f"`{name}` comes from the environment")
        return
    text, also = (
        _bound(scene.module, value)
        if isinstance(value, ast.Name)
        else (constant(value) or _fallback(scene.module, value), ())
    )
    if text and text.strip():
        yield Sight(at, *_weighed(scene, name, text, node), also)


def _bound(module: Module, name: ast.Name) -> tuple[str | None, tuple[Location, ...]]:
    """The text that a name is bound to, in its function or else in the module, where it is bound once."""
    function = module.enclosing_function(name)
    if function is not None and name.id in local_names(function):
        assigned = [a for a in ast.walk(function) if isinstance(a, ast.Assign)]
    else:
        assigned = [a for a in module.nodes(ast.Assign) if module.enclosing_function(a) is None]
    stores = [a for a in assigned if any(isinstance(t, ast.Name) and t.id == name.id for t in a.targets)]
    if len(stores) != 1 or constant(stores[0].value) is None:
        return None, ()
    return constant(stores[0].value), (module.location(stores[0]),)


def _weighed(scene: Scene, name: str, text: str, node: ast.AST) -> tuple[bool | None, str]:
    if DEVELOPMENT.search(scene.module.path):
        return None, "this file is for development, or an example"
    if is_made_up(text):
        return None, f"the text of `{name}` calls itself a test's or an example's"
    if FRAMEWORK_KEY.fullmatch(name):
        if _replaced(scene.module, name, node):
            return None, f"`{name}` may be replaced in another place"
        return True, f"`{name}` is a text of the source: whoever reads it signs what they like, in every installation"
    if is_placeholder(text):
        return False, f"the text of `{name}` is to be filled in"
    if is_digest(text):
        return None, f"`{name}` is a digest, which is not yet the password"
    if not opens(name, text):
        return None, f"by its text `{name}` is a caption, the name of something or an address"
    return True, f"`{name}` is written out in the source, the same in every installation"


def _replaced(module: Module, name: str, node: ast.AST) -> bool:
    stores = [n for n, _, other in _named(module) if n == name and isinstance(other, ast.Assign | ast.AnnAssign)]
    if len(stores) > 1 or any(isinstance(up, ast.If | ast.Try | ast.IfExp) for up in module.ancestors(node)):
        return True
    later = [n for n in module.nodes(ast.ImportFrom) if n.lineno > getattr(node, "lineno", 0)]
    return any(alias.name == "*" for n in later for alias in n.names) or any(
        isinstance(c.func, ast.Attribute) and c.func.attr.startswith("from_") and "config" in ast.unparse(c.func)
        for c in module.nodes(ast.Call)
        if c.lineno > getattr(node, "lineno", 0)
    )


def _from_outside(module: Module, value: ast.expr) -> bool:
    """Read from the environment, with no text to fall back on."""
    if isinstance(value, ast.Subscript):
        return module.resolve(value.value) == "os.environ"
    if not isinstance(value, ast.Call) or module.resolve(value.func) not in _READS:
        return False
    return _fallback(module, value) is None


def _fallback(module: Module, value: ast.expr) -> str | None:
    """The text that stands in where the environment has none."""
    if not isinstance(value, ast.Call) or module.resolve(value.func) not in _READS:
        return None
    given = [*value.args[1:], *(k.value for k in value.keywords if k.arg == "default")]
    return next((constant(g) for g in given if constant(g)), None)


def _compared(scene: Scene, compare: ast.Compare) -> Iterator[Sight]:
    if len(compare.ops) != 1 or not isinstance(compare.ops[0], ast.Eq):
        return
    sides = (compare.left, compare.comparators[0])
    for text, other in (sides, sides[::-1]):
        written = constant(text)
        if not written or credential(last_name(other)) != "password":
            continue
        at = scene.module.location(compare)
        both = scene.module.parents.get(compare)
        beside = both.values if isinstance(both, ast.BoolOp) and isinstance(both.op, ast.And) else []
        who = [
            v for v in beside if v is not compare and isinstance(v, ast.Compare) and _WHO.search(ast.unparse(v.left))
        ]
        if who and any(constant(c) for c in who[0].comparators):
            yield Sight(at, True, "one user is let in with a password that stands in the source")
        else:
            yield Sight(at, None, "a password is compared with a text; what that decides does not show")


def _given(scene: Scene, call: ast.Call) -> Iterator[Sight]:
    """A key that signs tokens, or a text in the place of a parameter that is a password."""
    module = scene.module
    if module.resolve(call.func) in _SIGNS:
        key = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "key"), None)
        if constant(key):
            yield Sight(module.location(call), True, "tokens are signed or checked with a text of the source")
        elif key is not None:
            yield from _signing(scene, call, key)
        return
    if not any(constant(a) for a in call.args):
        return
    for home, node in called_functions(scene.project, module, call):
        names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        bound = names[1:] if names[:1] in (["self"], ["cls"]) else names
        for name, value in zip(bound, call.args, strict=False):
            text = constant(value)
            if text and credential(name) == "password" and opens(name, text) and not is_placeholder(text):
                where = home.location(node)
                says = f"`{node.name}` is given a text of the source as `{name}`"
                bad = None if is_made_up(text) or DEVELOPMENT.search(module.path) else True
                yield Sight(module.location(call), bad, says, (where,))


def _signing(scene: Scene, call: ast.Call, key: ast.expr) -> Iterator[Sight]:
    """A key that a name of the project is bound to."""
    bound = defined(scene.project, scene.module, key)
    if bound is not None and constant(bound[1]) and not DEVELOPMENT.search(bound[0].path):
        says = f"tokens are signed or checked with `{ast.unparse(key)}`, a text of the source"
        yield Sight(scene.module.location(call), True, says, (bound[0].location(bound[1]),))
