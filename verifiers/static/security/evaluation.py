"""Evaluates one function of the project with abstract values: statement by statement, callees included.

Branches whose condition is known are taken alone; others are both taken, each with what its condition teaches, and
joined. Loops over known sequences are run, others are run a few times and summarised. The work is bounded; what does
not fit the bounds raises `TooMuch`, and then there is no answer. Nothing of the project is executed.
"""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.security import conditions, expressions, untrusted
from verifiers.static.security.state import DictObject, Instance, ListObject, Object, State, contents, join, reachable
from verifiers.static.security.values import (
    Const,
    Function,
    Global,
    Many,
    OneOf,
    Opaque,
    Piece,
    Ref,
    Value,
    clean,
    derived,
    one_of,
    options,
    pieces_in,
    summary,
)

MOST_STEPS = 20_000
DEEPEST = 7
UNROLLED = 16
ROUNDS = 3


class TooMuch(Exception):
    """The evaluation does not fit its bounds."""


@dataclass
class Frame:
    """One function under evaluation."""

    module: Module
    function: FunctionNode | None
    rules: list[str] = field(default_factory=list)
    """URL rules of the function that answers the request."""
    returns: list[tuple[Value, State]] = field(default_factory=list)
    raised: list[State] = field(default_factory=list)
    broken: list[list[State]] = field(default_factory=list)
    continued: list[list[State]] = field(default_factory=list)
    attempts: list[list[State]] = field(default_factory=list)
    wanted: bool | None = None
    """The call is a condition that turned out like that: only returns that agree count."""


Watcher = Callable[[ast.AST, "Frame", Sequence[Value], dict[str, Value], Value | None, State], None]
"""Told of every watched node that is reached: node, frame, arguments, keywords, callee or receiver, state."""


