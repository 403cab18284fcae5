"""unguarded-shared-state: an attribute or global is changed under a lock in most places, and without it in one.

Why: a lock protects only when everybody takes it. The one place without loses updates, or changes a collection while
another thread walks over it.

Example:

    def add(self, n):
        with self._lock:
            self.total += n
    def reset(self):
        self.total = 0          # an add() that is under way writes the old total back

What it cannot see: state reached through other objects, and code that can only run before the threads start
(`__init__` is left out; other set-up functions are not).
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from auditors.bodies import marginal, own
from auditors.concurrency.locks import held, lock_names
from auditors.concurrency.state import changed, state
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="unguarded-shared-state",
    group="concurrency",
    title="State guarded by a lock elsewhere",
    severity=Severity.MEDIUM,
    cwe=362,
    page=__doc__,
)

_EARLY = frozenset({"__init__", "__new__", "__del__", "__post_init__", "__getstate__", "__setstate__", "__reduce__"})


class _Access(NamedTuple):
    node: ast.AST
    function: FunctionNode
    lock: str
    writes: bool
    walks: bool


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Changes and walks without a lock, of state that is changed under one lock at least as often."""
    del project
    known = lock_names(module)
    if marginal(module) or not known:
        return
    accesses: dict[tuple[str, str], list[_Access]] = defaultdict(list)
    for _, function in module.functions:
        if function.name in _EARLY:
            continue
        cls = module.enclosing_class(function)
        for name, access in _accesses(module, function, known):
            accesses[module.qualname(cls) if cls and "." in name else "", name].append(access)
    for (owner, name), found in accesses.items():
        if name in known:
            continue
        guarded = [a for a in found if a.lock and a.writes]
        bare = [a for a in found if not a.lock and (a.writes or a.walks)]
        if guarded and bare and len(bare) <= len([a for a in found if a.lock]):
            for access in bare:
                yield _claim(module, owner, name, access, guarded)


def _accesses(module: Module, function: FunctionNode, known: frozenset[str]) -> Iterator[tuple[str, _Access]]:
    for node in own(function.body):
        name, writes, walks = changed(module, node), True, False
        if name is None:
            source = node.iter if isinstance(node, ast.For | ast.comprehension) else None
            if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
                source = source.func.value if source.func.attr in {"items", "keys", "values"} else None
            name, writes, walks = (state(module, source) if source is not None else None), False, True
        if name is None and isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
            name, walks = state(module, node), False
        if name is None or ("." not in name and isinstance(node, ast.Assign) and not _global(function, name, node)):
            continue
        lock = "".join(list(held(module, node, function, known).values())[:1])
        yield name, _Access(node, function, lock, writes, walks)


def _global(function: FunctionNode, name: str, node: ast.Assign) -> bool:
    if not any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
        return True
    return any(isinstance(n, ast.Global) and name in n.names for n in own(function.body))


def _claim(module: Module, owner: str, name: str, access: _Access, guarded: list[_Access]) -> Claim:
    other = guarded[0]
    node = access.node.iter if isinstance(access.node, ast.comprehension) else access.node
    what = "changes" if access.writes else "walks over"
    return module.claim(
        RULE,
        node,
        scenario=f"While another thread is in `{module.symbol(other.node)}` (line {getattr(other.node, 'lineno', 0)}) "
        f"under `{other.lock}`, `{module.symbol(node)}` {what} `{name}` without it: an update is lost or the other "
        "thread's view breaks.",
        fix=f"Take `{other.lock}` here too.",
        facts={
            "state": name,
            "shape": "write" if access.writes else "walk",
            "lock": other.lock,
            "class": owner,
            "function": module.symbol(node) or "",
            "module": module.name,
            "guarded_line": str(getattr(other.node, "lineno", 0)),
        },
        related=tuple(module.related("sibling", a.node, f"under `{a.lock}`") for a in guarded[:3]),
    )


CHECK = Check(rules=(RULE,), module=check)
