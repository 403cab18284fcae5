"""A reproducer that somebody else wrote: a program and its control, run in the sandbox, each on a copy of its own.

It proves the claim when the program ends with exit code 1, the control with 0, the claim's line ran in the program, and
the control came to the same function. Exit codes are those that the sandbox reports; that a line ran is seen by a wire
(`tripwire`) in a copy of which nobody else knows the token. So printing, faking reports, tampering with traces, or ending
early proves nothing. An exception that nobody catches is no exit code 1: the program is broken.

What remains forgeable: a program, or code of the project, that reads its own changed source finds the token. And nobody
judges what the program compares: one that calls the code with two inputs and calls one of them a defect, where the code
does right by both, is believed. Therefore it only ever strengthens the word of a reader who has quoted the code.
"""

import ast
import difflib
import io
import secrets
import sys
import tokenize
from typing import NamedTuple

from harness.contracts import Bench
from harness.sandbox.base import Execution, Limits, Mount, Sandbox
from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.syntax import NotParsed
from verifiers.executed import tripwire
from verifiers.executed.interpreter import OURS, Interpreter, newer
from verifiers.executed.trial import COPIED_BYTES, changed_copy

LONGEST = 20_000
"""Characters of a program."""
LIKENESS = 0.6
"""Least share of tokens that a program and its control have in common, in order."""
_AT = "/project"
_LIMITS = Limits(wall_s=60.0, output_bytes=256 << 10)
_RAISED, _NO_PYTHON = 113, 115
_START = f"""
import os, sys, traceback
os.chdir("{_AT}")
sys.path[:0] = ["{_AT}/src", "{_AT}"]
sys.path += [p for p in sys.argv[1:] if p]
sys.argv = ["program.py"]
try:
    code = compile(sys.stdin.read(), "program.py", "exec")
except (SyntaxError, ValueError):
    os._exit({_NO_PYTHON})
try:
    exec(code, sys.modules["__main__"].__dict__)
except SystemExit:
    raise
except BaseException:
    traceback.print_exc()
    sys.stdout.flush()
    os._exit({_RAISED})
"""


class Ending(NamedTuple):
    """How it went."""

    proved: bool
    """Whether all conditions hold."""
    said: str
    """One mechanical sentence without any word of the programs or of the project."""


def run(program: str, control: str, finding: Finding, bench: Bench, sandbox: Sandbox) -> Ending:
    """Run both, and once more with wires. Raises SandboxUnavailable."""
    objection = objection_to(program, control)
    if objection:
        return Ending(False, f"it was not run: {objection}")
    project = bench.project
    if sum(entry.size for entry in project.tree.files) > COPIED_BYTES:
        return Ending(False, "it was not run: the project is too large to copy")
    try:
        module = project.module(finding.path)
    except (KeyError, NotParsed):
        module = None
    if module is None or project.entries[finding.path].language != "python":
        return Ending(False, "it was not run: only lines of Python can be watched")
    token = secrets.token_hex(16)
    wired, entered = tripwire.across(module, finding.line, token), tripwire.at_entry(module, finding.line, token)
    if wired is None or entered is None:
        return Ending(False, f"it was not run: whether line {finding.line} runs cannot be watched")
    trials = _Trials(bench, sandbox, module)
    first, second = trials.run(program), trials.run(control)
    reached = token.encode() in trials.run(program, wired).stdout
    came = token.encode() in trials.run(control, entered).stdout
    said = (
        f"the program {_ending(first)}, the control {_ending(second)}; line {finding.line} was "
        f"{'' if reached else 'not '}reached in the program"
        f"{'' if came else '; the control did not come to the function around it'}"
    )
    return Ending(first.returncode == 1 and second.returncode == 0 and reached and came, said)


class _Trials:
    """Executions on copies of one project."""

    def __init__(self, bench: Bench, sandbox: Sandbox, module: Module) -> None:
        self._project = bench.project
        self._sandbox = sandbox
        self._module = module
        self._python = _interpreter(module)

    def run(self, text: str, changed: str | None = None) -> Execution:
        """One program, on the project as it is or with another text of the claim's module."""
        with changed_copy(self._project, self._module.path, changed) as root:
            return self._sandbox.run(
                [self._python.executable, "-P", "-s", "-c", _START, self._python.packages],
                writable=Mount(root, _AT),
                readable=self._python.readable,
                environment={"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
                stdin=text.encode("utf-8", "replace"),
                limits=_LIMITS,
            )


def _interpreter(module: Module) -> Interpreter:
    """Ours, unless the module needs a newer grammar and there is one."""
    try:
        ast.parse(module.text, feature_version=sys.version_info[:2])
    except (SyntaxError, ValueError):
        return newer() or OURS
    return OURS


def _ending(done: Execution) -> str:
    if done.returncode is None:
        return f"was ended at the limit of {done.limit}"
    if done.returncode == _RAISED:
        return "ended with an exception that nobody caught"
    return "is no Python" if done.returncode == _NO_PYTHON else f"exited {done.returncode}"


def objection_to(program: str, control: str) -> str:
    """Why the two cannot prove anything, seen from their text; '' when nothing speaks against running them."""
    for name, text in (("program", program), ("control", control)):
        if len(text) > LONGEST:
            return f"the {name} has more than {LONGEST} characters"
    try:
        first, second = ast.parse(program), ast.parse(control)
    except (SyntaxError, ValueError, RecursionError):
        return "the program or the control is no Python"
    if _ends_anyway(first.body):
        return "the program exits 1 whatever happens"
    if _without_exits(first) == _without_exits(second):
        return "program and control do the same and only end differently"
    if difflib.SequenceMatcher(None, _tokens(program), _tokens(control), autojunk=False).ratio() < LIKENESS:
        return "the control is another program: it must be the same one with harmless input or in serial order"
    return ""


def _ends_anyway(body: list[ast.stmt]) -> bool:
    """Whether the top level comes to a constant failure before anything could end it otherwise."""
    for statement in body:
        status = _status(statement)
        if status is not None:
            return bool(status.value)
        if any(_status(inner) or _is_exit(inner) for inner in ast.walk(statement)):
            return False
    return False


def _status(node: ast.AST) -> ast.Constant | None:
    """The constant with which a statement ends the program, None when it does not."""
    value = node.exc if isinstance(node, ast.Raise) else node.value if isinstance(node, ast.Expr) else None
    if isinstance(value, ast.Call) and _is_exit(value) and value.args and isinstance(value.args[0], ast.Constant):
        return value.args[0]
    return None


def _is_exit(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in {
        "exit", "_exit", "quit", "SystemExit", "abort",
    }  # fmt: skip


def _without_exits(tree: ast.Module) -> str:
    """The program without the statuses that depend on nothing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_exit(node):
            node.args = [a for a in node.args if any(isinstance(n, ast.Call | ast.Name) for n in ast.walk(a))]
    return ast.dump(tree)


def _tokens(text: str) -> list[str]:
    try:
        return [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.string.strip()]
    except (tokenize.TokenError, SyntaxError):
        return text.split()
