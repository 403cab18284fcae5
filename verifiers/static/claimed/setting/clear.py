"""Passwords that are kept as they were typed: is one stored here, and is it hashed on the way? (256, 257, 312, 522)"""

import ast
import re
from collections.abc import Iterator

from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.setting.answers import own
from verifiers.static.claimed.setting.place import Scene, Sight, called_functions, calls_in
from verifiers.static.claimed.setting.words import (
    ABOUT,
    DEVELOPMENT,
    PASSWORD,
    constant,
    is_digest,
    is_made_up,
    is_placeholder,
    last_name,
)
from verifiers.static.reading import chain

THING = "a password that is stored"
_HASHES = re.compile(
    r"(?:.*\.)?(?:md5|sha\d+|sha3_\d+|blake2\w|hashpw|hash|hexdigest|digest|generate_password_hash|make_password|set_password|encrypt\w*"
    r"|get_password_hash|hash_password|pbkdf2_hmac|scrypt|create_user|create_superuser|derive|kdf)",
    re.IGNORECASE,
)
_STORES = re.compile(
    r"(?:create|insert_one|insert|insert_many|save|put_item|hset|set|update_one|update_or_create|get_or_create)"
)
_ASKS = frozenset(
    {"form", "args", "values", "json", "get_json", "POST", "GET", "data", "cleaned_data", "query_params", "params"}
)
_COLUMNS = re.compile(
    r"^\s*(?:insert|replace)\s+into\b[^(;]*\(([^)]*)\)|^\s*create\s+table\b[^(;]*\((.*)\)", re.IGNORECASE | re.DOTALL
)


def look(scene: Scene) -> Iterator[Sight]:
    """Places that store, compare or declare a password."""
    module = scene.module
    for call in module.nodes(ast.Call):
        yield from _created(scene, call)
        yield from _inserted(module, call)
    for assign in module.nodes(ast.Assign):
        yield from _assigned(scene, assign)
    for table in module.nodes(ast.Dict):
        yield from _written(scene, table)
    for compare in module.nodes(ast.Compare):
        if any(_is_password(last_name(side)) for side in (compare.left, *compare.comparators)):
            yield Sight(module.location(compare), None, "a password is compared here; how it is stored does not show")
    for _, function in module.functions:
        named = [a for a in ast.walk(function.args) if isinstance(a, ast.arg) and _is_password(a.arg)]
        if named:
            yield Sight(
                module.location(function),
                None,
                "a password is given to this function; what becomes of it does not show",
            )


def _is_password(name: str) -> bool:
    return PASSWORD.search(name) is not None and ABOUT.search(name) is None


def _created(scene: Scene, call: ast.Call) -> Iterator[Sight]:
    """`Model.objects.create(password=typed)`."""
    module = scene.module
    for keyword in call.keywords:
        if not keyword.arg or not _is_password(keyword.arg) or constant(keyword.value) is not None:
            continue
        name = module.resolve(call.func) or ""
        last = call.func.attr if isinstance(call.func, ast.Attribute) else name.rpartition(".")[2]
        at = module.location(call)
        if _hashes(scene.project, module, call):
            yield Sight(at, False, f"`{last}` hashes the password")
        elif last == "create" and ".objects." in f".{name}.":
            yield _weighed(scene, keyword.value, call)
        else:
            yield Sight(at, None, f"a password is handed to `{last}`; whether it is stored does not show")
    stores = isinstance(call.func, ast.Attribute) and _STORES.fullmatch(call.func.attr) is not None
    whole = [a for a in call.args if not isinstance(a, ast.Constant | ast.Dict)]
    if stores and (whole or any(k.arg is None for k in call.keywords)):
        yield Sight(
            module.location(call), None, "something is stored; whether a password is in it does not show", faint=True
        )


def _inserted(module: Module, call: ast.Call) -> Iterator[Sight]:
    """`INSERT INTO users(..., password, ...)`."""
    texts = [constant(a) for a in call.args]
    for text in texts:
        columns = _COLUMNS.match(text) if text else None
        named = (columns[1] or columns[2]).split(",") if columns else []
        if any(_is_password((column.split() or [""])[0].strip("`\"'[]")) for column in named):
            yield Sight(module.location(call), None, "a password column is filled; with what does not show")


