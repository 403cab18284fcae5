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
from verifiers.static.security import assignment, conditions, escape, expressions, learning, names, untrusted
from verifiers.static.security.sequences import UNROLLED, element_of, known_elements
from verifiers.static.security.state import Instance, Object, State, join
from verifiers.static.security.values import (
    Const,
    Function,
    Global,
    OneOf,
    Opaque,
    Piece,
    Ref,
    Request,
    Value,
    pieces_in,
    summary,
)

MOST_STEPS = 20_000
ROUNDS = 3
_SWALLOWS = frozenset({"suppress", "raises"})
_PASSES_ON = frozenset(
    {
        "open", "closing", "nullcontext", "Lock", "RLock", "TemporaryDirectory", "NamedTemporaryFile", "TemporaryFile",
        "ZipFile", "urlopen", "connect", "socket", "Popen", "redirect_stdout", "redirect_stderr", "cursor", "begin",
        "ThreadPoolExecutor", "ProcessPoolExecutor", "Session", "Client", "ClientSession", "app_context",
    }
)  # fmt: skip
"""Contexts that let an exception through; of others nobody knows."""


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
        self.closures: dict[tuple[str, str], dict[str, Value]] = {}
        """(path, name) of a function inside another -> what the names around it were where it is defined."""

    def run(self, module: Module, qualname: str) -> None:
        """Evaluate a function as the outside world would call it. Raises KeyError when there is none."""
        function = dict(module.functions)[qualname]
        state = State()
        known = untrusted.parameters(module, function)
        arguments = function.args
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            state.names[argument.arg] = known.get(argument.arg, Opaque(f"parameter {argument.arg}"))
            if argument.arg not in known and untrusted.routes(module, function):
                body = names.body_of(self, module, argument)
                if body is not None:
                    state.names[argument.arg] = self.allocate(state, body)
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                state.names[extra.arg] = Opaque(f"parameter {extra.arg}")
        owner = module.enclosing_class(function)
        first = [a.arg for a in (*arguments.posonlyargs, *arguments.args)][:1]
        if owner is not None and first == ["self"]:
            framework = untrusted.framework_of(module)
            attributes: dict[object, Value] = {}
            if framework in {"django", "tornado", "starlette", "cherrypy"}:
                attributes["request"] = Request(framework)
            name = f"{module.name}.{module.qualname(owner)}" if module.name else module.qualname(owner)
            attributes |= untrusted.handler(names.library_bases(self, name), function.lineno)
            state.names["self"] = self.allocate(state, Instance(name, attributes))
        self.stack.append((module.path, qualname))
        frame = Frame(module, function, untrusted.routes(module, function))
        self.block(function.body, frame, state)

    def run_module(self, module: Module) -> None:
        """Evaluate the statements of a module as if it was started."""
        self.stack.append((module.path, ""))
        self.block(module.tree.body, Frame(module, None), State())

    def frame(self, module: Module, function: FunctionNode, rules: list[str], *, wanted: bool | None) -> Frame:
        """The frame of a function that is called."""
        return Frame(module, function, rules, wanted=wanted)

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
                    assignment.bind(self, target, value, frame, state)
            case ast.AnnAssign():
                if node.value is not None:
                    assignment.bind(self, node.target, self.value(node.value, frame, state), frame, state)
            case ast.AugAssign():
                value = expressions.binary(self, node, frame, state)
                assignment.bind(self, node.target, value, frame, state)
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
                if node.exc is not None:
                    self.value(node.exc, frame, state)
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
                        assignment.bind(self, item.optional_vars, value, frame, state)
                return self.within(node, frame, state)
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
                self.closures[frame.module.path, frame.module.qualname(node)] = dict(state.names)
                if node.decorator_list:
                    escape.enclosed(node, state)
            case ast.Assert():
                return conditions.assume(self, node.test, True, frame, state)
            case ast.Expr():
                value = self.value(node.value, frame, state)
                learning.validated(node.value, value, state)
            case ast.Delete() | ast.Global() | ast.Nonlocal() | ast.Pass() | ast.ClassDef():
                pass
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.value(child, frame, state)
        return state

    def within(self, node: ast.With | ast.AsyncWith, frame: Frame, state: State) -> State | None:
        """The body of a `with`; a context that swallows exceptions may leave it anywhere."""
        made = [i.context_expr.func for i in node.items if isinstance(i.context_expr, ast.Call)]
        names = {(frame.module.resolve(m) or "").rpartition(".")[2] for m in made}
        if names <= _PASSES_ON:
            return self.block(node.body, frame, state)
        frame.attempts.append([])
        left = len(frame.returns) + sum(map(len, (*frame.broken, *frame.continued)))
        raised = len(frame.raised)
        end = self.block(node.body, frame, state)
        points = frame.attempts.pop()
        ends = [end] if end is not None else []
        if names & _SWALLOWS:
            return join([*points, *ends])
        if end is None and left == len(frame.returns) + sum(map(len, (*frame.broken, *frame.continued))):
            return join(points)
        return join([*frame.raised[raised:], *ends])

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
                assignment.bind(self, node.target, element, frame, current)
                current = self.body_once(node.body, frame, current)
        else:
            element = element_of(iterable, state, node)
            taught: frozenset[str] | None = frozenset()
            for turn in range(ROUNDS):
                before = current
                if before is None:
                    break
                inner = before.copy()
                inner.forget(element.ident if isinstance(element, Piece) else ("none",))
                assignment.bind(self, node.target, element, frame, inner)
                after = self.body_once(node.body, frame, inner)
                fact = after.facts.get(element.ident) if after is not None and isinstance(element, Piece) else None
                taught = fact.chars if fact is not None else None
                current = join([s for s in (before, after) if s is not None])
                if turn and current is not None:
                    _widen(before, current)
            if taught and current is not None and isinstance(iterable, Piece):
                current.learn(iterable, chars=taught)  # every character went through what the body demands of one
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
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        for turn in range(UNROLLED):
            if current is None:
                break
            if endless and turn == ROUNDS:
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
            one_of_many = known is None or endless
            current = join([s for s in (before, after) if s is not None]) if one_of_many else after
            if turn and one_of_many and current is not None:
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
            conditions.learn_match(self, case.pattern, subject, frame, branch)
            guard = True if case.guard is None else conditions.decide(self, case.guard, frame, branch)
            entered = branch if case.guard is None else conditions.assume(self, case.guard, True, frame, branch)
            if guard is False or entered is None:
                continue
            end = self.block(case.body, frame, entered)
            if end is not None:
                ends.append(end)
            if matches and guard:
                return join(ends)
        return join([*ends, state])

    # expressions and calls

    def value(self, node: ast.expr, frame: Frame, state: State) -> Value:
        """Value of an expression; `state` is changed by what the expression does."""
        self.step()
        return state.refined(expressions.value(self, node, frame, state))


def _widen(before: State, after: State) -> None:
    """Summarise texts that still grow, so that another round changes nothing."""
    for name, value in after.names.items():
        if before.names.get(name) != value and isinstance(value, OneOf):
            after.names[name] = summary([value])
