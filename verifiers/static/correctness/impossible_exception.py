"""impossible-exception: is the receiver of `.get` known to be a plain mapping?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import binds, chain, inside_all
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict", "Counter"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms for dict displays, `dict()`, annotated mappings and os.environ, with simple keys."""
    module = module_of(finding, project)
    handler = node_at(module, finding, ast.ExceptHandler) if module else None
    attempt = module.parents.get(handler) if module and handler else None
    if module is None or handler is None or not isinstance(attempt, ast.Try):
        return cannot_tell("there is no handler at this place")
    place = (module.location(attempt.body[0]), module.location(handler.body[0]))
    for node in inside_all(attempt.body):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Attribute) or node.func.attr != "get":
                return falls("another call in the try block may raise it", kind="syntax", at=place)
            if not _is_mapping(module, node.func.value, module.enclosing_function(node)):
                return cannot_tell("the object's `get` may be its own")
            if not all(isinstance(a, ast.Constant | ast.Name) for a in node.args):
                return cannot_tell("the key is computed in the same expression")
        if isinstance(node, ast.Subscript | ast.Raise | ast.Await | ast.Yield | ast.Attribute) and not _is_get(node):
            if isinstance(node, ast.Attribute) and chain(node).startswith("os.environ"):
                continue
            return falls("another operation in the try block may raise it", kind="syntax", at=place)
    return stands(
        "`.get` of a mapping never raises KeyError, and nothing else in the block does", kind="constant", at=place
    )


def _is_get(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "get"


def _is_mapping(module: Module, receiver: ast.expr, function: FunctionNode | None) -> bool:
    if module.resolve(receiver) == "os.environ" or isinstance(receiver, ast.Dict):
        return True
    name = chain(receiver)
    if function is None or not name or "." in name:
        return False
    for parameter in (*function.args.args, *function.args.kwonlyargs):
        if parameter.arg == name and parameter.annotation is not None:
            text = ast.unparse(parameter.annotation).partition("[")[0].rpartition(".")[2]
            return text in MAPPINGS and not any(
                binds(s, name) for s in inside_all(function.body) if isinstance(s, ast.stmt)
            )
    bindings = [s for s in inside_all(function.body) if isinstance(s, ast.stmt) and binds(s, name)]
    return bool(bindings) and all(isinstance(b, ast.Assign | ast.AnnAssign) and _makes_dict(b.value) for b in bindings)


def _makes_dict(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Dict | ast.DictComp) or (isinstance(value, ast.Call) and chain(value.func) == "dict")