def _assigned(scene: Scene, assign: ast.Assign) -> Iterator[Sight]:
    module = scene.module
    for target in assign.targets:
        name = last_name(target)
        if isinstance(target, ast.Subscript) and isinstance(assign.value, ast.Dict) and _lasting(module, target.value):
            for key, value in zip(assign.value.keys, assign.value.values, strict=True):
                if _is_password(constant(key) or "") and constant(value) is None:
                    sight = _weighed(scene, value, assign)
                    yield sight._replace(at=module.location(value), also=(module.location(assign), *sight.also))
        elif _is_password(name) and isinstance(target, ast.Attribute):
            if _hashed(scene.project, module, assign.value):
                yield Sight(module.location(assign), False, "the password is hashed before it is kept")
            else:
                yield Sight(
                    module.location(assign),
                    None,
                    "a password is kept in an object; whether that is stored does not show",
                )
        elif _is_password(name) and isinstance(assign.value, ast.Call) and module.enclosing_function(assign) is None:
            says = "a column for passwords is declared; what is put there does not show"
            yield Sight(module.location(assign), None, says)


def _lasting(module: Module, store: ast.expr) -> bool:
    """A table of the module, which outlives the request."""
    return isinstance(store, ast.Name) and store.id in module.definitions


def _written(scene: Scene, table: ast.Dict) -> Iterator[Sight]:
    """A password that stands in a table of the source, and what is put into documents."""
    module = scene.module
    for key, value in zip(table.keys, table.values, strict=True):
        if not _is_password(constant(key) or ""):
            continue
        text, at = constant(value), module.location(value)
        if text is None:
            up = module.parents.get(table)
            stored = isinstance(up, ast.Call) and isinstance(up.func, ast.Attribute) and _STORES.fullmatch(up.func.attr)
            if stored and _hashed_before(scene.project, module, value):
                yield Sight(at, False, "the password is hashed before it is stored")
            elif not isinstance(up, ast.Assign) or stored:
                yield Sight(at, None, "a password goes into a table; whether that is stored does not show")
        elif is_digest(text):
            yield Sight(at, False, "what stands here is a digest")
        elif not is_placeholder(text) and not is_made_up(text) and not re.search(r"\s", text):
            lasting = module.enclosing_function(table) is None and not DEVELOPMENT.search(module.path)
            yield Sight(at, True if lasting else None, "a table of the source holds the password as it is typed")


def _weighed(scene: Scene, value: ast.expr, node: ast.AST) -> Sight:
    """Is the value what somebody typed, with no hash between?"""
    module = scene.module
    at = module.location(node)
    function = module.enclosing_function(node)
    if _hashed(scene.project, module, value) or _hashed_before(scene.project, module, value):
        return Sight(at, False, "the password is hashed before it is stored")
    if function is None:
        return Sight(at, None, "where the password comes from does not show")
    source = typed(function, value, getattr(node, "lineno", 0))
    if source is None:
        return Sight(at, None, "where the password comes from does not show")
    return Sight(
        at, True, "the password is stored as it was typed, with no hash on the way", (module.location(source),)
    )


def typed(function: FunctionNode, value: ast.expr, line: int) -> ast.expr | None:
    """The read of the request that the value is, through plain assignments."""
    if any(isinstance(n, ast.Attribute) and n.attr in _ASKS for n in ast.walk(value)):
        return value
    if not isinstance(value, ast.Name):
        return None
    stores = [
        a for a in ast.walk(function)
        if isinstance(a, ast.Assign) and a.lineno < line and any(isinstance(t, ast.Name) and t.id == value.id for t in a.targets)
    ]  # fmt: skip
    return typed(function, stores[0].value, stores[0].lineno) if len(stores) == 1 else None


def _hashes(project: Project, module: Module, call: ast.Call) -> bool:
    """A call of a library that hashes, or of a function of the project that makes such a call."""
    name = module.resolve(call.func) or str(getattr(call.func, "attr", ""))
    if not _HASHES.fullmatch(name):
        return False
    ours = list(called_functions(project, module, call))
    if not ours and project.index.by_simple_name.get(name.rpartition(".")[2]):
        return False  # a method of the project, of which only the name is known
    return all(
        any(_HASHES.fullmatch(home.resolve(c.func) or str(getattr(c.func, "attr", ""))) for c in calls_in(function))
        for home, function in ours
    )


def _hashed(project: Project, module: Module, value: ast.expr) -> bool:
    return any(_hashes(project, module, call) for call in calls_in(value))


def _hashed_before(project: Project, module: Module, value: ast.expr) -> bool:
    """Whether the function stores a hash under the same name before: `user.password = md5(user.password)`."""
    function, name = module.enclosing_function(value), chain(value)
    if function is None or not name:
        return False
    stores = [
        a for a in own(function)
        if isinstance(a, ast.Assign) and a.lineno < value.lineno and any(chain(t) == name for t in a.targets)
    ]  # fmt: skip
    last = stores[-1:]
    return bool(last) and a_statement_of(function, last[0]) and _hashed(project, module, last[0].value)


def a_statement_of(function: FunctionNode, statement: ast.stmt) -> bool:
    """Whether the function always runs it: it stands in no branch."""
    return statement in function.body
