import datetime
import json

import pytest
from hypothesis import given

from harness.render.formats import render
from harness.render.json import in_order, text
from harness.render.jsontext import dumps
from harness.schema.run import Report
from tests.support.reports import hostile, sample, texts

SPEC = {
    "": ["schema_version", "run", "findings", "coverage", "stats", "canaries", "usage"],
    "run": ["id", "status", "reason", "base", "head", "models", "started", "seconds"],
    "findings": ["id", "fingerprint", "dimension", "rule", "cwe", "severity", "path", "line", "end_line", "symbol", "quote",
                 "scenario", "fix", "verdict", "tier", "evidence", "waiver"],
    "evidence": ["tier", "kind", "summary", "detail", "sha256"],
    "stats": ["raised", "admitted", "rejected", "confirmed", "uncertain", "dismissed", "unverified", "by_dimension"],
    "usage": ["calls", "input_tokens", "cached_tokens", "output_tokens", "cost"],
}  # fmt: skip
"""Keys that scripts depend on."""


def parts(report):
    one = report["findings"][0]
    return {"": report, "findings": one, "evidence": one["evidence"][0]} | {
        k: report[k] for k in ("run", "stats", "usage")
    }


@pytest.mark.parametrize("part", SPEC)
def test_has_the_promised_keys_in_order(part):
    found = parts(json.loads(render(sample(), "json")))[part]
    assert [k for k in found if k in SPEC[part]] == sorted(SPEC[part], key=list(found).index)
    assert set(SPEC[part]) <= set(found)


def test_comes_back_as_the_same_report():
    assert Report.model_validate_json(render(sample(), "json")) == sample()


def test_equal_reports_give_equal_bytes_whatever_the_order_of_tables():
    one = sample()
    stats = one.stats.model_copy(
        update={"by_dimension": dict(reversed([*one.stats.by_dimension.items(), ("a", one.stats)]))}
    )
    other = one.stats.model_copy(update={"by_dimension": {"a": one.stats, **one.stats.by_dimension}})
    first = render(one.model_copy(update={"stats": stats}), "json")
    assert first == render(one.model_copy(update={"stats": other}), "json")


def test_time_is_utc():
    assert json.loads(render(sample(), "json"))["run"]["started"] == "2026-06-10T12:00:00Z"


@given(odd=texts)
def test_keeps_every_text_and_prints_none_that_steers(odd):
    shown = render(hostile(odd), "json")
    found = json.loads(shown)["findings"][0]
    assert found["scenario"] == odd
    assert found["frames"][0]["lines"][0] == odd
    assert not {c for c in shown if not c.isprintable() and c not in "\n\u3000" and not c.isspace() and ord(c) < 0xA0}
    assert "\u202e" not in shown


@pytest.mark.parametrize("c", ["\x7f", "\x9b", "\u202e", "\U000e0041", "\ufeff", "\ud800"])
def test_escapes_round_trip(c):
    assert dumps(c).isascii()
    assert json.loads(dumps(c)) == c


@pytest.mark.parametrize("one", [sample(), hostile("é\x1b\x7f\u202e"), hostile("")])
def test_both_ways_to_write_agree(one):
    ordered = in_order(one)
    assert text(one, indent=2) == dumps(ordered.model_dump(mode="json"), indent=2)
    assert text(one) == dumps(ordered.model_dump(mode="json"), indent=None)


def test_a_lone_surrogate_is_kept():
    assert json.loads(render(hostile("\ud800"), "json"))["findings"][0]["scenario"] == "\ud800"
    assert len(render(hostile("\ud800"), "jsonl").splitlines()) == 8


def test_other_languages_stay_readable():
    assert dumps("報告 é") == '"報告 é"'


def test_json_lines_hold_the_same_records():
    lines = [json.loads(line) for line in render(sample(), "jsonl").splitlines()]
    whole = json.loads(render(sample(), "json"))
    assert [line["type"] for line in lines] == ["run", *["finding"] * 6, "summary"]
    assert [line["finding"] for line in lines[1:-1]] == whole["findings"]
    assert lines[0] == {"type": "run", "schema_version": whole["schema_version"], "run": whole["run"]}
    assert {k: lines[-1][k] for k in ("coverage", "stats", "canaries", "usage")} == {
        k: whole[k] for k in ("coverage", "stats", "canaries", "usage")
    }


@given(odd=texts)
def test_json_lines_break_nowhere_else(odd):
    assert all(json.loads(line) for line in render(hostile(odd), "jsonl").split("\n")[:-1])


def test_a_date_of_a_waiver_is_a_plain_date():
    waivers = [f["waiver"] for f in json.loads(render(sample(), "json"))["findings"] if f["waiver"]]
    assert datetime.date.fromisoformat(waivers[0]["until"]) == datetime.date(2026, 9, 1)
