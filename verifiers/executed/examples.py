"""documented-example-fails: the documented call runs under two or three hash seeds, and a control beside it.

First the documentation is read again: what the claim says is stated must stand there, and nothing around it may call it wrong,
random or approximate. Then all runs must show the same departure. The control is another documented example of the same
function that must give what is stated of it; where there is none, the same call compared with what it gave must agree, which
shows that the module loads, the call is possible and the comparison can succeed.
"""

import ast
import re
from collections.abc import Mapping

from pydantic import JsonValue

from harness.contracts import Bench
from harness.sandbox.base import Sandbox
from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.syntax import NotParsed
from verifiers.executed.outcome import Outcome, not_reproduced, reproduced
from verifiers.executed.trial import run_inside

CPU_S = 4
"""Seconds of processor for one call; more than the finder gave it."""
SEEDS = (0, 1, 2)
_DOUBT = re.compile(
    r"(?i)\b(?:wrong|incorrect|bug|buggy|broken|fixme|todo|should fail|fails|random|approx\w*|roughly|about|may|might|"
    r"machine|platform|locale|deprecated|pseudo\w*|not implemented)\b"
)
_AROUND = 2
"""Lines of the documentation around the example that are searched for doubts."""


def fits(finding: Finding) -> bool:
    """Examples whose call and stated result are given."""
    wanted = {"call", "expected", "form", "setup", "kind", "example_line", "function"}
    return finding.kind == "documented-example-fails" and wanted <= finding.facts.keys()


def reproduce(finding: Finding, bench: Bench, sandbox: Sandbox) -> Outcome:
    """See `Template.reproduce`."""
    facts = finding.facts
    try:
        module = bench.project.module(finding.path)
    except (KeyError, NotParsed):
        return not_reproduced(finding, "the module cannot be read")
    doubt = _doubt(module, facts)
    if doubt:
        return not_reproduced(finding, doubt)
    control = _control(facts)
    calls: list[JsonValue] = [_job(facts["call"], facts["expected"], facts["form"], facts["setup"])]
    if control:
        calls.append(control)
    seen: list[list[Mapping[str, JsonValue]]] = []
    for seed in SEEDS:
        job: dict[str, JsonValue] = {"path": finding.path, "module": module.name, "calls": calls, "cpu_s": CPU_S}
        report = run_inside(sandbox, bench, "example", job, hash_seed=seed)
        if report.trouble:
            return not_reproduced(finding, report.trouble)
        answers = report.answer.get("calls")
        seen.append([a for a in answers if isinstance(a, dict)] if isinstance(answers, list) else [])
        if len(seen[-1]) != len(calls) or seen[-1] != seen[0] or _holds(seen[-1][0]):
            break
        if seen[-1][0].get("saw") == "hang" and len(seen) == 2:
            break  # no hash seed makes a loop of this kind end, and each try costs its whole time
    steps = [f"PYTHONHASHSEED={seed}: {_told(calls, answers)}" for seed, answers in zip(SEEDS, seen, strict=False)]
    if any(len(answers) != len(calls) for answers in seen):
        return not_reproduced(finding, "the calls gave no answer", steps)
    first = seen[0][0]
    if _holds(first) or any(answers != seen[0] for answers in seen):
        return not_reproduced(finding, "the call does not depart from the documentation every time", steps)
    if control:
        if seen[0][1].get("saw") != "stated":
            return not_reproduced(finding, "the control, another documented call, does not do as stated either", steps)
        beside = f"the control `{_flat(facts['control'])}` gives what is stated"
    else:
        agreed, step = _agrees(first, facts, finding, module, bench, sandbox)
        steps.append(step)
        if not agreed:
            return not_reproduced(finding, "the comparison does not succeed with what the call gave either", steps)
        beside = "the same comparison with what it does instead succeeds"
    steps.append(_test(module, facts))
    return reproduced(
        finding, f"`{_flat(facts['call'])}` {_departure(first)} under {len(seen)} hash seeds; {beside}", steps
    )


