import random

import pytest

from harness.audit.dedupe import grouped
from harness.audit.discover import Raised
from harness.schema.finding import Claim, Severity
from harness.schema.location import Location, RelatedLocation


def raised(
    auditor="a", rule="r", line=5, end_line=None, column=1, cwe=None, symbol="f", path="x.py", scenario=None, **more
):
    at = Location(path=path, line=line, end_line=end_line or line, column=column)
    words = scenario if scenario is not None else f"{rule} {rule}1 {rule}2 of"
    return Raised(
        Claim(
            rule=rule,
            severity=Severity.LOW,
            location=at,
            quote="q",
            scenario=words,
            fix="f",
            symbol=symbol,
            cwe=cwe,
            **more,
        ),
        auditor,
    )


def sizes(*claims):
    return [len(group) for group in grouped(list(claims))]


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"auditor": "b"}, "the same rule from another auditor"),
        ({"auditor": "b", "rule": "t:B1", "kind": "r"}, "the same kind under another rule"),
        ({"auditor": "b", "rule": "t:B1", "cwe": 78}, "the same weakness under another rule"),
        ({"auditor": "b", "line": 4, "end_line": 5}, "half of the lines shared"),
        ({}, "one auditor in two dimensions"),
        ({"auditor": "b", "rule": "t:B1", "scenario": "r r1 r2 of"}, "the same words"),
    ],
)
def test_claims_of_one_defect_are_merged(other, why):
    assert sizes(raised(cwe=78), raised(**{"cwe": None if "rule" in other else 78, **other})) == [2], why


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"auditor": "b", "rule": "s", "cwe": None}, "another kind, other words"),
        ({"auditor": "b", "rule": "s", "cwe": 79}, "another weakness"),
        ({"auditor": "b", "symbol": "g"}, "another function"),
        ({"auditor": "b", "path": "y.py"}, "another file"),
        ({"auditor": "b", "line": 1, "end_line": 40}, "a whole function against one line of it"),
        ({"auditor": "b", "line": 6}, "the next line"),
        ({"column": 9}, "one auditor saw two places in a line"),
        ({"facts": {"sink": "eval"}}, "one auditor saw two things at a place"),
    ],
)
def test_claims_of_two_defects_stay_two(other, why):
    assert sizes(raised(cwe=78), raised(**{"cwe": 78, **other})) == [1, 1], why


@pytest.mark.parametrize(
    ("role", "auditor", "expected"),
    [("definition", "b", [2]), ("step", "b", [1, 1]), ("definition", "a", [1, 1])],
)
def test_who_names_the_place_of_another_as_its_definition_is_one_with_it(role, auditor, expected):
    made = raised(rule="t:B006", line=1, column=20)
    harm = raised(
        auditor=auditor,
        rule="changed",
        line=8,
        related=(RelatedLocation(role=role, location=made.claim.location),),
    )
    assert sizes(made, harm) == expected


def test_two_changes_of_one_default_stay_two_and_take_its_claim_once():
    made = raised(rule="t:B006", line=1, column=20)
    related = (RelatedLocation(role="definition", location=made.claim.location),)
    harm = [raised(auditor="b", rule="changed", line=line, related=related) for line in (8, 9)]
    assert sizes(made, *harm) == [2, 1]


def test_two_unknown_weaknesses_are_not_one():
    assert sizes(raised(rule="a"), raised(auditor="b", rule="b")) == [1, 1]


def test_hundreds_of_claims_of_one_line_are_grouped_the_same_way_every_time():
    claims = [raised(auditor=f"a{n % 7}", rule=f"r{n % 5}", line=n // 20 + 1) for n in range(200)]
    expected = grouped(claims)
    assert sum(map(len, expected)) == 200
    random.Random(1).shuffle(shuffled := list(claims))
    assert grouped(sorted(shuffled, key=claims.index)) == expected


def test_two_readers_who_name_two_weaknesses_at_one_place_saw_two_defects():
    def read(dimension, cwe):
        one = raised(
            auditor="model", rule=f"model:{dimension}", cwe=cwe, kind="model-claim", scenario=f"{dimension} says so"
        )
        return one._replace(claim=one.claim.model_copy(update={"dimension": dimension}))

    assert sizes(read("concurrency", 362), read("security", 862)) == [1, 1]
    assert sizes(read("concurrency", 362), read("data-integrity", 362)) == [2]
    assert sizes(read("concurrency", 362), read("data-integrity", None)) == [2]
