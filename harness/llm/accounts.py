"""What a series of requests took, from the lines of `usage.jsonl`: the one place that says which cost is known."""

from collections.abc import Sequence
from typing import NamedTuple

from harness.llm.ledger import Entry

UNBILLED = frozenset(
    {"RateLimited", "Overloaded", "QuotaExhausted", "Unauthorised", "TooLong", "Rejected", "Unreachable"}
)
"""Failures that cost nothing: the provider refused, or was not reached. Others may have been paid for."""


class Account(NamedTuple):
    """What was taken."""

    calls: int = 0
    """Requests that left, those without an answer included; answers that were at hand already are none."""
    input_tokens: int = 0
    """Tokens sent, cached ones included."""
    cached_tokens: int = 0
    """Of these, read from the provider's cache."""
    output_tokens: int = 0
    """Tokens received."""
    known_cost: float = 0.0
    """US dollars of the calls whose cost is known."""
    unpriced: int = 0
    """Calls whose cost is not: no price, an answer that broke off, or an end that a crash took away."""

    @property
    def cost(self) -> float | None:
        """US dollars of all calls, None when that of any is unknown."""
        return None if self.unpriced else self.known_cost


def account(entries: Sequence[Entry]) -> Account:
    """The account of some requests. A request whose end is not recorded has an unknown cost."""
    asked = [e for e in entries if e.outcome != "replayed"]
    ended = [e for e in asked if e.outcome != "sent"]
    sent = len(asked) - len(ended)
    paid = [e for e in ended if not (e.outcome == "failed" and e.reason in UNBILLED)]
    return Account(
        calls=sent,
        input_tokens=sum(e.usage.input_tokens or 0 for e in asked),
        cached_tokens=sum(e.usage.cached_tokens or 0 for e in asked),
        output_tokens=sum(e.usage.output_tokens or 0 for e in asked),
        known_cost=round(sum(e.cost for e in paid if e.cost is not None), 6),
        unpriced=sent - len(ended) + sum(e.cost is None for e in paid),
    )
