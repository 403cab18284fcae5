"""near-clone-divergence: two functions are the same but for one guard, argument or number that only one of them has.

Why: copies are mended one at a time. What was added to one of them for a reason is usually missing in the other for none.

Example:

    def stop(self, job):                        def pause(self, job):
        entry = self.jobs.get(job.id)               entry = self.jobs.get(job.id)
        if entry is None:                           entry.signal(job.kind)    # the guard is missing
            return False
        entry.signal(job.kind)

What it cannot see: copies that were reformatted or renamed; functions of fewer than six statements.
"""

import ast
import difflib
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location, RelatedLocation
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="near-clone-divergence",
    group="consistency",
    title="One of two copies lacks what the other has",
    severity=Severity.MEDIUM,
    page=__doc__,
)
SHORTEST = 6
"""Statements below which two functions look alike by chance."""
CROWD = 8
"""Functions that may share a pair of neighbouring statements before the pair is too common to mean anything."""
_CONSTANT = re.compile(r"""("[^"]*"|'[^']*'|\b\d[\w.]*)""")

_COMMENT = re.compile(r"(^|\s)#\s.*$")


class Step(NamedTuple):
    """One statement without the blocks below it."""

    shape: int
    """Hash of its text with constants blanked out."""
    exact: int
    """Hash of its text."""
    line: int
    end: int
    """Last line of the text hashed."""
    leaves: bool
    """An `if` whose block does nothing but leave."""


class Shape(NamedTuple):
    """A function as its steps."""

    path: str
    line: int
    name: str
    steps: tuple[Step, ...]


def check(project: Project) -> Iterator[Claim]:
    """Pairs functions by shared neighbouring statements, then compares the steps of each pair. No tree is kept."""
    shapes: list[Shape] = []
    index: dict[tuple[int, int], list[int]] = {}
    for module in project.modules():
        for _, function in module.functions:
            try:
                steps = tuple(_steps(module, function.body))
            except RecursionError:
                continue  # hundreds of branches inside one another: made by a program, which makes no slips
            if len(steps) < SHORTEST:
                continue
            for first, second in itertools.pairwise(steps):
                holders = index.setdefault((first.shape, second.shape), [])
                if len(holders) < CROWD and holders[-1:] != [len(shapes)]:
                    holders.append(len(shapes))
            shapes.append(Shape(module.path, function.lineno, function.name, steps))
    shared: dict[tuple[int, int], int] = {}
    for holders in index.values():
        if len(holders) < CROWD:
            for at, left in enumerate(holders):
                for right in holders[at + 1 :]:
                    shared[left, right] = shared.get((left, right), 0) + 1
    for left, right in sorted(shared):
        a, b = shapes[left], shapes[right]
        if shared[left, right] * 2 >= min(len(a.steps), len(b.steps)) and abs(len(a.steps) - len(b.steps)) <= 3:
            yield from _compare(project, a, b)


def _steps(module: Module, body: list[ast.stmt]) -> Iterator[Step]:
    for statement in body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        inner: list[list[ast.stmt]] = [
            b for f in ("body", "orelse", "finalbody") if isinstance(b := getattr(statement, f, None), list) and b
        ]
        inner += [h.body for h in getattr(statement, "handlers", [])] + [
            c.body for c in getattr(statement, "cases", [])
        ]
        end = inner[0][0].lineno - 1 if inner else statement.end_lineno or statement.lineno
        end = max(end, statement.lineno)
        text = " ".join(_COMMENT.sub("", line).strip() for line in module.lines[statement.lineno - 1 : end])
        leaves = isinstance(statement, ast.If) and not statement.orelse and _only_leaves(statement.body)
        yield Step(hash(_CONSTANT.sub("0", text)), hash(text), statement.lineno, end, leaves)
        for block in inner:
            yield from _steps(module, block)


def _only_leaves(body: list[ast.stmt]) -> bool:
    return len(body) == 1 and isinstance(body[0], ast.Return | ast.Raise | ast.Continue)


def _compare(project: Project, a: Shape, b: Shape) -> Iterator[Claim]:
    matcher = difflib.SequenceMatcher(None, [s.shape for s in a.steps], [s.shape for s in b.steps], autojunk=False)
    changes = [op for op in matcher.get_opcodes() if op[0] != "equal"]
    if not changes:
        other = [i for i, (s, t) in enumerate(zip(a.steps, b.steps, strict=True)) if s.exact != t.exact]
        if len(other) == 1:
            yield from _constant(project, a, b, other[0])
        return
    if len(changes) != 1:
        return
    kind, i1, i2, j1, j2 = changes[0]
    if kind == "delete" and a.steps[i1].leaves and i2 - i1 == 2 and j1 < len(b.steps):
        yield _guard(project, a, a.steps[i1], b, b.steps[j1])
    elif kind == "insert" and b.steps[j1].leaves and j2 - j1 == 2 and i1 < len(a.steps):
        yield _guard(project, b, b.steps[j1], a, a.steps[i1])
    elif kind == "replace" and i2 - i1 == j2 - j1 == 1:
        yield from _argument(project, a, a.steps[i1], b, b.steps[j1])