class Evaluation:
    """One evaluation from an entry function. Raises TooMuch."""

    def __init__(self, project: Project, watched: frozenset[tuple[str, int, int, int]], watcher: Watcher) -> None:
        self.project = project
        self.watched = watched
        self.watcher = watcher
        self.steps = 0
        self.stack: list[tuple[str, str]] = []
        self._next = 0
        self.constants: dict[str, Value | None] = {}

    def run(self, module: Module, qualname: str) -> None:
        """Evaluate a function as the outside world would call it. Raises KeyError when there is none."""
        function = dict(module.functions)[qualname]
        state = State()
        known = untrusted.parameters(module, function)
        arguments = function.args
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            state.names[argument.arg] = known.get(argument.arg, Opaque(f"parameter {argument.arg}"))
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                state.names[extra.arg] = Opaque(f"parameter {extra.arg}")
        owner = module.enclosing_class(function)
        first = [a.arg for a in (*arguments.posonlyargs, *arguments.args)][:1]
        if owner is not None and first == ["self"]:
            framework = untrusted.framework_of(module)
            attributes: dict[object, Value] = {}
            if framework in {"django", "tornado", "starlette"}:
                attributes["request"] = untrusted.Request(framework)
            name = f"{module.name}.{module.qualname(owner)}"
            state.names["self"] = self.allocate(state, Instance(name, attributes))
        self.stack.append((module.path, qualname))
        frame = Frame(module, function, untrusted.routes(module, function))
        self.block(function.body, frame, state)

    def step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooMuch

    def allocate(self, state: State, item: Object) -> Ref:
        """Put an object on the heap."""
        self._next += 1
        state.heap[self._next] = item
        return Ref(self._next)

    def is_watched(self, node: ast.AST, frame: Frame) -> bool:
        place = (frame.module.path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
        return (*place, getattr(node, "end_col_offset", 0) or 0) in self.watched

    # statements

    def block(self, body: list[ast.stmt], frame: Frame, state: State) -> State | None:
        """The state after the statements, None when their end is not reached."""
        current: State | None = state
        for statement in body:
            if current is None:
                return None
            for attempt in frame.attempts[-1:]:
                attempt.append(current.copy())
            current = self.statement(statement, frame, current)
            if current is not None and current.dead:
                return None
        return current

    def statement(self, node: ast.stmt, frame: Frame, state: State) -> State | None:
        self.step()
        match node:
            case ast.Assign():
                value = self.value(node.value, frame, state)
                for target in node.targets:
                    self.bind(target, value, frame, state)
            case ast.AnnAssign():
                if node.value is not None:
                    self.bind(node.target, self.value(node.value, frame, state), frame, state)
            case ast.AugAssign():
                value = expressions.binary(self, node, frame, state)
                self.bind(node.target, value, frame, state)
            case ast.Return():
                if frame.wanted is not None and node.value is not None:
                    agreeing = conditions.assume(self, node.value, frame.wanted, frame, state)
                    if agreeing is None:
                        return None
                    state = agreeing
                value = self.value(node.value, frame, state) if node.value is not None else Const(None)
                if self.is_watched(node, frame):
                    self.watcher(node, frame, (value,), {}, None, state)
                if not state.dead:
                    frame.returns.append((value, state))
                return None
            case ast.Raise():
                frame.raised.append(state)
                return None
            case ast.If():
                return self.choice(node, frame, state)
            case ast.For() | ast.AsyncFor():
                return self.loop(node, frame, state)
            case ast.While():
                return self.repeat(node, frame, state)
            case ast.Break():
                frame.broken[-1].append(state)
                return None
            case ast.Continue():
                frame.continued[-1].append(state)
                return None
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    value = self.value(item.context_expr, frame, state)
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, value, frame, state)
                return self.block(node.body, frame, state)
            case ast.Try() | ast.TryStar():
                return self.attempt(node, frame, state)
            case ast.Match():
                return self.cases(node, frame, state)
            case ast.Import():
                for alias in node.names:
                    bound = alias.name if alias.asname else alias.name.partition(".")[0]
                    state.names[alias.asname or bound] = Global(bound)
            case ast.ImportFrom():
                for alias in node.names:
                    name = alias.asname or alias.name
                    state.names[name] = Global(frame.module.imports.get(name, name))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                state.names[node.name] = Function(frame.module.path, frame.module.qualname(node))
            case ast.Assert():
                return conditions.assume(self, node.test, True, frame, state)
            case ast.Delete() | ast.Global() | ast.Nonlocal() | ast.Pass() | ast.ClassDef():
                pass
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.value(child, frame, state)
        return state

    def choice(self, node: ast.If, frame: Frame, state: State) -> State | None:
        known = conditions.decide(self, node.test, frame, state)
        ends = []
        for outcome, body in ((True, node.body), (False, node.orelse)):
            if known is (not outcome):
                continue
            branch = conditions.assume(self, node.test, outcome, frame, state.copy())
            end = self.block(body, frame, branch) if branch is not None else None
            if end is not None:
                ends.append(end)
        return join(ends)

    def loop(self, node: ast.For | ast.AsyncFor, frame: Frame, state: State) -> State | None:
        iterable = self.value(node.iter, frame, state)
        elements = known_elements(iterable, state)
        frame.broken.append([])
        frame.continued.append([])
        current: State | None = state
        if elements is not None:
            for element in elements:
                if current is None:
                    break
                self.bind(node.target, element, frame, current)
                current = self.body_once(node.body, frame, current)
        else:
            element = element_of(iterable, state, node)
            for turn in range(ROUNDS):
                before = current
                if before is None:
                    break
                inner = before.copy()
                inner.forget(element.ident if isinstance(element, Piece) else ("none",))
                self.bind(node.target, element, frame, inner)
                after = self.body_once(node.body, frame, inner)
                current = join([s for s in (before, after) if s is not None])
                if turn and current is not None:
                    _widen(before, current)
        frame.continued.pop()
        broken = frame.broken.pop()
        if current is not None:
            current = self.block(node.orelse, frame, current)
        return join([s for s in (current, *broken) if s is not None])

    def repeat(self, node: ast.While, frame: Frame, state: State) -> State | None:
        frame.broken.append([])
        frame.continued.append([])
        current: State | None = state
        exits: list[State] = []
        for turn in range(UNROLLED):
            if current is None:
                break
            known = conditions.decide(self, node.test, frame, current)
            if known is not True:
                leaving = conditions.assume(self, node.test, False, frame, current.copy())
                exits += [leaving] if leaving is not None else []
            if known is False or (known is None and turn == ROUNDS):
                break
            before = current
            inner = conditions.assume(self, node.test, True, frame, current.copy())
            after = self.body_once(node.body, frame, inner) if inner is not None else None
            current = join([s for s in (before, after) if s is not None]) if known is None else after
            if turn and known is None and current is not None:
                _widen(before, current)
        else:
            raise TooMuch
        frame.continued.pop()
        return join(exits + frame.broken.pop())

    def body_once(self, body: list[ast.stmt], frame: Frame, state: State) -> State | None:
        end = self.block(body, frame, state)
        continued = frame.continued[-1]
        joined = join([s for s in (end, *continued) if s is not None])
        continued.clear()
        return joined

    def attempt(self, node: ast.Try | ast.TryStar, frame: Frame, state: State) -> State | None:
        frame.attempts.append([])
        raised, frame.raised = frame.raised, []
        end = self.block(node.body, frame, state)
        if end is not None:
            end = self.block(node.orelse, frame, end)
        points = frame.attempts.pop() + frame.raised
        frame.raised = raised
        ends = [end] if end is not None else []
        for clause in node.handlers:
            start = join(points)
            if start is None:
                break
            if clause.name:
                start.names[clause.name] = Opaque("exception")
            after = self.block(clause.body, frame, start)
            if after is not None:
                ends.append(after)
        if not node.handlers:
            frame.raised += points
        after_all = join(ends)
        if after_all is None:
            lost = join(points)
            if lost is not None and node.finalbody:
                self.block(node.finalbody, frame, lost)
            return None
        return self.block(node.finalbody, frame, after_all)

    def cases(self, node: ast.Match, frame: Frame, state: State) -> State | None:
        subject = self.value(node.subject, frame, state)
        ends: list[State] = []
        for case in node.cases:
            matches = conditions.matches(self, case.pattern, subject, frame, state)
            if matches is False:
                continue
            branch = state.copy()
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None)
                if isinstance(part, ast.MatchAs | ast.MatchStar) and isinstance(name, str):
                    branch.names[name] = subject if part is case.pattern else Opaque("matched", pieces_in(subject))
            guard = True if case.guard is None else conditions.decide(self, case.guard, frame, branch)
            if guard is False:
                continue
            end = self.block(case.body, frame, branch)
            if end is not None:
                ends.append(end)
            if matches and guard:
                return join(ends)
        return join([*ends, state])

    def bind(self, target: ast.expr, value: Value, frame: Frame, state: State) -> None:
        """Assign."""
        match target:
            case ast.Name():
                state.names[target.id] = value
            case ast.Tuple() | ast.List():
                elements = known_elements(value, state)
                exact = elements is not None and len(elements) == len(target.elts)
                exact = exact and not any(isinstance(e, ast.Starred) for e in target.elts)
                for position, element in enumerate(target.elts):
                    inner = element.value if isinstance(element, ast.Starred) else element
                    part = elements[position] if exact and elements else element_of(value, state, target)
                    self.bind(inner, part, frame, state)
            case ast.Attribute():
                owner = self.value(target.value, frame, state)
                item = state.heap.get(owner.number) if isinstance(owner, Ref) else None
                if isinstance(owner, Ref) and isinstance(item, Instance):
                    state.heap[owner.number] = Instance(item.kind, {**item.attributes, target.attr: value})
            case ast.Subscript():
                self.store(target, value, frame, state)

    def store(self, target: ast.Subscript, value: Value, frame: Frame, state: State) -> None:
        owner = self.value(target.value, frame, state)
        key = self.value(target.slice, frame, state)
        if self.is_watched(target, frame):
            self.watcher(target, frame, (key, value), {}, owner, state)
        if not isinstance(owner, Ref):
            return
        item = state.heap.get(owner.number)
        if isinstance(item, DictObject):
            if isinstance(key, Const):
                state.heap[owner.number] = DictObject({**item.items, key.value: value}, item.rest)
            else:
                rest = one_of([value, *([item.rest] if item.rest is not None else [])])
                state.heap[owner.number] = DictObject({k: one_of((v, value)) for k, v in item.items.items()}, rest)
        elif isinstance(item, ListObject):
            if (
                isinstance(key, Const)
                and isinstance(key.value, int)
                and -len(item.items) <= key.value < len(item.items)
            ):
                items = list(item.items)
                items[key.value] = value
                state.heap[owner.number] = ListObject(tuple(items), item.rest)
            else:
                state.heap[owner.number] = ListObject((), one_of([*contents(item), value]))

    # expressions and calls

    def value(self, node: ast.expr, frame: Frame, state: State) -> Value:
        """Value of an expression; `state` is changed by what the expression does."""
        self.step()
        return state.refined(expressions.value(self, node, frame, state))

    def invoke(
        self,
        function: Function,
        arguments: Sequence[Value],
        keywords: dict[str, Value],
        frame: Frame,
        state: State,
        *,
        wanted: bool | None = None,
    ) -> Value:
        """Call a function of the project; with `wanted`, only the ways through it that return something so."""
        place = (function.path, function.qualname)
        given = [*([function.receiver] if function.receiver is not None else []), *arguments]
        inside = tuple(dict.fromkeys(p for v in (*given, *keywords.values()) for p in reachable(v, state)))
        unknown = Opaque(f"result of {function.qualname}", inside)
        if len(self.stack) >= DEEPEST or place in self.stack:
            return unknown
        try:
            module = self.project.module(function.path)
            node = dict(module.functions)[function.qualname]
        except (KeyError, NotParsed):
            return unknown
        if _yields(node):
            return unknown
        outer = state.names
        names = self.bound(node, given, keywords, module, frame, state)
        inner = State(names, state.heap, state.facts)
        called = Frame(module, node, frame.rules, wanted=wanted)
        self.stack.append(place)
        try:
            end = self.block(node.body, called, inner)
        finally:
            self.stack.pop()
        leaving = list(called.returns)
        if end is not None and wanted is not True:
            leaving.append((Const(None), end))
        after = join([s for _, s in leaving])
        if after is None:
            state.dead = True
            return unknown
        state.heap, state.facts, state.names = after.heap, after.facts, outer
        return one_of(s.refined(v) for v, s in leaving)

    def bound(
        self,
        node: FunctionNode,
        given: list[Value],
        keywords: dict[str, Value],
        module: Module,
        frame: Frame,
        state: State,
    ) -> dict[str, Value]:
        """Names of the parameters in a call."""
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        names: dict[str, Value] = {}
        defaults = dict(
            zip(
                [a.arg for a in positional[len(positional) - len(arguments.defaults) :]],
                arguments.defaults,
                strict=True,
            )
        )
        defaults |= {
            a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None
        }
        for position, argument in enumerate([*positional, *arguments.kwonlyargs]):
            if position < len(positional) and position < len(given):
                names[argument.arg] = given[position]
            elif argument.arg in keywords:
                names[argument.arg] = keywords[argument.arg]
            elif argument.arg in defaults and isinstance(defaults[argument.arg], ast.Constant):
                names[argument.arg] = self.value(defaults[argument.arg], frame, state)
            else:
                names[argument.arg] = Opaque(f"parameter {argument.arg}")
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                spare = (*given[len(positional) :], *keywords.values())
                names[extra.arg] = Opaque(f"parameter {extra.arg}", tuple(p for v in spare for p in pieces_in(v)))
        return names


