"""native-separator: a path of the operating system is cut or compared at a fixed `/` or `\\`.

Why: on Windows the path has backslashes: it is not split at all, the prefix never matches, the wrong part is taken.
(Joining with `/` is harmless, Windows takes both.)

Example:

    name = os.path.abspath(path).split("/")[-1]       # os.path.basename(path), or Path(path).name
    if str(path).startswith(root + "/"): ...          # Path(path).is_relative_to(root)

What it cannot see: paths that come in as parameters.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import constant, dotted, marginal, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="native-separator",
    group="platform",
    title="Fixed separator in a native path",
    severity=Severity.LOW,
    cwe=None,
    page=__doc__,
)

_NATIVE = {
    "os.getcwd", "os.path.abspath", "os.path.realpath", "os.path.join", "os.path.normpath", "os.path.dirname",
    "os.path.expanduser", "os.path.relpath", "os.path.commonpath", "os.fspath", "tempfile.mkdtemp", "tempfile.gettempdir",
    "glob.glob", "os.walk", "pathlib.Path", "inspect.getfile", "inspect.getsourcefile",
}  # fmt: skip
_CUTS = {"split", "rsplit", "partition", "rpartition", "startswith", "endswith", "find", "rfind", "index", "rindex"}


def check(module: Module, project: Project) -> Iterator[Claim]:
    """String methods that cut at a separator, on a value that a path function of the system made."""
    del project
    if marginal(module):
        return
    for call in module.nodes(ast.Call):
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in _CUTS or not call.args:
            continue
        text = _separator(call)
        if text is None:
            continue
        origin = _native(module, call.func.value, module.enclosing_function(call))
        if origin is None:
            continue
        yield module.claim(
            RULE,
            call,
            scenario=f"On Windows `{ast.unparse(call.func.value)[:60]}` (from `{origin}`) has backslashes: "
            f"`{call.func.attr}({text!r})` finds none.",
            fix="pathlib (name, parts, is_relative_to), or os.sep.",
            facts={"method": call.func.attr, "separator": text, "origin": origin},
        )


def _separator(call: ast.Call) -> str | None:
    argument = call.args[0]
    text = constant(argument)
    if text is None and isinstance(argument, ast.BinOp):
        text = constant(argument.right)
    return text if text is not None and ("/" in text or "\\" in text) and len(text) < 80 else None


def _native(module: Module, node: ast.expr, function: FunctionNode | None, depth: int = 3) -> str | None:
    if dotted(node) == "__file__":
        return "__file__"
    if isinstance(node, ast.Name) and function is not None and depth:
        values = [n.value for n in own(function.body) if isinstance(n, ast.Assign) and dotted(n.targets[0]) == node.id]
        return _native(module, values[0], function, depth - 1) if len(values) == 1 else None
    if not isinstance(node, ast.Call):
        return None
    name = module.resolve(node.func) or ""
    if name == "str" and node.args:
        return _native(module, node.args[0], function, depth)
    return name if name in _NATIVE else None


CHECK = Check(rules=(RULE,), module=check)
