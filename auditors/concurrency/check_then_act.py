"""check-then-act: a test and the action that relies on it are not under one lock, or an `await` stands between them.

Why: whoever comes second passes the same test before the first has acted. Two runs start at once, a limit is
overshot, one of two records vanishes.

Example:

    with self.lock:
        if run_id in self.runs:
            raise AlreadyRunning(run_id)
    self.runs[run_id] = Run(run_id)      # the lock is gone: two callers get here

Test and act under one lock, or act in one step (`setdefault`, `open(..., "x")`, a unique key in the database).

What it cannot see: tests and actions in different functions (but see `check-then-act-calls`), locks that are held
under a name without `lock`, `mutex` or `semaphore` that this module does not create. Without any lock it looks at
globals, in functions that the same module makes a route or runs in threads.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from auditors.bodies import ends, marginal, own
from auditors.concurrency.locks import held, lock_names, takes_locks
from auditors.concurrency.receivers import class_name
from auditors.concurrency.state import changed, state
from auditors.concurrency.threads import in_threads, threaded_names
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="check-then-act",
    group="concurrency",
    title="Test and act are not one step",
    severity=Severity.MEDIUM,
    cwe=367,
    page=__doc__,
)


_LOOKS = frozenset(
    {"len", "bool", "any", "all", "list", "set", "sorted", "tuple", "isinstance", "getattr", "hasattr", "sum"}
)


class _Test(NamedTuple):
    decision: ast.If
    read: ast.AST
    state: str


def check(module: Module, project: Project) -> Iterator[Claim]:
    """One claim a function and state: the first act that relies on a test made outside its lock."""
    if marginal(module):
        return
    known = lock_names(module)
    threaded = threaded_names(module)
    locking = bool(known) or takes_locks(module)
    for qualname, function in module.functions:
        asynchronous = isinstance(function, ast.AsyncFunctionDef)
        if function.name in {"__init__", "__new__", "__del__"}:
            continue
        if not (locking or asynchronous or in_threads(function, threaded)):
            continue
        nodes = list(own(function.body))
        tests = list(_tests(module, nodes))
        if not tests:
            continue
        acts = [(node, name) for node in nodes if (name := changed(module, node)) is not None]
        acts = [(node, name) for node, name in acts if not _of_project(module, project, node, name)]
        seen: set[str] = set()
        for act, name in acts:
            claim = None if name in seen else _claim(module, function, qualname, known, threaded, tests, act, name)
            if claim is not None:
                seen.add(name)
                yield claim


def _tests(module: Module, nodes: list[ast.AST]) -> Iterator[_Test]:
    """Decisions on shared state, also through a local that was read from it."""
    locals_: dict[str, tuple[ast.AST, list[str]]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            read = _states(module, node.value)
            if read:
                locals_[node.targets[0].id] = (node, read)
            else:
                locals_.pop(node.targets[0].id, None)
        elif isinstance(node, ast.If):
            for name in _states(module, node.test):
                yield _Test(node, node.test, name)
            for part in ast.walk(node.test):
                if isinstance(part, ast.Name) and part.id in locals_:
                    origin, names = locals_[part.id]
                    for name in names:
                        yield _Test(node, origin, name)


def _of_project(module: Module, project: Project, act: ast.AST, name: str) -> bool:
    """A method of an object of the project's own: what it tests and locks is for `check-then-act-calls` to see."""
    return isinstance(act, ast.Call) and class_name(module, project, act, name) is not None


def _states(module: Module, expression: ast.AST) -> list[str]:
    """Every state that is read; of `self.runs.get(k)` it is `self.runs`. What is handed to a function is not read here."""
    found: list[str] = []
    stack: list[ast.AST] = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Call):
            looks = isinstance(node.func, ast.Name) and node.func.id in _LOOKS
            stack += node.args if looks else []
            stack += [node.func.value] if isinstance(node.func, ast.Attribute) else []
            continue
        name = state(module, node) if isinstance(node, ast.Attribute | ast.Name) else None
        found += [name] if name else []
        stack += ast.iter_child_nodes(node)
    return list(dict.fromkeys(found))


def _claim(
    module: Module,
    function: FunctionNode,
    qualname: str,
    known: frozenset[str],
    threaded: frozenset[str],
    tests: list[_Test],
    act: ast.AST,
    name: str,
) -> Claim | None:
    around_act = held(module, act, function, known)
    for test in tests:
        if test.state != name or not _decides(module, test.decision, act):
            continue
        around_test = held(module, test.read, function, known)
        if set(around_test) & set(around_act):
            continue
        unlocked = not around_test and not around_act
        waits = _await_between(function, test.read, act) if unlocked else None
        shape = "await" if waits is not None else "none" if unlocked else "lock"
        if shape == "none" and (name.startswith(("self.", "cls.")) or not in_threads(function, threaded)):
            continue
        before, after = "".join(list(around_test.values())[:1]), "".join(list(around_act.values())[:1])
        return module.claim(
            RULE,
            act,
            scenario=_scenario(qualname, name, before, after, test.read, waits),
            fix=f"Hold {before or after or 'one lock'} over both the test of `{name}` and this change, "
            "or do both in one step.",
            facts={
                "state": name,
                "shape": shape,
                "test_lock": before,
                "act_lock": after,
                "test_line": str(getattr(test.read, "lineno", 0)),
                "decision_line": str(test.decision.lineno),
                "function": qualname,
                "module": module.name,
            },
            related=(module.related("test", test.read, f"`{name}` is tested here"),),
        )
    return None


def _decides(module: Module, decision: ast.If, act: ast.AST) -> bool:
    """Whether `act` runs only because of how `decision` went."""
    above = {decision: True}
    for up in module.ancestors(act):
        if up in above:
            return True
    if not ends(decision.body) or decision.orelse or getattr(act, "lineno", 0) <= (decision.end_lineno or 0):
        return False
    around_act = set(module.ancestors(act))
    for up in module.ancestors(decision):
        if isinstance(up, ast.Try) and not any(part in around_act or part is act for part in up.body):
            return up not in around_act
        if up in around_act:
            return True
        if not isinstance(up, ast.With | ast.AsyncWith | ast.Try):
            return False
    return False


def _await_between(function: FunctionNode, test: ast.AST, act: ast.AST) -> ast.Await | None:
    if not isinstance(function, ast.AsyncFunctionDef):
        return None
    start = (getattr(test, "end_lineno", 0), getattr(test, "end_col_offset", 0))
    end = (getattr(act, "end_lineno", 0), getattr(act, "end_col_offset", 0))
    for node in own(function.body):
        if isinstance(node, ast.Await) and start <= (node.lineno, node.col_offset) <= end:
            return node
    return None


def _scenario(qualname: str, name: str, before: str, after: str, test: ast.AST, waits: ast.Await | None) -> str:
    line = getattr(test, "lineno", 0)
    if waits is not None:
        return (
            f"Two tasks call `{qualname}` at once: both pass the test of `{name}` in line {line}, because the first "
            f"waits at `await` in line {waits.lineno} before it changes `{name}`; then both act."
        )
    if not before and not after:
        how = f"nothing keeps them apart between the test in line {line} and this change"
    elif before and after:
        how = f"`{before}` is released between the test in line {line} and this change"
    elif before:
        how = f"the test in line {line} holds `{before}`, this change does not"
    else:
        how = f"the test in line {line} holds no lock, and nothing is tested again under `{after}`"
    return f"Two threads call `{qualname}` at once: {how}, so both pass the test of `{name}` and both act on it."


CHECK = Check(rules=(RULE,), module=check)
