"""lock-not-released: a lock is taken with `acquire()` and given back only when nothing goes wrong.

Why: an exception between the two leaves the lock taken for ever, and the next thread that wants it waits for ever.

Example:

    self._lock.acquire()
    self.load()                # raises: nobody gets the lock again
    self._lock.release()

Use `with self._lock:`, or put the release into `finally`.

What it cannot see: locks that are released by another function (those are left out).
"""

import ast
from collections.abc import Iterator

from auditors.bodies import dotted, marginal, own
from auditors.concurrency.locks import is_lock, lock_names
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="lock-not-released",
    group="concurrency",
    title="Lock stays taken after an error",
    severity=Severity.MEDIUM,
    cwe=667,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`x.acquire()` with an `x.release()` in the same function, none of them in a `finally`."""
    del project
    if marginal(module) or ".acquire(" not in module.text:
        return
    known = lock_names(module)
    for qualname, function in module.functions:
        nodes = list(own(function.body))
        calls = [n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
        taken = [c for c in calls if c.func.attr == "acquire"]  # type: ignore[attr-defined]  # filtered above
        if not taken:
            continue
        safe = {id(n) for t in nodes if isinstance(t, ast.Try) for n in own(t.finalbody)}
        given = [(dotted(c.func.value), c) for c in calls if c.func.attr == "release"]  # type: ignore[attr-defined]  # filtered above
        for call in taken:
            owner = call.func.value  # type: ignore[attr-defined]  # filtered above
            name = dotted(owner)
            releases = [c for n, c in given if n == name and c.lineno >= call.lineno]
            if name is None or not is_lock(owner, known) or not releases or any(id(c) in safe for c in releases):
                continue
            yield module.claim(
                RULE,
                call,
                scenario=f"`{qualname}` takes `{name}` and raises before line {releases[0].lineno}, which gives it back: the "
                "next caller waits for ever.",
                fix=f"`with {name}:` around what needs the lock.",
                facts={"lock": name, "release_line": str(releases[0].lineno), "function": qualname},
                related=(module.related("step", releases[0], "given back here, when nothing was raised"),),
            )


CHECK = Check(rules=(RULE,), module=check)