def known_elements(value: Value, state: State) -> list[Value] | None:
    """Elements of a short sequence that is known whole."""
    item = state.heap.get(value.number) if isinstance(value, Ref) else None
    if isinstance(item, ListObject) and item.rest is None and len(item.items) <= UNROLLED:
        return list(item.items)
    if isinstance(item, DictObject) and item.rest is None and len(item.items) <= UNROLLED:
        return [Const(k) for k in item.items]
    if isinstance(value, Const) and isinstance(value.value, str) and len(value.value) <= UNROLLED:
        return [Const(c) for c in value.value]
    return None


def element_of(value: Value, state: State, node: ast.AST) -> Value:
    """What one element of a sequence is like."""
    found: list[Value] = []
    for option in options(value):
        match option:
            case Many():
                found.append(option.element)
            case Piece():
                found.append(derived(option, ("element", getattr(node, "lineno", 0))))
            case Ref():
                item = state.heap.get(option.number)
                inside = contents(item) if isinstance(item, ListObject) else []
                if isinstance(item, DictObject):
                    inside = [Const(k) for k in item.items]
                found += inside or [Opaque("element", reachable(option, state))]
            case Const():
                found.append(clean("element"))
            case _:
                found.append(Opaque("element", pieces_in(option)))
    return one_of(found) if found else Opaque("element")


def _widen(before: State, after: State) -> None:
    """Summarise texts that still grow, so that another round changes nothing."""
    for name, value in after.names.items():
        if before.names.get(name) != value and isinstance(value, OneOf):
            after.names[name] = summary([value])


def _yields(node: FunctionNode) -> bool:
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node))
