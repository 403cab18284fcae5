"""check-then-act-calls: one method is asked, another one acts on the answer, and each takes the lock for itself.

Why: each call is safe, the pair is not. Between the two somebody else gets the same answer, and both go on: two runs
of one name, two workers for one job.

Example:

    if not registry.is_running(name):    # takes and releases the lock
        registry.register(name, run)     # takes it again: a second caller got here too

Give the registry one method that tests and registers under one lock.

What it cannot see: objects whose class it cannot tell from an assignment in the same module, and methods that reach
the lock through other methods.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from auditors.bodies import dotted, ends, marginal, own
from auditors.concurrency.locks import held, lock_names, takes_locks
from auditors.concurrency.receivers import class_name
from auditors.concurrency.state import changed, state
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="check-then-act-calls",
    group="concurrency",
    title="Two calls that each take the lock",
    severity=Severity.MEDIUM,
    cwe=367,
    page=__doc__,
)


class _Locked(NamedTuple):
    """What the methods of one class do to its state under its own lock."""

    asks: dict[str, frozenset[str]]
    acts: dict[str, frozenset[str]]


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Decisions on a locked question that guard a locked change of the same state on the same object."""
    if marginal(module):
        return
    summaries: dict[tuple[str, int], _Locked] = {}
    for decision in module.nodes(ast.If):
        for question in _questions(module, decision):
            if not isinstance(question.func, ast.Attribute):
                continue
            receiver = dotted(question.func.value)
            home = _class_of(module, project, question, receiver) if receiver else None
            if receiver is None or home is None:
                continue
            summary = summaries.get((home[0].path, home[1].lineno))
            if summary is None:
                summary = summaries[home[0].path, home[1].lineno] = _summary(home[0], home[1])
            asked = summary.asks.get(question.func.attr)
            if not asked:
                continue
            for act in _dependent(module, decision):
                acted = _acted(act, receiver, summary)
                shared = sorted(asked & acted)
                if shared:
                    yield _claim(module, question, act, receiver, home, shared[0])
                    break


def _claim(
    module: Module, question: ast.Call, act: ast.Call, receiver: str, home: tuple[Module, ast.ClassDef], name: str
) -> Claim:
    first, second = dotted(question.func) or "", dotted(act.func) or ""
    return module.claim(
        RULE,
        act,
        scenario=f"Two threads run this at once: `{first}()` in line {question.lineno} takes and releases the lock of "
        f"`{home[1].name}`, so both get the same answer for `{name}`, and both call `{second}()`.",
        fix=f"Give `{home[1].name}` one method that tests and changes `{name}` under one lock, and call that.",
        facts={
            "state": name,
            "shape": "calls",
            "receiver": receiver,
            "question": first.rpartition(".")[2],
            "act": second.rpartition(".")[2],
            "class": f"{home[0].name}.{home[0].qualname(home[1])}",
            "test_line": str(question.lineno),
            "function": module.symbol(act) or "",
            "module": module.name,
        },
        related=(module.related("test", question, "asked here"),),
    )


def _questions(module: Module, decision: ast.If) -> Iterator[ast.Call]:
    """Calls in the test, and calls whose result a local brings into it."""
    yield from (n for n in ast.walk(decision.test) if isinstance(n, ast.Call))
    parent = module.parents.get(decision)
    block = getattr(parent, "body", [])
    names = {n.id for n in ast.walk(decision.test) if isinstance(n, ast.Name)}
    for statement in block[: block.index(decision)] if decision in block else ():
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        if any(isinstance(t, ast.Name) and t.id in names for t in statement.targets):
            yield statement.value


def _dependent(module: Module, decision: ast.If) -> Iterator[ast.Call]:
    """Calls that run because of `decision`: in its branches, or after it when its body ends the path."""
    bodies: list[ast.stmt] = [*decision.body, *decision.orelse]
    parent = module.parents.get(decision)
    if ends(decision.body) and parent is not None:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(parent, field, [])
            if isinstance(block, list) and decision in block:
                bodies += block[block.index(decision) + 1 :]
    for node in own(bodies):
        if isinstance(node, ast.Call):
            yield node


def _acted(call: ast.Call, receiver: str, summary: _Locked) -> frozenset[str]:
    if isinstance(call.func, ast.Attribute) and dotted(call.func.value) == receiver:
        return summary.acts.get(call.func.attr, frozenset())
    return frozenset()


def _class_of(module: Module, project: Project, node: ast.AST, receiver: str) -> tuple[Module, ast.ClassDef] | None:
    record = project.index.classes.get(class_name(module, project, node, receiver) or "")
    if record is None:
        return None
    home = project.module(record.path)
    found = next((c for _, c in home.classes if c.lineno == record.line), None)
    return (home, found) if found is not None else None


def _summary(module: Module, cls: ast.ClassDef) -> _Locked:
    if not takes_locks(module):
        return _Locked({}, {})
    known = lock_names(module)
    asks: dict[str, frozenset[str]] = {}
    acts: dict[str, frozenset[str]] = {}
    for method in cls.body:
        if not isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) or method.name == "__init__":
            continue
        nodes = [n for n in own(method.body) if not isinstance(n, ast.With | ast.AsyncWith)]
        locked = [n for n in nodes if isinstance(n, ast.stmt | ast.expr) and held(module, n, method, known)]
        written = frozenset(name for n in locked if (name := changed(module, n)))
        read = frozenset(name for n in locked if isinstance(n, ast.Attribute) and (name := state(module, n)))
        if written:
            acts[method.name] = written
        elif read and any(isinstance(n, ast.Return) and n.value is not None for n in nodes):
            asks[method.name] = read
    return _Locked(asks, acts)


CHECK = Check(rules=(RULE,), module=check)
