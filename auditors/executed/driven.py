"""fails-on-documented-input: a call that the function's own text allows does not end, or crashes.

Why: the caller has done everything right. A loop that does not end or a stack that overflows takes the program with it.

Example:

    def find(arr, x):
        \"\"\"Index of x in arr, -1 when it is not there.

        arr: A sorted list of ints
        x: A value to find
        \"\"\"                                   # find([1, 3], 2) recurs for ever

Functions of modules are called in the sandbox with small, ordinary values that fit their annotations, the description of their
parameters and the preconditions that they state as Python. Claimed is what never ends, what overflows the stack, and what uses a
name before it has a value. Other crashes (an index, a key, a type) are claimed only where every parameter is described in words.
An exception that the code raises itself, or that the documentation names, is behaviour.

documented-promise-broken: the documentation promises a relation, and a call breaks it: the result is the input in sorted order, or
one function undoes another that it names.

What it cannot see: functions that take anything but numbers, strings and lists of them, methods, and functions with side effects.
"""

import ast
import re
from collections.abc import Iterator, Mapping

from auditors.executed.domain import Inputs, inputs, samples
from auditors.executed.running import CPU_S, Seen
from auditors.executed.stated import Example
from auditors.executed.twice import Observed, twice
from harness.contracts import Bench
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.run import Skip
from harness.source.module import FunctionNode, Module
from harness.source.syntax import NotParsed

FAILS = Rule(
    id="fails-on-documented-input",
    group="correctness",
    title="A call that the documentation allows does not end, or crashes",
    severity=Severity.MEDIUM,
    page=__doc__,
)
BROKEN = Rule(
    id="documented-promise-broken",
    group="correctness",
    title="A result breaks what the documentation promises of it",
    severity=Severity.MEDIUM,
    page=__doc__,
)
MOST_FUNCTIONS = 200
"""Functions that are driven."""
SECONDS = 60.0
"""Processor time for one batch."""
ALWAYS = frozenset({"RecursionError", "UnboundLocalError", "NameError"})
"""Exceptions that are nobody's intention."""
DESCRIBED = frozenset(
    {"IndexError", "KeyError", "TypeError", "AttributeError", "ZeroDivisionError", "RuntimeError", "ValueError"}
)
_EFFECTS = frozenset({
    "open", "input", "print", "exec", "eval", "system", "popen", "run", "Popen", "call", "check_output", "urlopen", "request",
    "sleep", "remove", "unlink", "rmtree", "mkdir", "makedirs", "write", "exit", "connect", "execute", "send", "recv",
})  # fmt: skip
_SORTED = re.compile(
    r"(?i)\b(?:elements|items|values|contents)\s+of\s+`{0,2}(?P<name>\w+)`{0,2}\s+in\s+(?:sorted|ascending|increasing)\s+order\b"
    r"|\breturns?\s+(?:a\s+)?sorted\s+copy\s+of\s+`{0,2}(?P<copy>\w+)"
)
_PAIRS = (("decode", "encode"), ("loads", "dumps"), ("unpack", "pack"), ("deserialize", "serialize"), ("unescape", "escape"),
          ("unquote", "quote"), ("decompress", "compress"), ("parse", "format"), ("from", "to"))  # fmt: skip


class DrivenAuditor:
    """See `harness.contracts.Auditor`."""

    id = "functions-driven"
    group = "correctness"
    version = "1"
    rules = (FAILS, BROKEN)
    executes = True

    def wants(self, language: str) -> bool:
        return language == "python"

    def audit(self, bench: Bench) -> Iterator[Claim | Skip]:
        """At most one claim of each rule for a function."""
        for one in twice(bench, list(_drivable(bench)), _doubted, seconds=SECONDS):
            if isinstance(one, Skip):
                yield one
            else:
                yield from _claims(one)


def _drivable(bench: Bench) -> Iterator[tuple[Module, list[Example]]]:
    """Modules with the calls to make."""
    left = MOST_FUNCTIONS
    for path in bench.project.paths("python", test=False):
        if left <= 0:
            return
        try:
            module = bench.project.module(path)
        except NotParsed:
            continue
        calls: list[Example] = []
        functions = {f.name: f for q, f in module.functions if q == f.name and isinstance(f, ast.FunctionDef)}
        for name, function in functions.items():
            if left <= 0 or name.startswith("_") or function.decorator_list or _effects(function):
                continue
            text = documentation(module, function)
            given = inputs(function, text)
            if given is None:
                continue
            left -= 1
            calls += _calls(module, function, given, bench.seed)
            calls += _promises(module, function, functions, given, text, bench.seed)
        if calls:
            yield module, calls


