"""mock-assertion-not-made: is the object really a mock, made here?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import chain, inside_all, tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

MAKERS = frozenset({"Mock", "MagicMock", "AsyncMock", "create_autospec", "NonCallableMock", "PropertyMock"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms for names bound to a mock in the function or handed in by a patch decorator."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the module cannot be read")
    if finding.facts.get("form") == "uncalled":
        node: ast.expr | None = node_at(module, finding, ast.Attribute)
        receiver = node.value if isinstance(node, ast.Attribute) else None
    else:
        node = node_at(module, finding, ast.Call)
        receiver = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    function = module.enclosing_function(node) if node is not None else None
    if node is None or receiver is None or function is None:
        return cannot_tell("there is no such use at this place")
    place = (module.location(node),)
    parent = module.parents[node]
    if finding.facts.get("form") == "uncalled" and not isinstance(parent, ast.Expr):
        return falls("the method is passed on, not left uncalled", kind="syntax", at=place)
    if finding.facts.get("form") == "invented" and not isinstance(parent, ast.Expr | ast.Assert):
        return cannot_tell("its answer is used for something")
    root = chain(receiver).partition(".")[0]
    if not root or not _is_mock(module, function, root):
        return cannot_tell("whether the object is a mock is not visible here")
    return stands(f"`{root}` is a mock, and nothing is asserted about it here", kind="definition", at=place)


def _is_mock(module: Module, function: FunctionNode, root: str) -> bool:
    for node in inside_all(function.body):
        if (
            isinstance(node, ast.Assign)
            and any(chain(t) == root for t in node.targets)
            and isinstance(node.value, ast.Call)
        ):
            called = chain(node.value.func)
            if tail(node.value.func) in MAKERS or called.startswith(
                ("mocker.patch", "mocker.Mock", "mocker.MagicMock", "mock.")
            ):
                return True
        if isinstance(node, ast.With):
            for item in node.items:
                made = item.context_expr
                patched = isinstance(made, ast.Call) and "patch" in (chain(made.func) or "").split(".")
                if patched and item.optional_vars is not None and chain(item.optional_vars) == root:
                    return True
    patches = [d for d in function.decorator_list if isinstance(d, ast.Call) and "patch" in chain(d.func).split(".")]
    names = [a.arg for a in function.args.args if a.arg not in {"self", "cls"}]
    given = [d for d in patches if not any(k.arg == "new" for k in d.keywords) and len(d.args) < 2]
    del module
    return root in names[: len(given)]
