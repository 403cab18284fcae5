import pytest

from harness.render import summary
from harness.render.formats import render
from harness.schema.run import Coverage, LaneCoverage, Skip, Spent, Usage
from tests.support.reports import finding, report, sample


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.04, "0.0 s"),
        (9.96, "10.0 s"),
        (11.2, "11 s"),
        (59.6, "1 min 00 s"),
        (200, "3 min 20 s"),
        (3725, "1 h 02 min"),
    ],
)
def test_duration(seconds, said):
    assert summary.duration(seconds) == said


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        (Usage(), "nothing spent"),
        (Usage(calls=1, input_tokens=900, output_tokens=100, cost=0.5), "1 call, 1,000 tokens, $0.50"),
        (Usage(calls=2, input_tokens=1, cost=None), "2 calls, 1 token, cost unknown (a price is missing)"),
        (Usage(calls=2, input_tokens=1, cost=0.0), "2 calls, 1 token, $0.00"),
        (
            Usage(calls=2, cost=None, known_cost=0.05, unpriced=1),
            "2 calls, 0 tokens, at least $0.0500 (1 call of unknown cost)",
        ),
        (Usage(calls=2, cost=3.0, cost_per_confirmed=1.5), "2 calls, 0 tokens, $3.00, $1.50 a confirmed finding"),
    ],
)
def test_an_unknown_price_is_never_zero(usage, said):
    assert summary.spend(usage) == said


def test_the_headline_names_models_revision_and_work_tree():
    one = sample()
    run = one.run.model_copy(update={"models": ("a:x", "b:y", "a:x"), "base": "b" * 40, "dirty": True, "config": None})
    assert summary.headline(one.model_copy(update={"run": run})) == (
        "harness 0.1.0 · a:x, b:y · 1 dimension · shop@bbbbbbb..3f2a91c (with uncommitted changes) · no config"
    )


def test_canaries_and_duplicates_are_counted():
    one = report(finding(), canaries={"planted": 6, "right": 5})
    stats = one.stats.model_copy(update={"duplicates": 3})
    said = summary.pipeline(one.model_copy(update={"stats": stats}))
    assert "3 duplicates merged" in said
    assert "canaries 5/6 right" in said


def test_a_share_needs_something_to_judge():
    assert summary.overturned(report().stats) is None
    assert "nothing to overturn" in summary.pipeline(report())


def test_gaps_are_grouped_by_reason_the_most_frequent_first():
    skipped = tuple(Skip(path=f"{n}.py", reason="does not parse") for n in range(5))
    lanes = (
        LaneCoverage(auditor="a", dimension="d", status="done", skipped=(*skipped, Skip(path="z", reason="binary"))),
        LaneCoverage(auditor="b", dimension="d", status="done", skipped=skipped),
        LaneCoverage(auditor="c", dimension="d", status="planned"),
    )
    one = report(coverage=Coverage(files=9, lines=9, lanes=lanes))
    assert summary.gaps(one) == [
        "lane c (d) planned: no reason given",
        "not analysed, does not parse: 0.py, 1.py, 2.py and 2 more",
        "not analysed, binary: z",
    ]
    assert summary.coverage(one) == "coverage 3/9 files, 9 lines, 2/3 lanes"


def test_a_lane_that_could_not_look_at_the_project_leaves_out_no_file():
    lane = LaneCoverage(
        auditor="tests-run", dimension="tests", status="done", skipped=(Skip(path=".", reason="no tests"),)
    )
    one = report(coverage=Coverage(files=3, lines=9, lanes=(lane,)))
    assert summary.coverage(one) == "coverage 3/3 files, 9 lines, 1 lane"
    assert "<b>3<em>/3</em></b><span>files analysed" in render(one, "html")
    assert "not analysed: no tests" in render(one, "sarif")


def test_what_each_lane_took_stands_in_every_footer():
    spent = Spent(
        stage="verify", lane="argued", model="openai:m", calls=3, input_tokens=900, output_tokens=100, cost=0.25
    )
    report = sample().model_copy(update={"usage": Usage(calls=3, cost=0.25, by=(spent,))})
    for format_ in ("text", "markdown", "html"):
        shown = " ".join(render(report, format_).replace("\\", "").split())
        assert "verify argued, openai:m: 3 calls, 1,000 tokens, $0.25" in shown, format_


def test_what_was_skipped_as_a_whole_is_no_file():
    whole = Skip(path=".", reason="the tests cannot be run here")
    lane = LaneCoverage(auditor="tests-coverage", dimension="tests", status="done", planned=2, skipped=(whole,))
    one = report().model_copy(update={"coverage": Coverage(files=2, lines=9, lanes=(lane,))})
    assert summary.coverage(one) == "coverage 2/2 files, 9 lines, 1 lane"
    assert summary.gaps(one) == ["not analysed, the tests cannot be run here"]
