"""What the models of a run took, from its ledger: in all, and by stage, lane and model."""

from collections.abc import Sequence

from harness.llm.ledger import Entry, Ledger
from harness.schema.run import Spent, Usage
from harness.state import RunFolder

UNBILLED = frozenset(
    {"RateLimited", "Overloaded", "QuotaExhausted", "Unauthorised", "TooLong", "Rejected", "Unreachable"}
)
"""Failures that cost nothing: the provider refused, or was not reached. Others may have been paid for."""


def usage(folder: RunFolder, confirmed: int) -> Usage:
    """The spending of a run with this many CONFIRMED findings.

    A request whose end is not recorded (a crash took it away) is a call of unknown cost. Answers that were at hand already cost
    nothing and are no calls.
    """
    entries = [e for e in Ledger(folder.path / "usage.jsonl").entries() if e.outcome != "replayed"]
    groups: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.labels.stage, entry.labels.lane, entry.spec), []).append(entry)
    by = tuple(_spent(*names, groups[names]) for names in sorted(groups))
    known, unpriced = _cost(entries)
    cost = None if unpriced else known
    return Usage(
        calls=sum(s.calls for s in by),
        input_tokens=sum(s.input_tokens for s in by),
        cached_tokens=sum(s.cached_tokens for s in by),
        output_tokens=sum(s.output_tokens for s in by),
        cost=cost,
        known_cost=known,
        unpriced=unpriced,
        cost_per_confirmed=round(cost / confirmed, 6) if cost is not None and confirmed else None,
        by=by,
    )


def _spent(stage: str, lane: str, model: str, entries: Sequence[Entry]) -> Spent:
    known, unpriced = _cost(entries)
    return Spent(
        stage=stage,
        lane=lane,
        model=model,
        calls=sum(e.outcome == "sent" for e in entries),
        input_tokens=sum(e.usage.input_tokens or 0 for e in entries),
        cached_tokens=sum(e.usage.cached_tokens or 0 for e in entries),
        output_tokens=sum(e.usage.output_tokens or 0 for e in entries),
        cost=None if unpriced else known,
    )


def _cost(entries: Sequence[Entry]) -> tuple[float, int]:
    """(dollars of calls whose cost is known, number of the others)."""
    ended = [e for e in entries if e.outcome != "sent"]
    lost = sum(e.outcome == "sent" for e in entries) - len(ended)
    paid = [e for e in ended if not (e.outcome == "failed" and e.reason in UNBILLED)]
    known = sum(e.cost for e in paid if e.cost is not None)
    return round(known, 6), lost + sum(e.cost is None for e in paid)
