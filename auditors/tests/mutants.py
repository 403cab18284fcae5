"""surviving-mutant: a decision, result or error of a function can be changed, and every test that runs it still passes.

Why: coverage says that a line ran. A survivor shows that nobody looked at what it did.

Example:

    if amount > limit:            # negated to: if not (amount > limit)
        raise LimitExceeded       # 7 tests run this line, all of them pass either way

A few mutants of the functions with the most branches, in the time that is left once all tests have run. What it cannot see:
changes that make no difference to any caller look the same as changes that nobody tests.
"""

import ast
import time
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from auditors.syntax import own
from auditors.tests.running import CannotRun, Copy, Range, TestRun
from auditors.tests.unmentioned import ASIDE, is_public, risk_of
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.run import Skip
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="surviving-mutant",
    group="tests",
    title="Changed behaviour that no test notices",
    severity=Severity.LOW,
    page=__doc__,
)
FUNCTIONS = 6
"""Functions tried, the riskiest first."""
PER_FUNCTION = 2
"""Mutants of one function."""
MOST_TESTS = 60
"""A function that more tests run is left out: running them all takes too long."""
PROOF_SECONDS = 120.0
"""For proving all survivors, each of which takes three runs of all tests: with slow tests few are claimed, or none."""
LEAST_SECONDS = 1.0
"""With less time left no mutant is begun."""


class Target(NamedTuple):
    """A function."""

    place: Range
    qualname: str


class Mutant(NamedTuple):
    """One change of one expression or statement, as a replacement of text."""

    kind: str
    """`negate`, `none` or `silence`."""
    node: ast.AST
    replacement: str


def survivors(
    project: Project, copy: Copy, base: TestRun, targets: Sequence[Target], until: float
) -> Iterator[Claim | Skip]:
    """One run of the covering tests for every mutant, until `time.monotonic()` says `until`.

    `base` measured the ranges of `targets`.
    """
    provable = int(PROOF_SECONDS / (3 * max(base.seconds, 0.1)))
    tried = claimed = 0
    for place, qualname in targets:
        tests = base.tests.get(place, ())
        if not tests or len(tests) > MOST_TESTS or tried >= FUNCTIONS:
            continue
        tried += 1
        module = project.module(place.path)
        function = next(f for q, f in module.functions if q == qualname and f.lineno == place.first)
        for mutant in _mutants(module, function, base.lines.get(place.path, frozenset()))[:PER_FUNCTION]:
            if claimed >= provable:
                return
            seconds = until - time.monotonic()
            if seconds < LEAST_SECONDS:
                yield Skip(path=place.path, reason=f"the time for mutants ended before `{qualname}`")
                return
            if _survives(copy, module, mutant, tests, seconds):
                claimed += 1
                yield _claim(module, qualname, mutant, len(tests))


def _survives(copy: Copy, module: Module, mutant: Mutant, tests: tuple[str, ...], left: float) -> bool:
    """Every covering test passes on the changed file. Time-outs and broken runs count as noticed."""
    changed = {module.path: apply(module, mutant)}
    try:
        run = copy.run(wall_s=min(30.0, left), tests=tests, changed=changed)
    except CannotRun:
        return False
    return run.code == 0 and run.failed == 0 and run.passed > 0


def targets_of(project: Project) -> list[Target]:
    """Functions that may be changed, the riskiest first; more than are tried, since not all are run by a few tests."""
    found: list[tuple[int, Range, str]] = []
    for module in project.modules():
        if ASIDE & set(PurePosixPath(module.path).parts):
            continue
        for qualname, function in module.functions:
            risk = risk_of(function)
            if risk >= 3 and is_public(module, qualname, function):
                place = Range(module.path, function.lineno, function.end_lineno or function.lineno)
                found.append((-risk, place, qualname))
    return [Target(place, qualname) for _, place, qualname in sorted(found)[: FUNCTIONS * 8]]


def _mutants(module: Module, function: FunctionNode, executed: frozenset[int]) -> list[Mutant]:
    """Changes on executed lines, those first that are least likely to make no difference."""
    found: list[Mutant] = []
    for node in own(function.body):
        if getattr(node, "lineno", 0) not in executed:
            continue
        if isinstance(node, ast.Raise) and node.exc is not None:
            found.append(Mutant("silence", node, "pass"))
        elif isinstance(node, ast.If) and _decides(node):
            found.append(Mutant("negate", node.test, f"not ({module.segment(node.test)})"))
        elif isinstance(node, ast.Return) and not isinstance(node.value, ast.Constant | None):
            found.append(Mutant("none", node, "return None"))
    order = {"silence": 0, "none": 1, "negate": 2}
    return sorted(found, key=lambda m: (order[m.kind], getattr(m.node, "lineno", 0)))


def _decides(node: ast.If) -> bool:
    """Something other than logging depends on it."""
    return any(isinstance(n, ast.Return | ast.Raise | ast.Assign | ast.Continue | ast.Break) for n in own(node.body))


def apply(module: Module, mutant: Mutant) -> bytes:
    """The module's text with the node replaced."""
    place = module.location(mutant.node)
    lines = module.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first, last = lines[place.line - 1], lines[place.end_line - 1]
    end = len(last) if place.end_column is None else place.end_column - 1
    lines[place.line - 1 : place.end_line] = [first[: place.column - 1] + mutant.replacement + last[end:]]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _claim(module: Module, qualname: str, mutant: Mutant, tests: int) -> Claim:
    before = module.segment(mutant.node)
    place = module.location(mutant.node)
    short = " ".join(before.split())[:80]
    return module.claim(
        RULE,
        mutant.node,
        scenario=f"`{short}` changed to `{' '.join(mutant.replacement.split())[:90]}` in `{qualname}`: all {tests} tests that run "
        "this function still pass.",
        fix="Assert what this line decides.",
        facts={
            "function": qualname, "mutation": mutant.kind, "line": str(place.line), "end_line": str(place.end_line),
            "column": str(place.column), "end_column": str(place.end_column or 0), "replacement": mutant.replacement,
            "tests": str(tests),
        },
    )  # fmt: skip
