"""surviving-mutant: the whole suite runs three times: unchanged, with the line poisoned, and with the line changed.

The unchanged run must pass, or nothing can be told. The poisoned run, in which the statement raises, is the control: it must
fail, or the line does not run in these tests and the survivor proves nothing. Only then does a third run that passes count.
"""

import ast
import re

from harness.contracts import Bench
from harness.sandbox.base import Execution, Limits, Mount, Sandbox
from harness.sandbox.provided import Lacking, provided
from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from harness.source.syntax import NotParsed, parse
from verifiers.executed.interpreter import Interpreter, chosen
from verifiers.executed.outcome import Outcome, not_reproduced, reproduced
from verifiers.executed.trial import COPIED_BYTES, changed_copy

_AT = "/project"
_LIMITS = Limits(wall_s=120.0, memory_bytes=2 << 30, output_bytes=8 << 20)
_ARGUMENTS = (
    "-q",
    "-x",
    "-o",
    "addopts=",
    "-o",
    "filterwarnings=",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-p",
    "no:randomly",
)
_START = """
import sys
sys.path[:] = [p for p in sys.path if p] + [p for p in [sys.argv.pop(1)] if p]
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""
KINDS = frozenset({"negate", "none", "silence"})


def fits(finding: Finding) -> bool:
    """Survivors whose change is given as a place and its new text."""
    facts = finding.facts
    numbers = all(facts.get(k, "").isdigit() for k in ("line", "end_line", "column", "end_column"))
    return finding.kind == "surviving-mutant" and facts.get("mutation") in KINDS and numbers and "replacement" in facts


def reproduce(finding: Finding, bench: Bench, sandbox: Sandbox) -> Outcome:
    """Raises SandboxUnavailable."""
    project = bench.project
    try:
        python = _with_pytest(bench)
    except Lacking as error:
        return not_reproduced(finding, str(error))
    if sum(entry.size for entry in project.tree.files) > COPIED_BYTES:
        return not_reproduced(finding, "the project is too large to copy for every run")
    try:
        module = project.module(finding.path)
    except (KeyError, NotParsed):
        return not_reproduced(finding, "the module cannot be read")
    mutant, poisoned = _changed(module, finding), _poisoned(module, finding)
    if mutant is None or poisoned is None:
        return not_reproduced(finding, "the change does not fit the code at this place")
    plain = _suite(project, sandbox, python, finding.path, None)
    if plain.returncode != 0:
        return not_reproduced(finding, "the unchanged tests do not all pass here", [_told("unchanged", plain)])
    control = _suite(project, sandbox, python, finding.path, poisoned)
    if control.returncode != 1:
        steps = [_told("unchanged", plain), _told("poisoned", control)]
        return not_reproduced(
            finding, "the tests do not notice when the statement raises, so they do not run it", steps
        )
    changed = _suite(project, sandbox, python, finding.path, mutant)
    steps = [_told("unchanged", plain), _told("poisoned", control), _told("changed", changed)]
    if changed.returncode != 0:
        return not_reproduced(finding, "with the whole suite, a test notices the change", steps)
    replacement = " ".join(finding.facts["replacement"].split())[:100]
    return reproduced(
        finding,
        f"the whole suite passes with `{replacement}` in line {finding.line}, and fails when that line raises",
        steps,
    )


def _changed(module: Module, finding: Finding) -> str | None:
    """The module with the claimed replacement, None when it is no Python or no change."""
    facts = finding.facts
    line, end_line = int(facts["line"]), int(facts["end_line"])
    column, end_column = int(facts["column"]), int(facts["end_column"])
    lines = list(module.lines)
    if not 1 <= line <= end_line <= len(lines) or line != finding.line:
        return None
    end = end_column - 1 if end_column else len(lines[end_line - 1])
    lines[line - 1 : end_line] = [lines[line - 1][: column - 1] + facts["replacement"] + lines[end_line - 1][end:]]
    text = "\n".join(lines)
    try:
        different = ast.dump(parse(text)) != ast.dump(module.tree)
    except NotParsed:
        return None
    return text if different else None


def _poisoned(module: Module, finding: Finding) -> str | None:
    """The module with a statement that raises before the one at the finding's line."""
    starts = [
        n for n in module.parents if isinstance(n, ast.stmt) and n.lineno <= finding.line <= (n.end_lineno or n.lineno)
    ]
    if not starts:
        return None
    statement = max(starts, key=lambda n: (n.lineno, n.col_offset))
    lines = list(module.lines)
    indent = lines[statement.lineno - 1][: len(lines[statement.lineno - 1]) - len(lines[statement.lineno - 1].lstrip())]
    if lines[statement.lineno - 1].lstrip().startswith("elif"):
        return None
    lines.insert(statement.lineno - 1, f"{indent}raise BaseException('poisoned')")
    text = "\n".join(lines)
    try:
        parse(text)
    except NotParsed:
        return None
    return text


def _with_pytest(bench: Bench) -> Interpreter:
    """The Python for the tests, with what it is lent to have pytest. Raises Lacking."""
    python, lent = chosen(bench), provided(bench.python, "pytest")
    return python._replace(readable=(*python.readable, *lent.readable), packages=lent.path)


def _suite(project: Project, sandbox: Sandbox, python: Interpreter, path: str, text: str | None) -> Execution:
    with changed_copy(project, path, text) as root:
        return sandbox.run(
            [python.executable, "-c", _START, python.packages, *_ARGUMENTS, *_importing(project)],
            writable=Mount(root, _AT),
            readable=python.readable,
            environment={
                "PYTHONPATH": f"{_AT}:{_AT}/src",
                "PYTHONHASHSEED": "0",
                "HOME": _AT,
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            limits=_LIMITS,
        )


def _importing(project: Project) -> list[str]:
    """Kept from the options of the project's configuration, which are dropped otherwise: how test files are imported."""
    for name in ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"):
        if name in project.entries and re.search(r"--import-mode\W+importlib\b", project.text(name)):
            return ["--import-mode=importlib"]
    return []


def _told(name: str, done: Execution) -> str:
    """One step for the record: durations and counts are left out, so that the same input gives the same text."""
    return f"{name}: python -m pytest {' '.join(_ARGUMENTS)} -> exit code {done.returncode}"