def _doubt(module: Module, facts: Mapping[str, str]) -> str:
    """Why the documentation may not mean what the claim says, '' when nothing speaks for it."""
    number = int(facts["example_line"]) if facts["example_line"].isdigit() else 0
    text = next(
        (
            n.value.value
            for n in module.nodes(ast.Expr)
            if isinstance(n.value, ast.Constant)
            and isinstance(n.value.value, str)
            and n.lineno <= number <= (n.end_lineno or n.lineno)
        ),
        None,
    )
    if text is None:
        return "no documentation stands in the line of the example"
    squeezed = re.sub(r"\s+", "", re.sub(r"(?m)^\s*(?:>>>|\.\.\.)", "", text))
    try:
        call = ast.parse(facts["call"].strip(), mode="eval").body
    except SyntaxError:
        return "the documented call is no expression"
    arguments = [] if not isinstance(call, ast.Call) else [*call.args, *(k.value for k in call.keywords)]
    verbatim = re.sub(r"\s+", "", facts["call"]) in squeezed
    by_name = all(
        re.sub(r"\s+", "", ast.get_source_segment(facts["call"].strip(), a) or "\0") in squeezed for a in arguments
    )
    if not (verbatim or by_name) or re.sub(r"\s+", "", facts["expected"]) not in squeezed:
        return "what the claim says is stated does not stand in the documentation"
    near = module.lines[max(number - 1 - _AROUND, 0) : number + _AROUND]
    word = next((m for line in near if (m := _DOUBT.search(re.sub(r"(['\"]).*?\1", "", line)))), None)
    return f"the documentation around the example says `{word.group()}`" if word else ""


def _control(facts: Mapping[str, str]) -> JsonValue:
    """Another example of the function, None when the claim knows none."""
    if not facts.get("control"):
        return None
    return _job(facts["control"], facts.get("control_expected", ""), facts.get("control_form", "value"), "")


def _job(call: str, expected: str, form: str, setup: str) -> JsonValue:
    return {"call": call, "expected": expected, "form": form, "setup": setup}


def _holds(answer: Mapping[str, JsonValue]) -> bool:
    return answer.get("saw") not in {"differs", "raised", "hang"}


def _agrees(
    first: Mapping[str, JsonValue],
    facts: Mapping[str, str],
    finding: Finding,
    module: Module,
    bench: Bench,
    sandbox: Sandbox,
) -> tuple[bool, str]:
    """Whether the call compared with what it gave agrees; for one without a value, whether the module answers at all."""
    value = str(first.get("value", ""))
    if first.get("saw") == "differs" and len(value) < 500 and "0x…" not in value:
        form = "value" if facts["form"] == "value" and _is_literal(value) else "text"
        control = _job(facts["call"], value.strip(), form, facts["setup"])
    else:
        control = _job("1", "1", "value", "")
    job: dict[str, JsonValue] = {"path": finding.path, "module": module.name, "calls": [control], "cpu_s": CPU_S}
    report = run_inside(sandbox, bench, "example", job)
    answers = report.answer.get("calls")
    answer = answers[0] if isinstance(answers, list) and answers and isinstance(answers[0], dict) else {}
    return answer.get("saw") == "stated", f"control: {_told([control], [answer])}"


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def _told(calls: list[JsonValue], answers: list[Mapping[str, JsonValue]]) -> str:
    lines = []
    for call, answer in zip(calls, answers, strict=False):
        if isinstance(call, dict):
            lines.append(
                f"{_flat(str(call['call']))} -> {answer.get('saw')} {_flat(str(answer.get('value', '')))}".strip()
            )
    return "; ".join(lines)


def _departure(answer: Mapping[str, JsonValue]) -> str:
    value = _flat(str(answer.get("value", "")))
    match answer.get("saw"):
        case "hang":
            return f"does not end within {CPU_S} seconds of processor time"
        case "raised":
            return f"raises `{value}`"
        case _:
            return f"gives `{value}`"


def _test(module: Module, facts: Mapping[str, str]) -> str:
    """A test for pytest that fails until the two agree."""
    name = re.sub(r"\W+", "_", facts["function"]).strip("_")
    setup = "".join(f"    {line}\n" for line in facts["setup"].splitlines())
    compared = (
        f"assert {facts['call']} == {facts['expected']}"
        if facts["form"] == "value"
        else (f"assert repr({facts['call']}) == {facts['expected']!r}")
    )
    return (
        f"from {module.name} import *\n\n\ndef test_{name}_does_what_its_documentation_states():\n{setup}    {compared}"
    )


def _flat(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 100 else flat[:99] + "…"
