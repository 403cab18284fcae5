"""What the models of a run took, from its ledger: in all, and by stage, lane and model."""

from harness.llm.accounts import account
from harness.llm.ledger import Entry, Ledger
from harness.schema.run import Spent, Usage
from harness.state import RunFolder


def usage(folder: RunFolder, confirmed: int) -> Usage:
    """The spending of a run with this many CONFIRMED findings.

    A request whose end is not recorded (a crash took it away) is a call of unknown cost. Answers that were at hand already cost
    nothing and are no calls.
    """
    entries = [e for e in Ledger(folder.usage).entries() if e.outcome != "replayed"]
    groups: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.labels.stage, entry.labels.lane, entry.spec), []).append(entry)
    whole = account(entries)
    return Usage(
        calls=whole.calls,
        input_tokens=whole.input_tokens,
        cached_tokens=whole.cached_tokens,
        output_tokens=whole.output_tokens,
        cost=whole.cost,
        known_cost=whole.known_cost,
        unpriced=whole.unpriced,
        cost_per_confirmed=round(whole.cost / confirmed, 6) if whole.cost is not None and confirmed else None,
        by=tuple(_spent(*names, groups[names]) for names in sorted(groups)),
    )


def _spent(stage: str, lane: str, model: str, entries: list[Entry]) -> Spent:
    taken = account(entries)
    return Spent(
        stage=stage,
        lane=lane,
        model=model,
        calls=taken.calls,
        input_tokens=taken.input_tokens,
        cached_tokens=taken.cached_tokens,
        output_tokens=taken.output_tokens,
        cost=taken.cost,
    )