def documentation(module: Module, function: FunctionNode) -> str:
    """Its docstring, and a string that stands alone below it when it is the module's only function."""
    text = ast.get_docstring(function) or ""
    tops = [n for n in module.tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    if len(tops) == 1:
        alone = [
            n.value.value for n in module.tree.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
        ]
        text += "\n".join(["", *(a for a in alone if isinstance(a, str))])
    return text


def _effects(function: FunctionNode) -> bool:
    """Whether it calls something that reaches outside by its name, or waits for what others send."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in _EFFECTS:
                return True
        if isinstance(node, ast.Await | ast.Global):
            return True
    return False


def _calls(module: Module, function: FunctionNode, given: Inputs, seed: int) -> Iterator[Example]:
    """Calls that must end. A generator is asked for its first items."""
    for values in samples(given, seed):
        call = f"{function.name}({', '.join(values)})"
        setup = "\n".join(f"{name} = {value}" for name, value in zip(given.parameters, values, strict=True))
        form = "described" if given.documented else "ends"
        yield Example(module.path, function.lineno, function.name, call, given.precondition, form, setup)


def _promises(
    module: Module,
    function: FunctionNode,
    functions: dict[str, ast.FunctionDef],
    given: Inputs,
    text: str,
    seed: int,
) -> Iterator[Example]:
    """Calls whose result must have a relation to their input."""
    match = _SORTED.search(text)
    named = match["name"] or match["copy"] if match else ""
    if named and named in given.parameters:
        for values in samples(given, seed):
            subject = values[given.parameters.index(named)]
            setup = "\n".join(f"{name} = {value}" for name, value in zip(given.parameters, values, strict=True))
            call = f"{function.name}({', '.join(values)})"
            yield Example(
                module.path, function.lineno, function.name, call, f"{given.precondition}\0{subject}", "sorted", setup
            )
    for back, forth in _PAIRS:
        other = functions.get(re.sub(rf"(?<![a-z]){back}(?![a-z])", forth, function.name))
        if (
            other is None
            or other is function
            or len(given.parameters) != 1
            or not re.search(rf"\b{re.escape(other.name)}\b", text)
        ):
            continue
        for values in samples(given, seed):
            if given.domains[0].kind == "str" and not re.fullmatch(r"'[a-z]+'", values[0]):
                continue  # whether it keeps blanks, digits and capitals is a question of what it is for
            call = f"{function.name}({other.name}({values[0]}))"
            yield Example(module.path, function.lineno, function.name, call, f"\0{values[0]}", "back", "")
        break


def _doubted(seen: Mapping[Example, Seen]) -> list[Example]:
    """The first call of each function and form that failed."""
    found: dict[tuple[str, bool], Example] = {}
    for example, one in seen.items():
        relation = example.form in {"sorted", "back"}
        counts = (
            one.kind == "other" if relation else one.kind == "hang" or (one.kind == "raised" and _counts(example, one))
        )
        if counts:
            found.setdefault((example.symbol, relation), example)
    return list(found.values())


def _counts(example: Example, seen: Seen) -> bool:
    name = seen.got.partition(":")[0]
    return name in ALWAYS or (example.form == "described" and name in DESCRIBED and seen.line > 0)


def _claims(observed: Observed) -> Iterator[Claim]:
    module = observed.module
    functions = dict(module.functions)
    for example, again in observed.steady:
        function = functions[example.symbol]
        if _meant(module, function, again):
            continue
        control = next(
            (
                e
                for e, s in observed.seen.items()
                if e.symbol == example.symbol and e.form == example.form and s.kind == "same"
            ),
            None,
        )
        relation = example.form in {"sorted", "back"}
        precondition, _, subject = example.expected.partition("\0")
        yield module.claim(
            BROKEN if relation else FAILS,
            function,
            scenario=f"`{_short(example.call)}`, which its documentation allows, {_did(example.form, again)}.",
            fix=f"Make `{example.symbol}` work for every input that its documentation allows, or say what it does not take.",
            facts={
                "function": example.symbol, "call": example.call, "form": example.form, "kind": again.kind, "got": again.got,
                "precondition": precondition, "subject": subject, "setup": example.setup,
                "line": str(again.line), "control": control.call if control else "",
                "control_subject": control.expected.partition("\0")[2] if control else "",
            },
        )  # fmt: skip


def _meant(module: Module, function: FunctionNode, seen: Seen) -> bool:
    """An exception that the code raises by itself in that line, or that the documentation names."""
    if seen.kind != "raised":
        return False
    name = seen.got.partition(":")[0]
    raises = {n.lineno for n in module.nodes(ast.Raise)} | {n.lineno for n in module.nodes(ast.Assert)}
    return seen.line in raises or re.search(rf"\b{re.escape(name)}\b", documentation(module, function)) is not None


def _did(form: str, seen: Seen) -> str:
    match seen.kind:
        case "hang":
            return f"does not end within {CPU_S} seconds of processor time"
        case "raised":
            return f"raises `{_short(seen.got)}` in line {seen.line}"
        case _:
            promise = "is not its input in sorted order" if form == "sorted" else "does not give back what went in"
            return f"{promise}: `{_short(seen.got)}`"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 100 else flat[:99] + "…"
