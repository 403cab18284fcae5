"""Control flow between the statements of one function: which statement can follow which, and under what test.

Exact for structured code, with these choices: a statement that calls, raises, indexes or reads an attribute may raise;
an expression statement that calls something named like `fail`, `abort` or `exit` does not go on; a `finally` block
exists twice, once for each way to enter it, and a `return` inside `try` goes out without passing it. Conditions are
not compared with one another: a path may need a test to come out both ways.
"""

import ast
import re
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from harness.source.module import FunctionNode

NO_RETURN = re.compile(
    r"^_*(fail|abort|exit|_exit|die|bail|error|skip|skipTest|usage|raise_\w+|\w+_and_exit|\w*[Ff]atal\w*)$"
)
CATCH_ALL = frozenset({"Exception", "BaseException"})
SUPPRESSING = re.compile(r"(^|\.)(suppress|raises|assertRaises\w*|ignored)$")

FELL_OFF, RETURNED, RAISED, ENTRY = range(4)
"""Nodes that every flow has: fell off the end, returned, an exception left, and the start."""


class Edge(NamedTuple):
    """One way on."""

    target: int
    """Node it leads to."""
    choice: ast.AST | None = None
    """What decides whether it is taken: a test, a loop, a match case; None when nothing does."""
    outcome: bool = True
    """How the choice comes out."""
    raised: bool = False
    """Taken when the statement raises, that is before it took effect."""


Loose = tuple[int, ast.AST | None, bool]


class _Frame(NamedTuple):
    targets: tuple[int, ...]
    catches_all: bool


