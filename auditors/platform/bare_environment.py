"""bare-environment: a child process gets an environment made from scratch, without what Windows needs to start one.

Why: without SYSTEMROOT a Windows process cannot load its libraries: Python itself dies at start, sockets fail. Without
PATH the program is not found on any system.

Example:

    subprocess.run([sys.executable, tool], env={"MODE": "fast"})     # env={**os.environ, "MODE": "fast"}

What it cannot see: environments that come in as parameters.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import constant, dotted, keyword, marginal, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="bare-environment",
    group="platform",
    title="Environment made from scratch",
    severity=Severity.MEDIUM,
    cwe=None,
    page=__doc__,
)

_STARTS = {
    "subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_call", "subprocess.check_output",
    "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell", "asyncio.subprocess.create_subprocess_exec",
}  # fmt: skip


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Process starts whose `env` is a dict display (there, or the one value of a local) without SYSTEMROOT."""
    del project
    if marginal(module):
        return
    for call in module.nodes(ast.Call):
        if module.resolve(call.func) not in _STARTS:
            continue
        given = keyword(call, "env")
        display = _display(given, module.enclosing_function(call)) if given is not None else None
        if display is None or None in display.keys:
            continue
        names = [constant(key) or "?" for key in display.keys]
        if "?" in names or any(name.upper() == "SYSTEMROOT" for name in names):
            continue
        yield module.claim(
            RULE,
            call,
            scenario=f"On Windows the child gets {', '.join(names) or 'nothing'} and no SYSTEMROOT: it cannot load the system's "
            "libraries and dies before its first line.",
            fix="Start from os.environ ({**os.environ, ...}), or carry SYSTEMROOT and PATH over.",
            facts={"names": ",".join(names), "display_line": str(display.lineno)},
            related=(module.related("definition", display, "made here"),) if display.lineno != call.lineno else (),
        )


def _display(node: ast.expr, function: FunctionNode | None) -> ast.Dict | None:
    if isinstance(node, ast.Dict):
        return node
    if isinstance(node, ast.Name) and function is not None:
        values = [n.value for n in own(function.body) if isinstance(n, ast.Assign) and dotted(n.targets[0]) == node.id]
        if len(values) == 1 and isinstance(values[0], ast.Dict):
            return values[0]
    return None


CHECK = Check(rules=(RULE,), module=check)
