"""Runs the calls of modules in batches, and those that are doubted a second time under another hash seed.

What could not be run is a Skip with its reason: a module that cannot be imported, calls for which no time was left.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from auditors.executed.running import UNRUN, CannotRun, Seen, observe
from auditors.executed.stated import Example
from harness.contracts import Bench
from harness.errors import SandboxUnavailable
from harness.schema.run import Skip
from harness.source.module import Module

BATCH = 40
"""Modules that are run by one start of the sandbox."""
Calls = tuple[Module, list[Example]]
Doubt = Callable[[Mapping[Example, Seen]], list[Example]]
"""Chooses what is run again from what all calls of a module did."""


class Observed(NamedTuple):
    """What the calls of one module did."""

    module: Module
    seen: Mapping[Example, Seen]
    """Every call, from the first run."""
    steady: tuple[tuple[Example, Seen], ...]
    """The doubted ones that did the same both times."""


def twice(bench: Bench, modules: Sequence[Calls], doubt: Doubt, *, seconds: float) -> Iterator[Observed | Skip]:
    """One item for a module, and the Skips; `seconds` of processor time for a batch."""
    if modules and bench.sandbox is None:
        yield Skip(path=".", reason="no sandbox: nothing that documentation states is run")
        return
    for start in range(0, len(modules), BATCH):
        try:
            yield from _batch(bench, modules[start : start + BATCH], doubt, seconds)
        except (CannotRun, SandboxUnavailable) as error:
            yield Skip(path=".", reason=f"what documentation states cannot be run here: {error}")
            return


def _batch(bench: Bench, modules: Sequence[Calls], doubt: Doubt, seconds: float) -> Iterator[Observed | Skip]:
    first: dict[Module, dict[Example, Seen]] = {}
    for (module, calls), seen in zip(modules, observe(bench, modules, seconds, seed=0), strict=True):
        if isinstance(seen, str):
            advice = f"; {bench.advice}" if bench.advice and "ModuleNotFoundError" in seen else ""
            yield Skip(path=module.path, reason=f"its documentation cannot be run here: {seen}{advice}")
            continue
        first[module] = dict(zip(calls, seen, strict=True))
        unrun = sum(s.got == UNRUN for s in seen)
        if unrun:
            yield Skip(path=module.path, reason=f"{unrun} of {len(calls)} calls that documentation allows were {UNRUN}")
    again = [(module, doubted) for module, seen in first.items() if (doubted := doubt(seen))]
    second = observe(bench, again, seconds, seed=1) if again else []
    steady: dict[Module, tuple[tuple[Example, Seen], ...]] = {}
    for (module, calls), seen in zip(again, second, strict=True):
        if not isinstance(seen, str):
            pairs = zip(calls, seen, strict=True)
            steady[module] = tuple((call, did) for call, did in pairs if did == first[module][call])
    for module, did in first.items():
        yield Observed(module, did, steady.get(module, ()))
