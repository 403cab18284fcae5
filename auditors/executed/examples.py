"""documented-example-fails: the documentation states what a call returns, and the call does something else.

Why: the example is the shortest specification there is, and the one that people copy. Either the code is wrong or the
documentation is; whoever relies on it gets another value, an exception, or no answer at all.

Example:

    def lcs_length(s, t):
        \"\"\"Length of the longest common substring.

        >>> lcs_length('witch', 'sandwich')
        2
        \"\"\"                                    # returns 1

Examples are taken from docstrings and from strings that stand alone: the doctest form, a call beside its result (`f(2) == 3`,
`f(2) => 3`), and arguments by name (`Input: ... Output: ...`). Each runs in the sandbox, in a process of its own, twice with
different hash seeds; only what comes out the same both times is claimed. Floats are compared as they are written, a list counts
as the tuple with the same items.

What it cannot see: examples that need files, a network, a set-up that the text does not show, or packages that are not here;
values without a literal form; and an exception that the documentation of the function announces is no defect.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import groupby

from auditors.executed.running import CPU_S, Seen
from auditors.executed.stated import Example, stated
from auditors.executed.twice import Observed, twice
from harness.contracts import Bench
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location, RelatedLocation
from harness.schema.run import Skip
from harness.source.module import Module
from harness.source.syntax import NotParsed

RULE = Rule(
    id="documented-example-fails",
    group="correctness",
    title="A call does not do what its documentation states",
    severity=Severity.MEDIUM,
    page=__doc__,
)
MOST = 1500
"""Examples that are run."""
PER_FUNCTION = 12
"""Examples of one function."""
SECONDS = 120.0
"""Processor time for one batch."""


class ExamplesAuditor:
    """See `harness.contracts.Auditor`."""

    id = "examples-run"
    group = "correctness"
    version = "1"
    rules = (RULE,)
    executes = True

    def wants(self, language: str) -> bool:
        return language == "python"

    def audit(self, bench: Bench) -> Iterator[Claim | Skip]:
        """One claim for each function whose documentation states something that it does not do."""
        for one in twice(bench, list(_documented(bench)), _suspects, seconds=SECONDS):
            if isinstance(one, Skip):
                yield one
            else:
                yield from _claims(one)


def _documented(bench: Bench) -> Iterator[tuple[Module, list[Example]]]:
    """Modules with their examples, at most `MOST` in all."""
    left = MOST
    for path in bench.project.paths("python", test=False):
        try:
            module = bench.project.module(path)
        except NotParsed:
            continue
        if not module.nodes(ast.Expr):
            continue
        found: dict[str, list[Example]] = {}
        for example in stated(module):
            if len(found.setdefault(example.symbol, [])) < PER_FUNCTION:
                found[example.symbol].append(example)
        examples = sorted((e for es in found.values() for e in es), key=lambda e: e.line)[:left]
        if examples:
            left -= len(examples)
            yield module, examples


def _suspects(seen: Mapping[Example, Seen]) -> list[Example]:
    return [e for e, s in seen.items() if s.kind not in {"same", "unclear"}]


def _claims(observed: Observed) -> Iterator[Claim]:
    module = observed.module
    functions = dict(module.functions)
    classes = {n.name: n for n in module.tree.body if isinstance(n, ast.ClassDef)}
    for symbol, group in groupby(
        sorted(observed.steady, key=lambda item: (item[0].symbol, item[0].line)), lambda item: item[0].symbol
    ):
        node = functions.get(symbol) or classes.get(symbol)
        if node is None:
            continue
        failing = [(e, s) for e, s in group if not _announced(node, s)]
        if not failing:
            continue
        example, seen = failing[0]
        right = [e for e, s in observed.seen.items() if e.symbol == symbol and s.kind == "same"]
        call = " ".join(example.call.split())
        yield module.claim(
            RULE,
            node,
            scenario=f"`{_short(call)}` is documented to give `{_short(example.expected)}` (line {example.line}); "
            f"it {_did(seen)}.",
            fix=f"Make `{symbol}` do what its documentation states, or correct the example.",
            facts={
                "function": symbol, "call": example.call, "expected": example.expected, "form": example.form,
                "setup": example.setup, "kind": seen.kind, "got": seen.got, "example_line": str(example.line),
                "control": right[0].call if right and not right[0].setup else "",
                "control_expected": right[0].expected if right and not right[0].setup else "",
                "control_form": right[0].form if right else "",
            },
            related=(RelatedLocation(location=_line(module, example.line), role="documentation"),),
        )  # fmt: skip


def _line(module: Module, number: int) -> Location:
    return Location(path=module.path, line=number, end_line=number)


def _did(seen: Seen) -> str:
    match seen.kind:
        case "hang":
            return f"does not return within {CPU_S} seconds of processor time"
        case "memory":
            return "uses up its memory"
        case "raised":
            return f"raises `{_short(seen.got)}`" + (f" in line {seen.line}" if seen.line else "")
        case _:
            return f"gives `{_short(seen.got)}`"


def _announced(node: ast.AST, seen: Seen) -> bool:
    """An exception that the documentation names is behaviour, not a defect."""
    if seen.kind != "raised":
        return False
    name = seen.got.partition(":")[0].rpartition(".")[2]
    text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else ""
    return bool(name) and re.search(rf"\b{re.escape(name)}\b", text or "") is not None


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 100 else flat[:99] + "…"