class Flow:
    """The graph. Node numbers index `nodes` and `edges`; `where` lists the nodes of a statement."""

    def __init__(self, function: FunctionNode) -> None:
        self.nodes: list[ast.AST | None] = [None] * 4
        self.edges: list[list[Edge]] = [[], [], [], []]
        self.where: dict[ast.AST, list[int]] = {}
        self._loops: list[tuple[int, list[Loose]]] = []
        self._frames: list[_Frame] = []
        self._link(self._block(function.body, [(ENTRY, None, True)]), FELL_OFF)

    def at(self, *statements: ast.AST) -> list[int]:
        """Nodes of these statements; a statement outside this function has none."""
        return [n for s in statements for n in self.where.get(s, [])]

    def path(
        self,
        starts: Iterable[int],
        goals: Iterable[int],
        *,
        stops: Callable[[ast.AST], bool] = lambda _: False,
        closed: Callable[[Edge], bool] = lambda _: False,
        after: bool = True,
    ) -> list[int] | None:
        """A shortest path from a start to a goal, None when there is none.

        `stops(node)`: the node takes effect and ends the search there (raising before that still goes on).
        `closed(edge)`: the edge may not be taken. With `after` a start counts as having taken effect, and reaching it
        again is needed when it is also a goal; without it the starts themselves are looked at first.
        """
        wanted = set(goals)
        queue: deque[tuple[int, ...]] = deque()
        seen: set[int] = set()
        for start in starts:
            if after:
                for edge in self.edges[start]:
                    if not edge.raised and not closed(edge) and edge.target not in seen:
                        seen.add(edge.target)
                        queue.append((start, edge.target))
            elif start not in seen:
                seen.add(start)
                queue.append((start,))
        while queue:
            trail = queue.popleft()
            node = trail[-1]
            if node in wanted:
                return list(trail)
            syntax = self.nodes[node]
            stopped = syntax is not None and stops(syntax)
            for edge in self.edges[node]:
                if (stopped and not edge.raised) or edge.target in seen or closed(edge):
                    continue
                seen.add(edge.target)
                queue.append((*trail, edge.target))
        return None

    def _node(self, syntax: ast.AST | None, before: Iterable[Loose]) -> int:
        number = len(self.nodes)
        self.nodes.append(syntax)
        self.edges.append([])
        if syntax is not None:
            self.where.setdefault(syntax, []).append(number)
        self._link(before, number)
        return number

    def _link(self, loose: Iterable[Loose], target: int) -> None:
        for source, choice, outcome in loose:
            self.edges[source].append(Edge(target, choice, outcome))

    def _may_raise(self, number: int) -> None:
        for frame in reversed(self._frames):
            self.edges[number].extend(Edge(target, raised=True) for target in frame.targets)
            if frame.catches_all:
                return
        self.edges[number].append(Edge(RAISED, raised=True))

    def _block(self, body: list[ast.stmt], before: list[Loose]) -> list[Loose]:
        for statement in body:
            before = self._statement(statement, before)
        return before

    def _statement(self, statement: ast.stmt, before: list[Loose]) -> list[Loose]:
        match statement:
            case ast.If():
                return self._if(statement, before)
            case ast.While() | ast.For() | ast.AsyncFor():
                return self._loop(statement, before)
            case ast.Try() | ast.TryStar():
                return self._try(statement, before)
            case ast.With() | ast.AsyncWith():
                return self._with(statement, before)
            case ast.Match():
                return self._match(statement, before)
        number = self._node(statement, before)
        if _raises(statement):
            self._may_raise(number)
        match statement:
            case ast.Return():
                self._link([(number, None, True)], RETURNED)
                return []
            case ast.Raise():
                return []
            case ast.Break() if self._loops:
                self._loops[-1][1].append((number, None, True))
                return []
            case ast.Continue() if self._loops:
                self._link([(number, None, True)], self._loops[-1][0])
                return []
            case ast.Expr(value=ast.Call(func=called)) if NO_RETURN.match(_last(called)):
                return []
            case ast.Assert(test=test):
                return [] if _constant(test) is False else [(number, test, True)]
        return [(number, None, True)]

    def _if(self, statement: ast.If, before: list[Loose]) -> list[Loose]:
        number = self._node(statement, before)
        if _raises(statement.test):
            self._may_raise(number)
        known = _constant(statement.test)
        yes: list[Loose] = [] if known is False else [(number, statement.test, True)]
        no: list[Loose] = [] if known is True else [(number, statement.test, False)]
        return self._block(statement.body, yes) + self._block(statement.orelse, no)

    def _loop(self, statement: ast.While | ast.For | ast.AsyncFor, before: list[Loose]) -> list[Loose]:
        number = self._node(statement, before)
        known = None
        choice: ast.AST = statement
        head: ast.AST = statement
        if isinstance(statement, ast.While):
            known, choice, head = _constant(statement.test), statement.test, statement.test
        if not isinstance(statement, ast.While) or _raises(head):
            self._may_raise(number)
        self._loops.append((number, []))
        body = self._block(statement.body, [] if known is False else [(number, choice, True)])
        self._link(body, number)
        breaks = self._loops.pop()[1]
        done: list[Loose] = [] if known is True else [(number, choice, False)]
        return self._block(statement.orelse, done) + breaks

    def _with(self, statement: ast.With | ast.AsyncWith, before: list[Loose]) -> list[Loose]:
        number = self._node(statement, before)
        self._may_raise(number)
        calls = [i.context_expr.func for i in statement.items if isinstance(i.context_expr, ast.Call)]
        if not any(SUPPRESSING.search(_last(c)) for c in calls):
            return self._block(statement.body, [(number, None, True)])
        landing = self._node(None, [])
        self._frames.append(_Frame((landing,), False))
        out = self._block(statement.body, [(number, None, True)])
        self._frames.pop()
        return [*out, (landing, statement, True)]

    def _match(self, statement: ast.Match, before: list[Loose]) -> list[Loose]:
        number = self._node(statement, before)
        self._may_raise(number)
        out: list[Loose] = []
        total = False
        for case in statement.cases:
            out += self._block(case.body, [(number, case, True)])
            total = total or (case.guard is None and _irrefutable(case.pattern))
        return out if total else [*out, (number, statement, False)]

    def _try(self, statement: ast.Try | ast.TryStar, before: list[Loose]) -> list[Loose]:
        start = self._node(statement, before)
        final = self._node(None, []) if statement.finalbody else None
        if final is not None:
            self._frames.append(_Frame((final,), True))
        handlers = [self._node(handler, []) for handler in statement.handlers]
        if handlers:
            self._frames.append(_Frame(tuple(handlers), any(_catches_all(h) for h in statement.handlers)))
        out = self._block(statement.body, [(start, None, True)])
        if handlers:
            self._frames.pop()
        out = self._block(statement.orelse, out)
        for number, handler in zip(handlers, statement.handlers, strict=True):
            out += self._block(handler.body, [(number, handler, True)])
        if final is None:
            return out
        self._frames.pop()
        for number, _, _ in self._block(statement.finalbody, [(final, None, True)]):
            self._may_raise(number)
            self.edges[number].append(Edge(RAISED))
        return self._block(statement.finalbody, out)


def _last(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _constant(test: ast.expr) -> bool | None:
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.Name) and test.id == "TYPE_CHECKING":
        return False
    return None


def _raises(node: ast.AST) -> bool:
    kinds = (
        ast.Call,
        ast.Subscript,
        ast.Attribute,
        ast.Raise,
        ast.Assert,
        ast.Await,
        ast.Yield,
        ast.YieldFrom,
        ast.BinOp,
    )
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return bool(node.decorator_list)
    return any(isinstance(n, kinds) for n in ast.walk(node))


def _catches_all(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or _last(kind) in CATCH_ALL for kind in kinds)


def _irrefutable(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return any(_irrefutable(p) for p in pattern.patterns)
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _irrefutable(pattern.pattern))
