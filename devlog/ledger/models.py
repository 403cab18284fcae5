"""What models took, by stage and model: from the `usage.jsonl` of every run, also of those that never ended."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from devlog.ledger.period import Period, day_of_text
from devlog.ledger.record import Taken
from devlog.ledger.runs import Run
from harness.llm.accounts import account
from harness.llm.ledger import Entry, Ledger
from harness.state import RunFolder

UNKNOWN = "not on record"
"""Stage of calls whose run is counted and whose usage.jsonl is gone."""


class Asked(NamedTuple):
    """What was asked of models."""

    taken: tuple[Taken, ...]
    """By stage, then model."""
    replayed: int
    """Answers that were at hand already."""
    files: int
    """usage.jsonl files read."""
    lost: int
    """Runs that asked a model and whose usage.jsonl is gone."""


def asked(runs: Sequence[Run], endless: Iterable[RunFolder], period: Period) -> Asked:
    """All of the period, by the day on which the run began; a run without an end counts by its first request."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    replayed = files = lost = 0
    elsewhere = []
    for folder, run in [*((run.folder, run) for run in runs), *((folder, None) for folder in endless)]:
        if run is not None and not period.holds(run.day):
            continue
        entries = Ledger(folder.usage).entries()
        if not entries:
            if run is not None and run.line.calls:
                lost += 1
                elsewhere.append(_by_line(run))
            continue
        if run is None and not period.holds(day_of_text(entries[0].at)):
            continue
        files += 1
        for entry in entries:
            if entry.outcome == "replayed":
                replayed += 1
            else:
                groups.setdefault((entry.labels.stage, entry.spec), []).append(entry)
    taken = [
        Taken(stage=stage, model=model, **account(entries)._asdict()) for (stage, model), entries in groups.items()
    ]
    return Asked(tuple(sorted([*taken, *elsewhere], key=lambda t: (t.stage, t.model))), replayed, files, lost)


def _by_line(run: Run) -> Taken:
    line = run.line
    return Taken(
        stage=UNKNOWN, model=line.models, calls=line.calls or 0, input_tokens=line.input_tokens or 0,
        cached_tokens=line.cached_tokens or 0, output_tokens=line.output_tokens or 0, known_cost=line.cost or 0.0,
        unpriced=line.unpriced or 0,
    )  # fmt: skip
