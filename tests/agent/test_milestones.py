"""The list is known before the start, every event carries it, and nothing that happens later mislabels a milestone."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from agent.milestones import Milestones, ReportEvent, milestones
from agent.records import Settings


def test_the_list_follows_from_the_configuration_alone() -> None:
    plain = Settings(figures=False, compile=False, rounds=0)
    assert milestones(plain, model=False, xelatex=True) == ("scan", "explore", "draft", "bib")
    full = milestones(Settings(rounds=2), model=True, xelatex=True)
    assert full == ("scan", "explore", "figures", "gap", "draft", "reflect 1", "reflect 2", "bib", "compile")
    assert "compile" not in milestones(Settings(), model=True, xelatex=False)


def test_names_are_unique_in_every_configuration() -> None:
    for figures, compile_, rounds, model, xelatex in itertools.product(
        (0, 1), (0, 1), (0, 1, 10), (False, True), (False, True)
    ):
        settings = Settings(figures=bool(figures), compile=bool(compile_), rounds=rounds)
        names = milestones(settings, model=model, xelatex=xelatex)
        assert len(set(names)) == len(names)


@given(st.data())
def test_whatever_is_skipped_every_event_has_its_own_number_and_only_the_end_fills(data: st.DataObject) -> None:
    told: list[ReportEvent] = []
    stages = milestones(Settings(rounds=3), model=True, xelatex=True)
    plan = Milestones(stages, told.append)
    for stage in stages:
        match data.draw(st.sampled_from(["done", "skip", "stop"])):
            case "done":
                plan.start(stage)
                plan.working("x")
                plan.done(stage)
            case "skip":
                plan.skip(stage, "converged")
            case _:
                plan.start(stage)
                plan.warn("trouble")
                break
    plan.end("incomplete", "why")
    assert {e.total for e in told} == {len(stages)}
    assert all(e.index == stages.index(e.stage) + 1 for e in told)
    percents = [e.percent for e in told]
    assert percents == sorted(percents)
    assert [e.kind for e in told if e.percent == 100] == ["ended"]
    assert told[0].stages == stages
