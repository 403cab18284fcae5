"""Every planted defect is found and confirmed, every clean twin stays clean."""

from pathlib import Path

import pytest

from tests.support.corpus import expectations, outcomes

CORPUS = Path(__file__).parent.parent / "corpus"
CASES = sorted(p for p in CORPUS.glob("*/*") if p.is_dir())


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.relative_to(CORPUS).as_posix())
def test_planted_defects_and_clean_twins(case: Path) -> None:
    expected = expectations(case)
    found = outcomes(case, case.parent.name.replace("_", "-"))
    surplus = {place: verdict for place, verdict in found.items() if place not in expected and verdict != "DISMISSED"}
    assert {place: found.get(place, "not raised") for place in expected} == expected
    assert surplus == {}
