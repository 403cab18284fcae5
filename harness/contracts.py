"""What plug-ins promise. A reader who knows these Protocols and the records of `harness.schema` can write an auditor.

Everything here is data in, records out: an auditor yields claims, a verifier returns a judgement. Neither writes
files, prints, or knows the pipeline that calls it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

from pydantic import JsonValue

from harness.journal.steps import StepState
from harness.llm.client import Asker
from harness.sandbox.base import Sandbox
from harness.sandbox.python import ProjectPython
from harness.schema.dimension import Dimension
from harness.schema.finding import Claim, Finding, Rule
from harness.schema.run import Skip
from harness.schema.verdict import Judgement
from harness.source import tools
from harness.source.module import Module
from harness.source.project import Project

ModuleCheck = Callable[[Module, Project], Iterator[Claim]]
"""Looks at one Python module at a time; may ask the project's index about others."""
ProjectCheck = Callable[[Project], Iterator[Claim]]
"""Looks at the whole project: several modules together, or files that are not Python."""


@dataclass(frozen=True)
class Check:
    """One check: the rules it may raise and one of the two ways to run it."""

    rules: tuple[Rule, ...]
    module: ModuleCheck | None = None
    project: ProjectCheck | None = None

    def __post_init__(self) -> None:
        if (self.module is None) == (self.project is None):
            raise ValueError(f"check {self.rules[0].id}: give exactly one of module= and project=")


class Bench(NamedTuple):
    """What auditors and verifiers work with."""

    project: Project
    """The pinned revision."""
    sandbox: Sandbox | None
    """Where code of the project may run; None when there is no such place, and then nothing of it runs."""
    seed: int = 0
    """The only source of chance."""
    languages: tuple[str, ...] = ()
    """Restrict to these languages; empty means all."""
    history: tuple[tools.Reading, ...] = ()
    """Tools over the history of the revision, for those who verify; who finds is told nothing of it."""
    python: ProjectPython | None = None
    """What runs code of the project, None for the Python that runs us."""
    advice: str = ""
    """What the user could do for code of the project to find its dependencies, '' when nothing is known."""


class Auditor(Protocol):
    """Finds, for one group of checks."""

    @property
    def id(self) -> str:
        """Stable name, unique among auditors."""
        ...

    @property
    def group(self) -> str:
        """The group of checks it serves; a dimension names the groups it is made of."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever its answers may change for the same input; part of the cache key."""
        ...

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Every rule it may raise."""
        ...

    @property
    def executes(self) -> bool:
        """True when it runs code of the project (in the sandbox); such a lane is skipped where there is none."""
        ...

    def wants(self, language: str) -> bool:
        """Whether files of this language are its business."""
        ...

    def audit(self, bench: Bench) -> Iterator[Claim | Skip]:
        """Claims in a fixed order, and a Skip for every wanted file it could not analyse. Raises LaneFailed."""
        ...


class Verifier(Protocol):
    """Tries to prove one finding wrong, and says what it saw."""

    @property
    def id(self) -> str:
        """Stable name, unique among verifiers."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever its answers may change for the same input; part of the cache key."""
        ...

    @property
    def executes(self) -> bool:
        """True when it runs code of the project."""
        ...

    def handles(self, finding: Finding) -> bool:
        """Whether it can say anything about this kind of finding."""
        ...

    def verify(self, finding: Finding, bench: Bench) -> Judgement:
        """One judgement. A failure of its own is an UNVERIFIED judgement with the reason, never an exception."""
        ...


MALFORMED = "malformed answer"
"""Beginning of the reason with which a reader skips a finding in an answer that cannot be understood."""


class Reading(NamedTuple):
    """A part of the revision that a model reads in one conversation."""

    name: str
    """Unique within the dimension."""
    files: tuple[str, ...]
    """Files it covers."""
    payload: JsonValue
    """What `Reader.read` gets back."""


class Reader(Protocol):
    """A model auditor: one dimension, read part by part."""

    @property
    def rule(self) -> Rule:
        """The rule its claims are raised under."""
        ...

    @property
    def version(self) -> str:
        """Changes with its prompts; part of the cache key."""
        ...

    def readings(self, project: Project) -> tuple[Reading, ...]:
        """What will be read, in a fixed order."""
        ...

    def read(self, payload: JsonValue, bench: Bench, asker: Asker) -> Iterator[Claim | Skip]:
        """Claims about one part, and a Skip for what could not be used. Raises ModelFailure, BudgetExhausted, LaneFailed."""
        ...


ArguingFactory = Callable[[Mapping[str, Asker]], Verifier]
"""Makes the verifier that asks models, from the askers by name; with none, only its id and version are used."""


class Plugin(NamedTuple):
    """The table a plug-in module exports as `PLUGIN`."""

    name: str
    """Name of the package."""
    auditors: tuple[Auditor, ...] = ()
    """In no particular order."""
    verifiers: tuple[Verifier, ...] = ()
    """Cheapest first."""
    dimensions: Path | None = None
    """Folder with one TOML file (`harness.schema.dimension.Dimension`) for each dimension it offers."""
    commands: Mapping[str, str] = MappingProxyType({})
    """Command -> module whose `command` is a click command; loaded when it is called."""
    reader: Callable[[Dimension], Reader] | None = None
    """Makes the model auditor of a dimension."""
    arguing: ArguingFactory | None = None
    """Makes the verifier that asks models."""


class Engine(Protocol):
    """Durable steps: an intent is written before a step begins, its result before anyone uses it.

    A step whose result is there is never begun again; one that was interrupted is begun again at most once per crash.
    """

    @property
    def run_id(self) -> str:
        """Id of the run the steps belong to."""
        ...

    def state(self, step: str) -> StepState:
        """What is known of `step`."""
        ...

    def begin(self, step: str) -> None:
        """Write the intent."""
        ...

    def begin_all(self, steps: Iterable[str]) -> None:
        """Write the intents of steps that go out together."""
        ...

    def withdraw(self, steps: Iterable[str]) -> None:
        """Take back the last intent of steps that we stopped ourselves, so that it does not count as a crash."""
        ...

    def finish(self, step: str, result: JsonValue) -> None:
        """Write the result."""
        ...

    def finish_all(self, results: Iterable[tuple[str, JsonValue]]) -> None:
        """Write results that came in together, all or none."""
        ...

    def step(self, step: str, call: Callable[[], JsonValue]) -> JsonValue:
        """The stored result, or else intent, `call`, result."""
        ...

    def note(self, key: str, value: JsonValue) -> None:
        """Keep a fact about the run; the last one written holds."""
        ...

    def noted(self, key: str) -> JsonValue:
        """The fact, None when there is none."""
        ...
