"""Check-then-act: two calls interleaved at the act break what two calls in a row keep (`inside.race`).

Confirms only a difference that somebody minds: another mixture of results (two callers get in where the second is turned
away), two objects where there should be one, or a resource that nobody can reach any more. That a value is computed
twice and stored twice is no such difference.
"""

import ast
from typing import Any

from pydantic import JsonValue

from harness.contracts import Bench
from harness.sandbox.base import Sandbox
from harness.schema.finding import Finding
from harness.source.module import Module
from verifiers.executed.outcome import Outcome, not_reproduced, reproduced
from verifiers.executed.trial import run_inside

_KINDS = frozenset({"check-then-act", "check-then-act-calls"})
"""Kinds whose code says by its locks or awaits that calls meet; of files that are looked for first nothing says so."""


def fits(finding: Finding) -> bool:
    """A claim about a function or method that can be called from outside, with the state it speaks of."""
    function = finding.facts.get("function", "")
    return finding.kind in _KINDS and bool(function) and "<" not in function and bool(finding.facts.get("state"))


def reproduce(finding: Finding, bench: Bench, sandbox: Sandbox) -> Outcome:
    """See `Template.reproduce`."""
    facts, module = finding.facts, bench.project.module(finding.path)
    holds = _holds(module, finding)
    job: dict[str, JsonValue] = {
        "path": finding.path,
        "module": module.name,
        "function": facts["function"],
        "state": facts["state"],
        "act": list(holds[0]),
        "holds": [list(hold) for hold in holds],
    }
    report = run_inside(sandbox, bench, "race", job)
    if report.trouble:
        return not_reproduced(finding, f"the reproducer could not run: {report.trouble}")
    return _conclusion(finding, holds, report.answer)


def _conclusion(finding: Finding, holds: list[tuple[int, int]], answer: dict[str, Any]) -> Outcome:
    runs = [*answer["serial"], *answer["interleaved"]]
    trouble = next((run["error"] for run in runs if "answer" not in run), None)
    if trouble is not None:
        return not_reproduced(finding, f"the two calls could not be made: {trouble}")
    one, other, *mixed = (run["answer"] for run in runs)
    guarded = bool(finding.facts.get("test_lock") and finding.facts.get("act_lock"))
    broken = [_broken(one, run, guarded=guarded) if run["held"] else "" for run in mixed]
    shown = next((n for n, words in enumerate(broken) if words), 0)
    line = holds[shown][0]
    steps = [
        f"control: {one['shown']} twice, one after the other",
        f"         {_shown(one)}",
        f"attack:  {one['shown']} twice, the first held before line {line} while the second runs",
        f"         {_shown(mixed[shown])}",
    ]
    if (one["kinds"], one["state"], one["same"]) != (other["kinds"], other["state"], other["same"]):
        return not_reproduced(
            finding, "two calls in a row do not end alike each time, so nothing can be compared", steps
        )
    if not any(run["held"] for run in mixed):
        return not_reproduced(finding, "the act was not reached by a call with simple arguments", steps)
    if not broken[shown]:
        return not_reproduced(finding, "interleaved calls end as two calls in a row do, or store an equal value", steps)
    return reproduced(finding, f"reproduced: {broken[shown]}", steps)


def _broken(serial: dict[str, Any], mixed: dict[str, Any], *, guarded: bool) -> str:
    """What interleaving broke, '' when nothing that matters."""
    if sorted(serial["kinds"]) != sorted(mixed["kinds"]):
        return f"two calls in a row end with {_ends(serial)}, interleaved ones with {_ends(mixed)}"
    if serial["state"] != mixed["state"]:
        return f"two calls in a row leave {serial['state']}, interleaved ones {mixed['state']}"
    if mixed["resources"] and not serial["lost"]:
        return f"interleaved, a {mixed['resources'][0]} is replaced and nothing refers to it any more"
    if serial["same"] and not mixed["same"] and not guarded:
        return "two calls in a row get one object, interleaved ones two different ones"
    return ""


def _ends(run: dict[str, Any]) -> str:
    return " and ".join(f"`{kind}`" for kind in run["kinds"])


def _shown(run: dict[str, Any]) -> str:
    lost = f"; lost from it: {', '.join(run['lost'])}" if run["lost"] else ""
    return f"{_ends(run)}; the state is {run['state']}{lost}"


def _holds(module: Module, finding: Finding) -> list[tuple[int, int]]:
    """Lines at which the first call is held: those of the act, then of statements between the decision and the act."""
    statements = sorted(
        {(n.lineno, n.end_lineno or 0) for kind in (_SIMPLE, _COMPOUND) for n in module.nodes(*kind)}, reverse=True
    )
    act = next((s for s in statements if s[0] <= finding.line <= s[1]), (finding.line, finding.end_line))
    decision = next((finding.facts[k] for k in ("decision_line", "test_line") if k in finding.facts), "0")
    between = [line for line, _ in statements if 0 < int(decision) < line < act[0]]
    return [act, *((line, line) for line in between[:4])]


_SIMPLE: tuple[type[ast.stmt], ...] = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Delete)
_COMPOUND: tuple[type[ast.stmt], ...] = (ast.With, ast.If, ast.For, ast.While, ast.Try)
