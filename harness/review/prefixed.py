"""The journal of a run under a prefix, so that both sides of a change keep their steps apart."""

from collections.abc import Callable, Iterable

from pydantic import JsonValue

from harness.contracts import Engine
from harness.journal.steps import StepState


class Prefixed:
    """An `harness.contracts.Engine` whose steps and facts are those of another one, with a prefix."""

    def __init__(self, engine: Engine, prefix: str) -> None:
        self._engine = engine
        self._prefix = prefix

    @property
    def run_id(self) -> str:
        return self._engine.run_id

    def state(self, step: str) -> StepState:
        return self._engine.state(self._prefix + step)

    def begin(self, step: str) -> None:
        self._engine.begin(self._prefix + step)

    def begin_all(self, steps: Iterable[str]) -> None:
        self._engine.begin_all(self._prefix + step for step in steps)

    def withdraw(self, steps: Iterable[str]) -> None:
        self._engine.withdraw(self._prefix + step for step in steps)

    def finish(self, step: str, result: JsonValue) -> None:
        self._engine.finish(self._prefix + step, result)

    def finish_all(self, results: Iterable[tuple[str, JsonValue]]) -> None:
        self._engine.finish_all((self._prefix + step, result) for step, result in results)

    def step(self, step: str, call: Callable[[], JsonValue]) -> JsonValue:
        return self._engine.step(self._prefix + step, call)

    def note(self, key: str, value: JsonValue) -> None:
        self._engine.note(self._prefix + key, value)

    def noted(self, key: str) -> JsonValue:
        return self._engine.noted(self._prefix + key)
