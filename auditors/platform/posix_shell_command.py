"""posix-shell-command: a shell command that only a POSIX shell understands.

Why: on Windows the shell is cmd.exe: it has no `rm`, `cp` or `grep`, no `/dev/null`, and other quoting.

Example:

    os.system("rm -rf build")                 # shutil.rmtree("build", ignore_errors=True)

What it cannot see: commands that are put together at run time.
"""

import ast
import re
from collections.abc import Iterator

from auditors.bodies import constant, keyword, marginal
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="posix-shell-command",
    group="platform",
    title="Command for a POSIX shell",
    severity=Severity.LOW,
    cwe=None,
    page=__doc__,
)

_SHELLS = {"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"}
_RUNS = {"subprocess.run", "subprocess.call", "subprocess.Popen", "subprocess.check_call", "subprocess.check_output"}
_WORDS = re.compile(
    r"^\s*(rm|cp|mv|ls|cat|grep|chmod|chown|ln|touch|which|sed|awk|export|source|kill|pkill|ps|uname|head|tail|nohup|sudo)\b"
    r"|/dev/null|\$\(|^\s*\w+=\S+\s+\w+|;\s*(then|do|fi|done)\b"
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Constant commands (or the constant start of one) that go to a shell."""
    del project
    if marginal(module):
        return
    for call in module.nodes(ast.Call):
        name = module.resolve(call.func) or ""
        shell = keyword(call, "shell")
        through = name in _SHELLS or (name in _RUNS and isinstance(shell, ast.Constant) and shell.value is True)
        text = _start(call.args[0]) if through and call.args else None
        match = _WORDS.search(text) if text else None
        if match is None:
            continue
        yield module.claim(
            RULE,
            call,
            scenario=f"On Windows cmd.exe gets `{text}` and knows no `{match.group(0).strip()}`: the command fails.",
            fix="Do it in Python (shutil, pathlib, os), or start the program with a list of arguments.",
            facts={"word": match.group(0).strip(), "call": name},
        )


def _start(node: ast.expr) -> str | None:
    if isinstance(node, ast.JoinedStr) and node.values:
        return constant(node.values[0])
    if isinstance(node, ast.BinOp):
        return _start(node.left)
    return constant(node)


CHECK = Check(rules=(RULE,), module=check)
