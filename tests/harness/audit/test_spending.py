"""What a run has cost, as its ledger tells it."""

from harness.audit.spending import usage
from harness.llm.ledger import Entry, Labels, Ledger
from harness.llm.messages import Usage
from harness.state import RunFolder


def entry(outcome, *, lane="security", stage="discover", cost=None, reason="", tokens=None):
    return Entry(
        at="2026-01-01T00:00:00Z", run="0001", labels=Labels(stage=stage, lane=lane), spec="openai:m", key="k", attempt=1,
        outcome=outcome, reason=reason, cost=cost, usage=Usage(input_tokens=tokens, output_tokens=1) if tokens else Usage(),
    )  # fmt: skip


def spent(folder, *entries, confirmed=2):
    ledger = Ledger(folder / "usage.jsonl")
    for one in entries:
        ledger.write(one)
    return usage(RunFolder("0001", folder), confirmed)


def test_is_counted_by_stage_lane_and_model(tmp_path):
    found = spent(
        tmp_path,
        entry("sent"), entry("complete", cost=0.5, tokens=100),
        entry("sent", lane="argued", stage="verify"), entry("truncated", lane="argued", stage="verify", cost=0.25, tokens=10),
        entry("replayed", cost=0.0),
    )  # fmt: skip
    assert [(s.stage, s.lane, s.calls, s.input_tokens, s.cost) for s in found.by] == [
        ("discover", "security", 1, 100, 0.5),
        ("verify", "argued", 1, 10, 0.25),
    ]
    assert (found.calls, found.cost, found.known_cost, found.unpriced, found.cost_per_confirmed) == (
        2,
        0.75,
        0.75,
        0,
        0.375,
    )


def test_a_call_whose_end_a_crash_took_away_has_an_unknown_cost(tmp_path):
    found = spent(tmp_path, entry("sent"), entry("sent"), entry("complete", cost=0.5, tokens=1))
    assert (found.calls, found.cost, found.known_cost, found.unpriced, found.cost_per_confirmed) == (
        2,
        None,
        0.5,
        1,
        None,
    )


def test_a_refused_call_costs_nothing_and_an_answer_that_broke_off_nobody_knows_what(tmp_path):
    refused = spent(tmp_path, entry("sent"), entry("failed", reason="RateLimited"), confirmed=0)
    assert (refused.calls, refused.cost, refused.cost_per_confirmed) == (1, 0.0, None)
    broken = spent(tmp_path, entry("sent"), entry("failed", reason="ProtocolFailure"))
    assert (broken.calls, broken.cost, broken.unpriced) == (2, None, 1)
