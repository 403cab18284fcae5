import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings

from harness.render import sarif
from harness.render.formats import render
from harness.schema.finding import Severity
from harness.schema.frame import Frame
from harness.schema.location import Location, RelatedLocation
from harness.schema.run import Coverage
from harness.schema.waiver import WaiverKind
from tests.support.reports import (
    EVERYTHING,
    HOSTILE,
    RULES,
    finding,
    hostile,
    incomplete,
    limit,
    report,
    sample,
    texts,
    waiver,
)

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-schema-2.1.0.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


def log(one, **choices):
    """The run of a rendered log, checked against the errata 01 schema and what code scanning requires beyond it."""
    shown = json.loads(render(one, "sarif", rules=RULES, **choices))
    assert SCHEMA["id"] == shown["$schema"]
    VALIDATOR.validate(shown)
    (run,) = shown["runs"]
    for rule in run["tool"]["driver"]["rules"]:
        for part in ("shortDescription", "fullDescription", "help"):
            assert rule[part]["text"]
        assert len(rule["shortDescription"]["text"]) <= 1024
        assert len(rule["fullDescription"]["text"]) <= 1024
    for result in run["results"]:
        assert result["message"]["text"]
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        for place in result["locations"]:
            assert {"startLine", "startColumn", "endLine", "endColumn"} <= set(place["physicalLocation"]["region"])
    return run


def test_active_findings_only_for_upload():
    run = log(sample())
    assert [r["properties"]["harness/id"] for r in run["results"]] == ["3c1f", "9b20"]
    assert [r["level"] for r in run["results"]] == ["error", "warning"]
    assert not any("suppressions" in r for r in run["results"])
    assert run["columnKind"] == "utf16CodeUnits"
    assert run["automationDetails"]["id"] == "harness/audit/"
    assert run["invocations"][0]["executionSuccessful"] is True


def test_an_archive_holds_everything_with_suppressions():
    results = {r["properties"]["harness/id"]: r for r in log(sample(), show=EVERYTHING)["results"]}
    assert len(results) == 6
    assert results["3c1f"]["suppressions"] == []
    assert (results["77aa"]["kind"], results["77aa"]["level"]) == ("open", "none")
    assert results["5eed"]["suppressions"][0]["kind"] == "inSource"
    assert results["aced"]["suppressions"] == [
        {"kind": "external", "status": "underReview",
         "justification": "defer: after the release (Ada, 2026-06-01, until 2026-09-01)"}
    ]  # fmt: skip
    assert results["d15c"]["suppressions"][0]["justification"] == "refuted: A guard dominates the sink."


def test_an_accepted_waiver_is_accepted():
    one = report(finding(waiver=waiver(kind=WaiverKind.ACCEPT)))
    assert log(one, show=["settled"])["results"][0]["suppressions"][0]["status"] == "accepted"


def test_identity_is_ours_and_code_scannings():
    first = log(sample())["results"][0]
    assert first["partialFingerprints"] == {
        "harness/v1": finding().fingerprint,
        "primaryLocationLineHash": "c129715d7a2bc9a3:1",
    }


def test_columns_count_utf16_units():
    frame = Frame(path="a.py", line=1, lines=('x = "😀é"; run(x)',))
    one = finding(path="a.py", line=1, end_line=1, column=11, end_column=17, frames=(frame,), related=())
    region = log(report(one))["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 12, "endLine": 1, "endColumn": 18}


def test_a_flow_goes_from_the_source_to_the_finding():
    flow = log(sample())["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [s["location"]["physicalLocation"]["region"]["startLine"] for s in flow] == [87, 88]


def test_a_sibling_is_related_and_no_flow():
    at = Location(path="b.py", line=2, end_line=2)
    one = log(report(finding(related=(RelatedLocation(role="sibling", location=at, message="has [the](guard)"),))))
    (result,) = one["results"]
    assert "codeFlows" not in result
    assert result["relatedLocations"][0]["message"]["text"] == "has [the\\](guard)"


def test_paths_are_uris_byte_by_byte():
    one = log(report(finding(path="a dir/\\x1b[2J#1%/é:b.py", frames=(), related=())))
    uri = one["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "a%20dir/%1B%5B2J%231%25/%C3%A9%3Ab.py"


@pytest.mark.parametrize("severity", Severity)
def test_security_rules_have_a_security_severity(severity):
    rules = log(report(finding(severity=severity), limit(severity=severity)))["tool"]["driver"]["rules"]
    assert "security-severity" in rules[0]["properties"]
    assert "problem.severity" in rules[1]["properties"]
    assert "external/cwe/cwe-078" in rules[0]["properties"]["tags"]


def test_an_incomplete_run_is_no_success():
    invocation = log(incomplete())["invocations"][0]
    assert invocation["executionSuccessful"] is False
    said = [n["message"]["text"] for n in invocation["toolExecutionNotifications"]]
    assert said[0] == "incomplete: quota exhausted after 19 of 31"
    assert "lane docs-checks (docs) failed: check x failed on a.py" in said


def test_limits_keep_the_most_severe(monkeypatch):
    monkeypatch.setattr(sarif, "RESULTS", 2)
    many = [limit(id=f"{n:04x}", fingerprint=f"{n:032x}", line=n, end_line=n) for n in range(1, 5)]
    run = log(report(*many, finding()))
    assert [r["properties"]["harness/id"] for r in run["results"]] == ["3c1f", "0001"]
    assert (
        "3 results of lower severity were left out"
        in run["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"]
    )


def test_nothing_found_is_a_run_without_results():
    run = log(report(coverage=Coverage()))
    assert run["results"] == []
    assert run["invocations"][0]["toolExecutionNotifications"] == [
        {"level": "warning", "message": {"text": "no file was in scope"}}
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_valid(text):
    log(hostile(text), show=EVERYTHING)


@settings(max_examples=20)
@given(text=texts)
def test_any_text_stays_valid(text):
    log(hostile(text), show=EVERYTHING)
