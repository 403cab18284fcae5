"""format-arguments: formats for real, with stand-ins for the values, and sees whether it raises."""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import chain
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


class _Any(int):
    """Formats as anything: text, number and character."""

    def __str__(self) -> str:
        return "x"


def falsify(finding: Finding, project: Project) -> Ruling:
    """The text is formatted with as many stand-ins as the call has values; widths over three digits are not tried."""
    module = module_of(finding, project)
    form = finding.facts.get("form", "")
    if module is None:
        return cannot_tell("the module cannot be read")
    node = node_at(module, finding, ast.Call) if form == "logging" else node_at(module, finding, ast.BinOp)
    text: str | None = None
    count = -1
    if isinstance(node, ast.Call) and node.args:
        text, count = _literal(module, node.args[0]), len(node.args) - 1
        if isinstance(node.func, ast.Attribute) and _own_logger(module, node.func.value):
            return cannot_tell("the logger is an object of the project, which may format otherwise")
    elif isinstance(node, ast.BinOp) and isinstance(node.right, ast.Tuple):
        text, count = _literal(module, node.left), len(node.right.elts)
    if text is None or node is None or re.search(r"\d{4}", text):
        return cannot_tell("the text and its values are not at this place")
    try:
        text % tuple(_Any(65) for _ in range(count))
    except TypeError as error:
        return stands(
            f"formatting raises TypeError: {error}", kind="constant", detail=text, at=(module.location(node),)
        )
    except ValueError as error:
        return cannot_tell(f"the format is malformed in another way: {error}")
    return falls("it formats with that many values", kind="constant", detail=text, at=(module.location(node),))


def _literal(module: Module, node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        bindings = [
            a for a in module.nodes(ast.Assign, ast.AugAssign, ast.AnnAssign)
            if any(chain(t) == node.id for t in getattr(a, "targets", [getattr(a, "target", None)]))
        ]  # fmt: skip
        if len(bindings) != 1 or not isinstance(bindings[0], ast.Assign):
            return None
        node = bindings[0].value
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _own_logger(module: Module, receiver: ast.expr) -> bool:
    """Bound in this module to something other than `logging.getLogger(...)`, or not visible here."""
    name = chain(receiver)
    if module.imports.get(name) == "logging":
        return False
    for assign in module.nodes(ast.Assign):
        if any(chain(t) == name for t in assign.targets):
            made = module.resolve(assign.value.func) if isinstance(assign.value, ast.Call) else None
            return made not in {"logging.getLogger", "logging.Logger"}
    return True
