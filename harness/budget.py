"""Caps in money, tokens, calls and time, nested (run > stage > item): refused before, settled after (B1).

A cap can be overshot by what is in flight, never by more: a reservation counts as spent until it is settled. Time is
taken from an injected monotonic clock. Unknown cost is not zero: under a cap in money it is refused. Safe to use from
several threads.
"""

import re
import threading
from collections.abc import Iterable
from typing import NamedTuple, Self

from harness.clock import Clock
from harness.errors import BudgetExhausted, UsageError

_FORMS = "5usd, 200ktok, 2mtok, 50calls, 90s, 10min, 2h"
_UNITS = {
    "usd": ("usd", 1.0), "tok": ("tokens", 1.0), "ktok": ("tokens", 1e3), "mtok": ("tokens", 1e6),
    "call": ("calls", 1.0), "calls": ("calls", 1.0), "s": ("seconds", 1.0), "min": ("seconds", 60.0), "h": ("seconds", 3600.0),
}  # fmt: skip


class Spend(NamedTuple):
    """An amount of each; `usd` is None when the price is unknown."""

    usd: float | None = 0.0
    tokens: int = 0
    calls: int = 0


class Caps(NamedTuple):
    """Upper bounds; None means no bound."""

    usd: float | None = None
    tokens: float | None = None
    calls: float | None = None
    seconds: float | None = None

    def share(self, part: float) -> "Caps":
        """`part` (0 to 1) of every bound: the rest is a reserve for what comes after."""
        return Caps(*(None if cap is None else cap * part for cap in self))


def parse(texts: Iterable[str]) -> Caps:
    """Caps from `5usd`, `200ktok`, `10min` ...; each kind at most once, `|` or a comma separates. Raises UsageError."""
    found: dict[str, float] = {}
    for text in (part for given in texts for part in re.split(r"[|,]", given)):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text.lower())
        if match is None or match[2] not in _UNITS:
            raise UsageError(f"budget {text!r} is not understood", hint=f"Write it like one of: {_FORMS}.")
        kind, factor = _UNITS[match[2]]
        if kind in found:
            raise UsageError(f"two budgets in {kind}", hint="Give each kind once.")
        found[kind] = float(match[1]) * factor
    return Caps(**found)


class Budget:
    """What may still be spent. A child is bounded by its own caps and by every parent's."""

    def __init__(self, caps: Caps, clock: Clock, *, name: str = "run", parent: "Budget | None" = None) -> None:
        self.name = name
        self._caps = caps
        self._clock = clock
        self._parent = parent
        self._lock: threading.RLock = parent._lock if parent else threading.RLock()
        self._start = clock.monotonic()
        self._usd = 0.0
        self._tokens = 0
        self._calls = 0

    def child(self, name: str, caps: Caps) -> "Budget":
        """A narrower budget inside this one."""
        return Budget(caps, self._clock, name=f"{self.name} > {name}", parent=self)

    def remaining_seconds(self) -> float | None:
        """Time left before the nearest deadline, None when there is none; never negative."""
        own = None if self._caps.seconds is None else self._caps.seconds - (self._clock.monotonic() - self._start)
        above = self._parent.remaining_seconds() if self._parent else None
        left = [t for t in (own, above) if t is not None]
        return max(0.0, min(left)) if left else None

    def check(self) -> None:
        """Raises BudgetExhausted when the time is over."""
        if self.remaining_seconds() == 0.0:
            raise BudgetExhausted(f"{self.name}: the time budget is used up", hint="Resume with a larger --budget.")

    def reserve(self, estimate: Spend) -> "Reservation":
        """Set `estimate` aside in this budget and all above. Raises BudgetExhausted, and then nothing is set aside."""
        with self._lock:
            for budget in self._chain():
                budget.check()
                budget._refuse(estimate)
            self._spend(estimate, 1)
        return Reservation(self, estimate)

    def charge(self, spent: Spend) -> None:
        """Count what was spent before, by an earlier attempt at the same run."""
        with self._lock:
            self._spend(spent, 1)

    def _spend(self, spend: Spend, sign: int) -> None:
        for budget in self._chain():
            budget._add(spend, sign)

    def _chain(self) -> list["Budget"]:
        return [self, *(self._parent._chain() if self._parent else [])]

    def _refuse(self, estimate: Spend) -> None:
        if self._caps.usd is not None and estimate.usd is None:
            raise BudgetExhausted(f"{self.name}: the price is unknown, so a cap in money cannot be kept")
        for kind, used, more, cap in (
            ("money", self._usd, estimate.usd or 0.0, self._caps.usd),
            ("tokens", self._tokens, estimate.tokens, self._caps.tokens),
            ("calls", self._calls, estimate.calls, self._caps.calls),
        ):
            if cap is not None and used + more > cap:
                raise BudgetExhausted(
                    f"{self.name}: the budget of {cap:g} in {kind} is used up", hint="Resume with a larger --budget."
                )

    def _add(self, spend: Spend, sign: int) -> None:
        self._usd += sign * (spend.usd or 0.0)
        self._tokens += sign * spend.tokens
        self._calls += sign * spend.calls


class Reservation:
    """An estimate that counts as spent until it is settled; leaving its `with` block unsettled gives it back."""

    def __init__(self, budget: Budget, estimate: Spend) -> None:
        self._budget = budget
        self._estimate: Spend | None = estimate

    def settle(self, actual: Spend) -> None:
        """Replace the estimate by what was really spent, also when that is more."""
        if self._estimate is None:
            return
        with self._budget._lock:
            self._budget._spend(self._estimate, -1)
            self._budget._spend(actual, 1)
            self._estimate = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.settle(Spend())