def _guard(project: Project, has: Shape, guard: Step, lacks: Shape, place: Step) -> Claim:
    text = project.module(has.path).line_text(guard.line)
    return _claim(
        project, has, guard, lacks, place,
        f"`{has.name}` ({has.path}:{guard.line}) leaves by `{text}` before this step; `{lacks.name}`, otherwise the same, "
        "runs into it.",
        f"Add the guard to `{lacks.name}`, or share the code.",
        {"form": "guard", "guard_line": str(guard.line)},
    )  # fmt: skip


def _argument(project: Project, a: Shape, step: Step, b: Shape, other: Step) -> Iterator[Claim]:
    left, right = _keywords(project, a, step), _keywords(project, b, other)
    if left is None or right is None:
        return
    for has, lacks, shape, at, short, place in ((left, right, a, step, b, other), (right, left, b, other, a, step)):
        extra = set(has) - set(lacks)
        if len(extra) == 1 and not set(lacks) - set(has) and all(has[k] == lacks[k] for k in lacks):
            name = extra.pop()
            if name:
                yield _claim(
                    project, shape, at, short, place,
                    f"`{shape.name}` ({shape.path}:{at.line}) passes `{name}={has[name]}`; this call does not.",
                    f"Pass `{name}` here too, or share the code.",
                    {"form": "argument", "keyword": name, "guard_line": str(at.line)},
                )  # fmt: skip


def _keywords(project: Project, shape: Shape, step: Step) -> dict[str, str] | None:
    """Keyword arguments of the one call in the step, with the rest of it under ''."""
    statement = _statement(project.module(shape.path), step.line)
    if not isinstance(statement, ast.Assign | ast.Return | ast.Expr):
        return None
    call = statement.value.value if isinstance(statement.value, ast.Await) else statement.value
    if not isinstance(call, ast.Call) or any(k.arg is None for k in call.keywords):
        return None
    rest = ast.unparse(ast.Call(func=call.func, args=call.args, keywords=[]))
    targets = ",".join(map(ast.unparse, statement.targets)) if isinstance(statement, ast.Assign) else ""
    return {"": f"{targets}={rest}", **{str(k.arg): ast.unparse(k.value) for k in call.keywords}}


def _constant(project: Project, a: Shape, b: Shape, at: int) -> Iterator[Claim]:
    texts = [" ".join(project.module(s.path).lines[s.steps[at].line - 1 : s.steps[at].end]) for s in (a, b)]
    left, right = (_CONSTANT.findall(t) for t in texts)
    pairs = [(x, y) for x, y in zip(left, right, strict=False) if x != y]
    if len(left) == len(right) and len(pairs) == 1 and all(x[0].isdigit() and len(x) > 1 for x in pairs[0]):
        yield _claim(
            project, a, a.steps[at], b, b.steps[at],
            f"`{b.name}` has {pairs[0][1]} where `{a.name}` ({a.path}:{a.steps[at].line}), otherwise the same, has {pairs[0][0]}.",
            "Use one value, defined once.",
            {"form": "constant", "here": pairs[0][1], "there": pairs[0][0], "guard_line": str(a.steps[at].line)},
        )  # fmt: skip


def _claim(
    project: Project, has: Shape, at: Step, lacks: Shape, place: Step, scenario: str, fix: str, facts: dict[str, str]
) -> Claim:
    module = project.module(lacks.path)
    function: FunctionNode = next(f for _, f in module.functions if f.lineno == lacks.line)
    sibling = Location(path=has.path, line=at.line, end_line=at.end)
    return module.claim(
        RULE,
        _statement(module, place.line) or function,
        scenario=scenario,
        fix=fix,
        facts={**facts, "sibling": has.path, "sibling_line": str(has.line), "function_line": str(lacks.line)},
        related=(RelatedLocation(role="sibling", location=sibling, message=f"`{has.name}` has it"),),
    )


def _statement(module: Module, line: int) -> ast.stmt | None:
    return next((n for n in module.parents if isinstance(n, ast.stmt) and n.lineno == line), None)


CHECK = Check(rules=(RULE,), project=check)
