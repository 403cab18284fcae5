"""A change of the code that no test notices: the tests are run with it, without it, and with a blatant one.

Confirms only when they pass without the change and with it, and fail when the same function raises at once: so they do
run, they do reach the function, and they do not notice the change. A claim of the kind `surviving-mutant` stands at the
text that is changed (`facts`: `before`, `after`, and `tests`, the paths to run, where not all).
"""

import ast
import re
import sys
from typing import NamedTuple

from harness.contracts import Bench
from harness.sandbox.base import Execution, Limits, Mount, Sandbox
from harness.schema.finding import Finding
from harness.source.module import Module
from verifiers.executed.outcome import Outcome, not_reproduced, reproduced

_LIMITS = Limits(wall_s=80, output_bytes=1 << 20)
_MOST_BYTES = 64 << 20
_FAILED = 1
"""pytest's exit code for tests that failed; any other failure is trouble and not a result."""
_START = """
import os, shutil, sys
path, *arguments = sys.argv[1:]
shutil.copytree("/pinned", "/tmp/project", symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
os.chdir("/tmp/project")
with open(path, "wb") as stream:
    stream.write(sys.stdin.buffer.read())
sys.dont_write_bytecode = True
sys.pycache_prefix = "/tmp/no-bytecode"
sys.path[:0] = ["/tmp/project/src", "/tmp/project"]
import pytest
sys.exit(pytest.main(["-q", "-x", "--no-header", "-p", "no:cacheprovider", *arguments]))
"""


class _Variant(NamedTuple):
    name: str
    text: str


def fits(finding: Finding) -> bool:
    """A named change in a function."""
    return finding.kind == "surviving-mutant" and {"before", "after"} <= finding.facts.keys() and bool(finding.symbol)


def reproduce(finding: Finding, bench: Bench, sandbox: Sandbox) -> Outcome:
    """See `Template.reproduce`."""
    project = bench.project
    if sum(entry.size for entry in project.tree.files) > _MOST_BYTES:
        return not_reproduced(finding, "the project is too large for a copy in memory")
    module = project.module(finding.path)
    changed, blatant = _changed(module, finding), _blatant(module, finding)
    if changed is None or blatant is None:
        return not_reproduced(finding, "the text to change does not stand at this place, or in no function")
    tests = finding.facts.get("tests", "").split()
    steps: list[str] = []
    results = []
    for variant in (_Variant("unchanged", module.text), _Variant("changed", changed), _Variant("blatant", blatant)):
        done = _run(sandbox, bench, finding.path, variant.text, tests)
        results.append(done.returncode)
        steps.append(f"{variant.name}: {_ending(done)}")
        if len(results) < 3 and done.returncode != 0:
            break
    if results == [0, 0, _FAILED]:
        what = f"`{finding.facts['before']}` as `{finding.facts['after']}`"
        reason = f"reproduced: with {what} every test passes, and with `{finding.symbol}` raising at once they fail"
        return reproduced(finding, reason, steps)
    why = {1: "the tests do not pass unchanged here", 2: "a test notices the change"}.get(len(results))
    return not_reproduced(finding, why or "no test fails when the function raises: none reaches it", steps)


def _changed(module: Module, finding: Finding) -> str | None:
    """The module with the claimed change, None when `before` does not stand there or the result is no Python."""
    lines = module.text.splitlines(keepends=True)
    before, after = finding.facts["before"], finding.facts["after"]
    start = sum(map(len, lines[: finding.line - 1])) + finding.column - 1
    if module.text[start : start + len(before)] != before or before == after:
        return None
    text = module.text[:start] + after + module.text[start + len(before) :]
    return text if _parses(text) else None


def _blatant(module: Module, finding: Finding) -> str | None:
    """The module in which the finding's function raises first of all, None when there is no such function."""
    function = dict(module.functions).get(finding.symbol or "")
    if function is None or function.body[0].lineno == function.lineno:
        return None
    first = function.body[0]
    lines = module.text.splitlines(keepends=True)
    lines.insert(first.lineno - 1, f"{' ' * first.col_offset}raise AssertionError('blatant')\n")
    text = "".join(lines)
    return text if _parses(text) else None


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def _run(sandbox: Sandbox, bench: Bench, path: str, text: str, tests: list[str]) -> Execution:
    return sandbox.run(
        [sys.executable, "-I", "-c", _START, path, *tests],
        readable=[Mount(bench.project.root, "/pinned")],
        environment={"PYTHONHASHSEED": "0", "NO_COLOR": "1"},
        stdin=text.encode("utf-8", "surrogateescape"),
        limits=_LIMITS,
    )


def _ending(done: Execution) -> str:
    """Exit code and pytest's last line, without the time, which is another one each time."""
    if done.returncode is None:
        return f"ended at the limit of {done.limit}"
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
    last = re.sub(r" in [\d.]+s.*", "", lines[-1])[:200] if lines else ""
    return f"exit code {done.returncode}: {last}"
