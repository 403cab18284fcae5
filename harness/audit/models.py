"""What a run with a model has besides: readers, the verifier that argues, and a crew that asks through the broker."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from harness import registry
from harness.audit.order import Order
from harness.audit.work import judged, raised
from harness.budget import parse
from harness.contracts import ArguingFactory, Bench, Reader, Verifier
from harness.crew import Crew
from harness.errors import Bug, IncompleteError
from harness.llm.client import Asker
from harness.llm.failure import ModelFailure
from harness.llm.link import inherited
from harness.llm.replay import manifest, offered
from harness.llm.spec import parse as parse_spec
from harness.llm.wire import Opening
from harness.repo.history import open_history
from harness.repo.history import tools as history_tools
from harness.schema.dimension import Dimension
from harness.schema.finding import Finding
from harness.source.tools import Reading
from harness.state import RunFolder
from harness.workers import Work

MAIN = "main"
VERIFIER = "verifier"
RESERVE = 0.4
"""Share of every cap that is kept for verifying what was found (B1)."""
IN_FLIGHT = 32
"""Conversations at once."""


@dataclass(frozen=True)
class Models:
    """The model side of one run."""

    opening: Opening
    readers: Mapping[str, Reader]
    """By dimension."""
    arguing: ArguingFactory
    verifier: Verifier
    """The arguing verifier without askers: its id and version."""
    monotonic: Callable[[], float]
    history: Path
    """Where what git knows is kept."""

    @property
    def specs(self) -> tuple[str, ...]:
        """Models in the order auditor, verifier; for a replay, those that were recorded."""
        return tuple(_recorded(self.opening.tiers[t], t) for t in (MAIN, VERIFIER))

    @property
    def same_family(self) -> bool:
        """Whether auditor and verifier come from one model family, by their names."""
        return len({parse_spec(spec).family for spec in self.specs}) == 1

    def crew(self, bench: Bench) -> Crew:
        """Threads in one process that ask. Opens its own connection to the broker."""

        def make() -> Work:
            link = inherited()
            if link is None:
                raise Bug("a run with a model was started without its broker")
            askers = link.open(self.opening)
            return ModelWork(
                bench._replace(history=self._past(bench)),
                self.readers,
                askers[MAIN],
                self.arguing({VERIFIER: askers[VERIFIER]}),
            )

        return Crew(make, width=IN_FLIGHT, monotonic=self.monotonic)

    def _past(self, bench: Bench) -> tuple[Reading, ...]:
        """Tools over the history, where there is one; a replay offers what was offered when it was recorded."""
        known = open_history(bench.project.tree, self.history)
        spec = parse_spec(self.opening.tiers[VERIFIER])
        wanted = "git_log" in offered(Path(spec.name)) if spec.backend == "replay" else known is not None
        return tuple(Reading(*tool) for tool in history_tools(known)) if wanted else ()


def models_for(
    order: Order, folder: RunFolder, dimensions: Mapping[str, Dimension], monotonic: Callable[[], float]
) -> Models:
    """The model side of a run that names a model. Raises UsageError for a budget that is none."""
    if order.model is None:
        raise Bug("no model was named")
    caps = parse(order.budget)
    opening = Opening(
        run=folder.id,
        ledger=str(folder.usage),
        tape=str(folder.path / "calls"),
        record=order.record,
        tiers={MAIN: order.model, VERIFIER: order.verifier_model or order.model},
        caps=caps._asdict(),
        reserve=RESERVE,
        requests_per_minute=order.requests_per_minute,
        tokens_per_minute=order.tokens_per_minute,
        seed=order.seed,
    )
    arguing = registry.arguing()
    readers = {name: registry.reader(dimension) for name, dimension in dimensions.items()}
    return Models(opening, readers, arguing, arguing({}), monotonic, folder.history)


def _recorded(text: str, tier: str) -> str:
    spec = parse_spec(text)
    return manifest(Path(spec.name)).tiers.get(tier, text) if spec.backend == "replay" else text


@dataclass(frozen=True)
class ModelWork:
    """`harness.workers.Work` of a crew: read one part, or argue about one finding."""

    bench: Bench
    readers: Mapping[str, Reader]
    auditor: Asker
    verifier: Verifier

    def __call__(self, payload: JsonValue) -> JsonValue:
        if not isinstance(payload, list):
            raise TypeError("a task is a list of units")
        return [self._answer(unit) for unit in payload]

    def _answer(self, unit: JsonValue) -> JsonValue:
        try:
            if not isinstance(unit, dict):
                raise TypeError("a unit is an object")
            if "reader" in unit:
                reader = self.readers[str(unit["reader"])]
                return {"value": raised(reader.read(unit["reading"], self.bench, self.auditor))}
            return {"value": judged(self.verifier, Finding.model_validate(unit["finding"]), self.bench)}
        except IncompleteError as error:
            # Trouble of the provider or the budget says nothing about the unit, so it does not count as a failed try.
            later = isinstance(error, ModelFailure) or error.exit_code == IncompleteError.exit_code
            return {"error": f"{type(error).__name__}: {error}", "later": later}
        except Exception as error:  # noqa: BLE001  # the boundary: whatever a plug-in raises is this unit's failure
            return {"error": str(error) or repr(error)}
