"""tex-unbounded: is there a limit after all, and does anybody see the question that TeX asks?

Dismisses calls with a limit, a `timeout` program in the command, and programs that ask at the terminal of the person who
started them. Confirms a question that nobody can see, and a document made from a parameter of the function.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.latex.command import command_text, written
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_CAPTURED = ("PIPE", "DEVNULL", "STDOUT")


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    here = (module.location(call),)
    given = {k.arg: k.value for k in call.keywords}
    if None in given:
        return cannot_tell("more arguments come from elsewhere")
    text = command_text(module, call)
    limit = given.get("timeout")
    if limit is not None and not (isinstance(limit, ast.Constant) and limit.value is None):
        return falls("it has a timeout", kind="guard", detail=ast.unparse(limit), at=here)
    if re.search(r"['\"](timeout|prlimit|ulimit)['\"]|^['\"]timeout ", text):
        return falls("the command limits itself", kind="guard", detail=text, at=here)
    silent = (
        re.search(r"-?interaction=?(nonstopmode|batchmode|scrollmode)|halt-on-error|stdin|input", text)
        or {"stdin", "input"} & given.keys()
    )
    if not silent:
        hidden = _hidden(module, call, given)
        if hidden:
            return stands(
                f"its output goes to {hidden}, so nobody sees that TeX asks", kind="constant", detail=text, at=here
            )
        return falls(
            "its questions appear at the terminal of whoever started it", kind="constant", detail=text, at=here
        )
    made = written(module, call)
    if made is None:
        return cannot_tell("where the document comes from is not to be seen")
    return stands(
        f"line {made.node.lineno} writes the document from the parameter `{made.parameter}`, and nothing ends a run that does "
        "not end by itself",
        kind="flow",
        detail=ast.unparse(made.node),
        at=(module.location(made.node), *here),
    )


def _hidden(module: Module, call: ast.Call, given: dict[str | None, ast.expr]) -> str:
    """Where the output goes instead of the terminal, '' for the terminal."""
    captured = given.get("capture_output")
    if isinstance(captured, ast.Constant) and captured.value is True:
        return "a buffer"
    if (module.resolve(call.func) or "").endswith("check_output"):
        return "a buffer"
    out = given.get("stdout")
    name = out.attr if isinstance(out, ast.Attribute) else out.id if isinstance(out, ast.Name) else ""
    return name if name in _CAPTURED or (out is not None and name) else ""
