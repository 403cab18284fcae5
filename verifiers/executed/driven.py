"""Calls that the documentation allows and that fail: each is made again, watched, beside a call that must go well.

That something never ends is proved, not waited for: inside, the call must come back to a state in which it was before. A crash
counts when the exception is nobody's intention (a name without a value), or when the documentation states its precondition as
Python, which must hold for the call; what the code raises itself is its intention. A broken promise is judged from the values,
by another method than the finder's. The control is a call of the same function that ends, and keeps the promise.
"""

import ast
import re
from collections.abc import Mapping

from pydantic import JsonValue

from harness.contracts import Bench
from harness.sandbox.base import Sandbox
from harness.schema.finding import Finding
from harness.source.module import FunctionNode
from harness.source.syntax import NotParsed
from verifiers.executed.outcome import Outcome, not_reproduced, reproduced
from verifiers.executed.trial import run_inside

CPU_S = 8
"""Seconds of processor for one call; watching it makes it about thirty times slower."""
_NOBODYS = frozenset({"UnboundLocalError", "NameError"})
_KINDS = frozenset({"fails-on-documented-input", "documented-promise-broken"})


def fits(finding: Finding) -> bool:
    """Calls with what is needed to make them again."""
    wanted = {"call", "form", "kind", "precondition", "subject", "setup", "function", "control", "control_subject"}
    return finding.kind in _KINDS and wanted <= finding.facts.keys()


def reproduce(finding: Finding, bench: Bench, sandbox: Sandbox) -> Outcome:
    """See `Template.reproduce`."""
    facts = finding.facts
    try:
        module = bench.project.module(finding.path)
    except (KeyError, NotParsed):
        return not_reproduced(finding, "the module cannot be read")
    function = next((f for q, f in module.functions if q == facts["function"] and f.lineno == finding.line), None)
    if function is None:
        return not_reproduced(finding, "the function is not there")
    objection = _objection(function, facts)
    if objection:
        return not_reproduced(finding, objection)
    endless = facts["kind"] == "hang" or facts.get("got", "").startswith("RecursionError")
    calls = [_job(facts, facts["call"], facts["subject"], watch=endless)]
    if facts["control"]:
        calls.append(_job(facts, facts["control"], facts["control_subject"], watch=False))
    loops = sorted({n.lineno for n in module.nodes(ast.While)} | {n.test.lineno for n in module.nodes(ast.While)})
    seen: list[list[JsonValue]] = []
    for seed in (0, 1):
        job: dict[str, JsonValue] = {
            "path": finding.path, "module": module.name, "calls": list(calls), "cpu_s": CPU_S, "loops": list(loops),
        }  # fmt: skip
        report = run_inside(sandbox, bench, "drive", job, hash_seed=seed)
        if report.trouble:
            return not_reproduced(finding, report.trouble)
        answers = report.answer.get("calls")
        seen.append(answers if isinstance(answers, list) else [])
    steps = [f"PYTHONHASHSEED={seed}: {_told(calls, answers)}" for seed, answers in enumerate(seen)]
    if seen[0] != seen[1] or len(seen[0]) != len(calls):
        return not_reproduced(finding, "the call does not do the same every time", steps)
    first, *rest = (a if isinstance(a, dict) else {} for a in seen[0])
    failed = _failed(first, facts, endless)
    if not failed:
        return not_reproduced(finding, "the call did not fail in a way that proves the claim", steps)
    if rest and (rest[0].get("saw") != "ended" or rest[0].get("kept") is False):
        return not_reproduced(finding, "the control fails as well", steps)
    if not rest and not endless:
        return not_reproduced(finding, "no call of the function is known that goes well", steps)
    beside = f"; the control `{_flat(facts['control'])}` goes well" if rest else ""
    return reproduced(finding, f"`{_flat(facts['call'])}` {failed}{beside}", steps)


def _objection(function: FunctionNode, facts: Mapping[str, str]) -> str:
    """Why the call may not be meant, '' when nothing speaks against it."""
    call = _call_of(facts["call"])
    if call is None or not (isinstance(call.func, ast.Name) and call.func.id == function.name):
        return "the call is not one of the function"
    if facts["form"] in {"ends", "described"}:
        try:
            values = [ast.literal_eval(a) for a in call.args]
        except ValueError:
            return "its arguments are no literals"
        for parameter, value in zip((*function.args.posonlyargs, *function.args.args), values, strict=False):
            if not _plain(value):
                return f"`{parameter.arg}` is no ordinary value"
    name = facts.get("got", "").partition(":")[0]
    if facts["kind"] == "raised" and name not in {*_NOBODYS, "RecursionError"}:
        if facts["precondition"] in {"", "False"}:
            return "no precondition is stated, so the input may be one that the function does not take"
        if re.search(rf"\b{re.escape(name)}\b", ast.get_docstring(function) or ""):
            return f"the documentation names {name}"
    return ""


def _plain(value: object) -> bool:
    """Small positive numbers, short texts, lists of them that are not empty."""
    if isinstance(value, list):
        return 0 < len(value) <= 8 and all(map(_plain, value))
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return 0 <= value <= 20
    return isinstance(value, str) and 0 < len(value) <= 20


def _failed(answer: Mapping[str, JsonValue], facts: Mapping[str, str], endless: bool) -> str:
    """What it did, in words; '' when that is not what was claimed."""
    value = _flat(str(answer.get("value", "")))
    if facts["form"] in {"sorted", "back"}:
        if answer.get("saw") != "ended" or answer.get("kept") is not False:
            return ""
        promise = "is not the sorted input" if facts["form"] == "sorted" else "is not what went in"
        return f"gives `{value}`, which {promise}"
    if endless:
        return f"never ends: {value}" if answer.get("saw") == "recurs" else ""
    return f"raises `{value}`" if answer.get("saw") == "raised" and value == _flat(facts["got"]) else ""


def _job(facts: Mapping[str, str], call: str, subject: str, *, watch: bool) -> JsonValue:
    own = call == facts["call"]
    return {
        "call": call, "subject": subject, "form": facts["form"], "watch": watch,
        "precondition": facts["precondition"] if own else "", "setup": facts["setup"] if own else "",
    }  # fmt: skip


def _call_of(text: str) -> ast.Call | None:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return tree if isinstance(tree, ast.Call) else None


def _told(calls: list[JsonValue], answers: list[JsonValue]) -> str:
    told = []
    for call, answer in zip(calls, answers, strict=False):
        if isinstance(call, dict) and isinstance(answer, dict):
            told.append(
                f"{_flat(str(call['call']))} -> {answer.get('saw')} {_flat(str(answer.get('value', '')))}".strip()
            )
    return "; ".join(told)


def _flat(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 120 else flat[:119] + "…"
