"""Which function a claim is about that names a line: the one around it, or the one that begins just below."""

import ast
from typing import NamedTuple

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.output.bindings import own_nodes
from verifiers.static.claimed.output.calling import Entered, Stack
from verifiers.static.claimed.output.trace import Trace
from verifiers.static.locate import module_of

CLOSE = 3
FARTHEST = 12
"""Lines between a claim and what it may be about: people and models point nearby."""
DEEPEST = 3


class Spot(NamedTuple):
    """What a claim is about."""

    module: Module
    line: int
    functions: tuple[FunctionNode, ...]
    """Usually one; several where the line is a constant that they use; () for statements of the module itself."""

    def name(self) -> str:
        """For people."""
        return " and ".join(f"`{f.name}`" for f in self.functions[:2])

    def distance(self, function: FunctionNode) -> int:
        """Lines between the claim and a function."""
        return max(begins(function) - self.line, self.line - (function.end_lineno or function.lineno), 0)


class Reached(NamedTuple):
    """A call in a function, or in one that it calls."""

    module: Module
    call: ast.Call
    stack: Stack

    @property
    def at(self) -> Location:
        return self.module.location(self.call)


def spot(finding: Finding, project: Project) -> Spot | None:
    """The functions a claim is about, None when its file is no Python that can be read."""
    module = module_of(finding, project)
    if module is None:
        return None
    around = [
        (f.end_lineno or f.lineno, -begins(f), f)
        for _, f in module.functions
        if begins(f) <= finding.line <= (f.end_lineno or 0)
    ]
    if around:
        return Spot(module, finding.line, (min(around, key=lambda a: (a[0] + a[1], a[0]))[2],))
    statement = next((s for s in module.tree.body if begins(s) <= finding.line <= (s.end_lineno or s.lineno)), None)
    if isinstance(statement, ast.ClassDef):
        inner = [f for _, f in module.functions if module.parents.get(f) is statement]
        below = [f for f in inner if 0 < begins(f) - finding.line <= CLOSE]
        return Spot(module, finding.line, tuple(below[:1]))
    if statement is None:
        below_all = [s for s in module.tree.body if 0 < begins(s) - finding.line <= CLOSE]
        statement = below_all[0] if below_all else None
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return Spot(module, finding.line, (statement,))
    if isinstance(statement, ast.ClassDef):
        inner = [f for _, f in module.functions if module.parents.get(f) is statement]
        below = [f for f in inner if 0 < begins(f) - finding.line <= CLOSE]
        return Spot(module, finding.line, tuple(below[:1]))
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
        names = {t.id for t in statement.targets if isinstance(t, ast.Name)}
        users = [
            f for _, f in module.functions
            if any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(f)) and module.enclosing_function(f) is None
        ]  # fmt: skip
        return Spot(module, finding.line, tuple(users[:5]))
    return Spot(module, finding.line, ())


def begins(node: ast.stmt) -> int:
    """First line of a statement, decorators included."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return node.lineno


def neighbours(spot_: Spot) -> list[FunctionNode]:
    """Other functions of the file that stand within FARTHEST lines of the claim."""
    low, high = spot_.line - FARTHEST, spot_.line + FARTHEST
    return [
        f
        for _, f in spot_.module.functions
        if f not in spot_.functions and begins(f) <= high and (f.end_lineno or 0) >= low
    ]


def reached(trace: Trace, module: Module, function: FunctionNode, stack: Stack = ()) -> list[Reached]:
    """Calls in a function, functions inside it included, and in functions of the project that it calls; nearest first."""
    own = [n for n in (own_nodes(function) if stack else ast.walk(function)) if isinstance(n, ast.Call)]
    found = [Reached(module, call, stack) for call in own]
    if len(stack) >= DEEPEST:
        return found
    for call in own:
        for entered in trace.callees(module, call, stack):
            if any(entered.callee == e.callee for e in stack):
                continue
            home, node = trace.module(entered.callee.path), trace.function(entered.callee)
            if home is not None and node is not None and node is not function:
                found += reached(trace, home, node, (*stack, Entered(*entered)))
    return found[:600]


def moved(finding: Finding, at: Location, facts: dict[str, str]) -> Finding:
    """The finding as if it was told of another place, for a falsifier that works from there."""
    place = {
        "path": at.path,
        "line": at.line,
        "column": at.column,
        "end_line": at.end_line,
        "end_column": at.end_column,
    }
    return finding.model_copy(update={**place, "facts": facts, "related": ()})
