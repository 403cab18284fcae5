"""`trace.json`: how a report came to be, for people who check it and programs that count."""

import json
from collections.abc import Iterable
from typing import Literal

from agent.material import Gap
from agent.milestones import ReportEvent
from agent.records import BibEntry, Change, Compiled, CriticItem, Exploration, GateDecision, Quantity, Settings
from harness.llm.ledger import Entry
from harness.schema.base import Record


class StageTrace(Record):
    """What became of a milestone."""

    stage: str
    """Its name."""
    index: int
    """Its number."""
    total: int
    """Of how many."""
    outcome: Literal["done", "skipped", "stopped"]
    """Stopped: it was begun and did not end."""
    note: str = ""
    """What it said last."""


class TierUsage(Record):
    """What one stage asked of models."""

    stage: str
    """Stage of the run."""
    tier: str
    """cheap or main."""
    calls: int
    """Answers paid for."""
    input_tokens: int
    """Sent, cached ones included."""
    output_tokens: int
    """Received."""
    cost: float | None
    """US dollars, None when one of them is unknown."""


class Trace(Record):
    """One report."""

    schema_version: Literal["harness.report-trace/1"] = "harness.report-trace/1"
    version: str
    """Version of harness."""
    session: str
    """Number of the session."""
    data: str
    """Name of the data folder."""
    material: str
    """Digest of its content."""
    settings: Settings
    """What was asked for."""
    models: tuple[str, ...]
    """Models by tier, cheap and main; empty offline."""
    xelatex: str
    """Version that compiled, '' when nothing was compiled."""
    status: Literal["complete", "incomplete"]
    """How it ended."""
    reasons: tuple[str, ...]
    """Why it is incomplete."""
    stages: tuple[StageTrace, ...]
    """Every milestone that was begun."""
    exploration: Exploration
    """What reading the folder brought; without the texts themselves."""
    read: tuple[str, ...]
    """Files whose text was used."""
    explore_requests: int
    """Questions the exploration took."""
    gaps: tuple[Gap, ...]
    """What the material does not hold."""
    drafted_by: Literal["model", "rules"]
    """Who wrote the first draft."""
    draft_problems: tuple[str, ...]
    """What was wrong with tries that failed."""
    critiques: tuple[tuple[CriticItem, ...], ...]
    """Changes asked for, by round."""
    reflect_gate: tuple[GateDecision, ...]
    """What the regression gate said, by round."""
    changes: tuple[Change, ...]
    """What sanitiser and repairs changed."""
    repairs: tuple[str, ...]
    """What became of repairs by a model."""
    compiled: Compiled | None
    """The last compilation, None when nothing was compiled."""
    quantities: tuple[Quantity, ...]
    """Where the printed numbers come from."""
    sources: tuple[BibEntry, ...]
    """What may be cited."""
    usage: tuple[TierUsage, ...]
    """What models were asked, empty offline."""

    def to_json(self) -> str:
        """As it is written."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"


def stages_of(events: Iterable[ReportEvent]) -> tuple[StageTrace, ...]:
    """What became of every milestone that was begun; of one that was begun twice, the last word holds."""
    found: dict[str, StageTrace] = {}
    for event in events:
        if event.kind in ("started", "done", "skipped"):
            outcome: Literal["done", "skipped", "stopped"] = (
                "done" if event.kind == "done" else "skipped" if event.kind == "skipped" else "stopped"
            )
            found[event.stage] = StageTrace(
                stage=event.stage, index=event.index, total=event.total, outcome=outcome, note=event.note
            )
    return tuple(sorted(found.values(), key=lambda s: s.index))


def usage_of(entries: Iterable[Entry]) -> tuple[TierUsage, ...]:
    """What was paid, by stage and tier."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        if entry.outcome not in ("sent", "replayed", "failed"):
            groups.setdefault((entry.labels.stage, entry.labels.lane), []).append(entry)
    return tuple(
        TierUsage(
            stage=stage, tier=tier, calls=len(group), input_tokens=sum(e.usage.input_tokens or 0 for e in group),
            output_tokens=sum(e.usage.output_tokens or 0 for e in group),
            cost=None if any(e.cost is None for e in group) else sum(e.cost or 0.0 for e in group),
        )
        for (stage, tier), group in groups.items()
    )  # fmt: skip
