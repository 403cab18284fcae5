"""From a draft to a document that compiles: deterministic repairs first, then at most two by a model, within a wall clock.

Nothing is mended by deletion. An error that outlives a round ends the loop, and the draft before that round is kept.
"""

from collections.abc import Callable

from agent.models import answer, prompt, question, rules, told
from agent.records import Change, Compiled, Settings
from agent.replies import document
from agent.tex.preserve import losses
from harness.clock import Clock
from harness.llm.client import Asker
from harness.llm.fence import fence
from harness.llm.ledger import Labels
from harness.schema.base import Record

ROUNDS = 2
"""Repairs by a model."""

Compile = Callable[[str, float], Compiled]
"""Compiles a text within so many seconds."""
ByRules = Callable[[str, float], tuple[str, tuple[Change, ...]]]
"""Repairs a text by rules alone within so many seconds: the text after, and what was changed."""


def _silent(note: str) -> None:
    del note


class Mended(Record):
    """How compiling ended."""

    tex: str
    """The text that `compiled` is about."""
    compiled: Compiled
    """The last compilation of it."""
    changes: tuple[Change, ...] = ()
    """Deterministic repairs, in order."""
    rounds: int = 0
    """Repairs by a model that were asked for."""
    fingerprints: tuple[str, ...] = ()
    """First mistake before each of them."""
    notes: tuple[str, ...] = ()
    """What became of them."""
    stopped: str = ""
    """Why it is not mended, '' when it is."""


class Mender:
    """A draft on its way to a PDF."""

    def __init__(
        self,
        compile_: Compile,
        by_rules: ByRules,
        clock: Clock,
        *,
        wall_s: float,
        asker: Asker | None = None,
        settings: Settings = Settings(),  # noqa: B008  # a frozen record
        nonce: str = "",
        tell: Callable[[str], None] = _silent,
    ) -> None:
        """Without `asker` no model is asked."""
        self._compile = compile_
        self._by_rules = by_rules
        self._clock = clock
        self._deadline = clock.monotonic() + wall_s
        self._wall_s = wall_s
        self._asker = asker
        self._settings = settings
        self._nonce = nonce
        self._tell = tell
        self._changes: list[Change] = []
        self._notes: list[str] = []
        self._fingerprints: list[str] = []

    def mend(self, tex: str) -> Mended:
        """Compile, and repair until it is good or nothing helps. Raises ModelFailure, BudgetExhausted, SandboxUnavailable."""
        tex, compiled = self._deterministic(tex, self._compile(tex, self._wall_s))
        before = (tex, compiled)
        while not compiled.ok:
            fingerprint = compiled.diagnosis.fingerprint
            if self._left() <= 0:
                return self._ended(tex, compiled, f"the {self._wall_s:g} s for compiling are used up")
            if self._fingerprints and fingerprint == self._fingerprints[-1]:
                return self._ended(*before, f"the repair left the same error: {fingerprint}")
            if self._asker is None:
                return self._ended(tex, compiled, f"it does not compile: {fingerprint}")
            if len(self._fingerprints) == ROUNDS:
                return self._ended(tex, compiled, f"{ROUNDS} repairs were not enough: {fingerprint}")
            before = (tex, compiled)
            self._fingerprints.append(fingerprint)
            self._tell(f"repair {len(self._fingerprints)} of {ROUNDS}: {fingerprint}")
            repaired = self._by_model(tex, compiled)
            if repaired:
                tex, compiled = self._deterministic(repaired, self._compile(repaired, self._left()))
        return self._ended(tex, compiled, "")

    def _deterministic(self, tex: str, compiled: Compiled) -> tuple[str, Compiled]:
        """As far as repairs by rule get, within the time."""
        if compiled.ok or self._left() <= 0:
            return tex, compiled
        repaired, changes = self._by_rules(tex, self._left())
        if not changes or self._left() <= 0:
            return tex, compiled
        self._changes += changes
        return repaired, self._compile(repaired, self._left())

    def _by_model(self, tex: str, compiled: Compiled) -> str:
        """The repaired text, '' when it is none or loses something: the error is then the same as before."""
        assert self._asker is not None
        messages = (
            rules(self._nonce, self._settings.language),
            told(fence(tex, self._nonce, "document")),
            told(f"{fence(compiled.diagnosis.excerpt, self._nonce, 'excerpt of the log')}\n{prompt('repair')}"),
        )
        labels = Labels(stage="compile", lane="main", unit=f"repair {len(self._fingerprints)}")
        text, problem = document(answer(self._asker, question(self._asker, messages), labels))
        lost = losses(tex, text) if text else ()
        if lost:
            problem = f"it would lose {'; '.join(lost)}"
        self._notes.append(f"repair {len(self._fingerprints)}: {f'refused, {problem}' if problem else 'tried'}")
        return "" if problem else text

    def _left(self) -> float:
        return max(0.0, self._deadline - self._clock.monotonic())

    def _ended(self, tex: str, compiled: Compiled, stopped: str) -> Mended:
        return Mended(
            tex=tex, compiled=compiled, changes=tuple(self._changes), rounds=len(self._fingerprints),
            fingerprints=tuple(self._fingerprints), notes=tuple(self._notes), stopped=stopped,
        )  # fmt: skip
