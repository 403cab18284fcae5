"""What becomes of a file around a claim: is it parsed when read, renamed when written, temporary, or a cache."""

import ast
import re

from harness.source.module import FunctionNode, Module
from verifiers.static.surroundings import chain, inside

_LOADERS = re.compile(
    r"(^|\.)(json|pickle|yaml|toml|tomllib|tomli|marshal|configparser|msgpack|orjson|simplejson)\.\w*(load|loads|unpack)"
    r"|literal_eval$|safe_load|read_file$|model_validate_json$|parse_raw$|fromstring$"
)
_RENAMES = frozenset({"os.replace", "os.rename", "shutil.move", "os.link"})
_TEMPORARY = re.compile(r"te?mp|scratch|partial|staging|\.new\b|\.part\b", re.IGNORECASE)
_CACHE = re.compile(r"cache|memo\b|\.pyc|lastfailed|history", re.IGNORECASE)


def loader_of(module: Module, read: ast.Call) -> ast.Call | None:
    """The call that parses what `read` gives: around it, over its `with` variable, or over the local it is stored in."""
    for up in module.ancestors(read):
        if isinstance(up, ast.Call) and up is not read and _loads(module, up):
            return up
        if isinstance(up, ast.stmt):
            break
    names = _names_of(module, read)
    function = module.enclosing_function(read)
    scope: list[ast.stmt] = function.body if function is not None else module.tree.body
    for node in inside(scope):
        if isinstance(node, ast.Call) and node.lineno >= read.lineno and _loads(module, node):
            mentioned = {n.id for argument in node.args for n in ast.walk(argument) if isinstance(n, ast.Name)}
            if mentioned & names:
                return node
    return None


def _loads(module: Module, call: ast.Call) -> bool:
    name = module.resolve(call.func) or chain(call.func) or str(getattr(call.func, "attr", ""))
    return bool(_LOADERS.search(name))


def _names_of(module: Module, read: ast.Call) -> set[str]:
    """Locals that hold the stream or the text, also one assignment further (`text = stream.read()`)."""
    names: set[str] = set()
    function = module.enclosing_function(read)
    scope: list[ast.stmt] = function.body if function is not None else module.tree.body
    for node in inside(scope):
        if isinstance(node, ast.withitem) and any(n is read for n in ast.walk(node.context_expr)):
            names |= {chain(node.optional_vars)} - {""}
        elif isinstance(node, ast.Assign) and any(
            n is read or (isinstance(n, ast.Name) and n.id in names) for n in ast.walk(node.value)
        ):
            names |= {chain(t) for t in node.targets} - {""}
    return names


def renamed_away(module: Module, function: FunctionNode | None, path: str) -> ast.Call | None:
    """The rename in the same function that takes `path` as its source: what was written is the temporary file."""
    for node in inside(function.body if function is not None else module.tree.body):
        if not isinstance(node, ast.Call):
            continue
        source = node.args[0] if node.args and module.resolve(node.func) in _RENAMES else None
        if isinstance(node.func, ast.Attribute) and node.func.attr in {"replace", "rename"} and len(node.args) == 1:
            source = node.func.value
        if source is not None and ast.unparse(source) in {path, f"Path({path})", f"pathlib.Path({path})"}:
            return node
    return None


def temporary(path: str) -> bool:
    """Whether the words of the path speak of a temporary file."""
    return bool(_TEMPORARY.search(path))


def cache(*texts: str) -> bool:
    """Whether the words around speak of a cache, whose loss costs time and nothing else."""
    return any(_CACHE.search(text) for text in texts)


def only_if_missing(module: Module, node: ast.AST) -> bool:
    """Whether `node` only runs when a file is not there yet."""
    below = node
    for up in module.ancestors(node):
        if isinstance(up, ast.If) and below in up.body and re.search(r"not .*(exists|is_file)\(", ast.unparse(up.test)):
            return True
        if isinstance(up, ast.ExceptHandler) and up.type is not None and "FileNotFoundError" in ast.unparse(up.type):
            return True
        below = up
    return False
