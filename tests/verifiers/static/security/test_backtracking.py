"""Which patterns a text keeps busy, counted by steps."""

import pytest

from verifiers.static.security.backtracking import bomb

EMAIL = r"^([0-9a-zA-Z]([-.\w]*[0-9a-zA-Z])*@{1}([0-9a-zA-Z][-\w]*[0-9a-zA-Z]\.)+[a-zA-Z]{2,9})$"


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"^(\w+\s?)*$", r"(a|aa)+$", r"(x+x+)+y", EMAIL])
def test_patterns_that_divide_a_text_in_many_ways(pattern: str) -> None:
    assert bomb(pattern, whole=False) is not None


@pytest.mark.parametrize(
    "pattern",
    [
        r"^(?:[a-z]+,)*$",
        r"(?:\w+\.)*\w+$",
        r"a*b*c*$",
        r"((a)+)+",
        r"(a+)+\1$",
        r"(?=a)(a+)+$",
        r"(a+",
        r"^\d{3}(-\d{4})+$",
    ],
)
def test_patterns_that_do_not_or_are_not_understood(pattern: str) -> None:
    assert bomb(pattern, whole=False) is None


def test_an_early_match_ends_the_work_unless_all_must_match() -> None:
    assert bomb(r"((a)+)+", whole=False) is None
    assert bomb(r"((a)+)+", whole=True) == "a"
