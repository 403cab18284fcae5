"""rdjson, GitLab Code Quality, JUnit and GitHub annotations."""

import json
import re
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given

from harness.render.formats import render
from harness.render.github import PER_LEVEL
from harness.schema.finding import Severity
from harness.schema.frame import Frame
from harness.schema.run import Coverage
from tests.support.reports import (
    EVERYTHING,
    HOSTILE,
    finding,
    hostile,
    incomplete,
    limit,
    report,
    sample,
    texts,
)

POSITION = {
    "type": "object", "required": ["line", "column"], "additionalProperties": False,
    "properties": {"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}},
}  # fmt: skip
DIAGNOSTIC = {
    "type": "object", "required": ["message", "location", "severity", "code"], "additionalProperties": False,
    "properties": {
        "message": {"type": "string", "minLength": 1},
        "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
        "code": {"type": "object", "required": ["value"], "properties": {"value": {"type": "string", "minLength": 1}}},
        "location": {
            "type": "object", "required": ["path", "range"], "additionalProperties": False,
            "properties": {
                "path": {"type": "string"},
                "range": {"type": "object", "required": ["start", "end"], "properties": {"start": POSITION, "end": POSITION}},
            },
        },
    },
}  # fmt: skip
RDJSON = {
    "type": "object", "required": ["source", "severity", "diagnostics"], "additionalProperties": False,
    "properties": {
        "source": {"type": "object", "required": ["name"]},
        "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
        "diagnostics": {"type": "array", "items": DIAGNOSTIC},
    },
}  # fmt: skip
"""What reviewdog's documentation of rdjson says, written down as a schema, closed against misspelt keys."""
GITLAB = {
    "type": "array",
    "items": {
        "type": "object", "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 8},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object", "required": ["path", "lines"],
                "properties": {"path": {"type": "string", "pattern": r"^(?!\./|/)"},
                               "lines": {"type": "object", "required": ["begin"]}},
            },
        },
    },
}  # fmt: skip
"""What GitLab's documentation of Code Quality reports says."""


@pytest.mark.parametrize(("name", "schema"), [("rdjson", RDJSON), ("gitlab", GITLAB)])
@pytest.mark.parametrize("one", [sample(), report(), incomplete(), *map(hostile, HOSTILE)])
def test_follows_the_documented_shape(name, schema, one):
    jsonschema.validate(json.loads(render(one, name, show=EVERYTHING)), schema)


def test_rdjson_columns_count_bytes():
    frame = Frame(path="a.py", line=1, lines=('x = "😀é"; run(x)',))
    one = report(finding(path="a.py", line=1, end_line=1, column=11, end_column=17, frames=(frame,)))
    (found,) = json.loads(render(one, "rdjson"))["diagnostics"]
    assert found["location"]["range"] == {"start": {"line": 1, "column": 15}, "end": {"line": 1, "column": 21}}


def test_rdjson_names_doubt():
    found = json.loads(render(sample(), "rdjson", show=["open"]))["diagnostics"]
    assert [d["severity"] for d in found] == ["ERROR", "WARNING", "INFO"]
    assert found[-1]["message"].startswith("UNCERTAIN: ")


def test_gitlab_is_an_array_even_when_empty():
    assert render(report(), "gitlab") == "[]\n"


def test_gitlab_fingerprints_differ_and_hold_no_line():
    issues = json.loads(render(sample(), "gitlab"))
    moved = json.loads(render(report(finding(line=99, end_line=99), limit()), "gitlab"))
    assert [i["fingerprint"] for i in issues] == [i["fingerprint"] for i in moved]
    assert len({i["fingerprint"] for i in issues}) == len(issues)


def junit(one, **choices):
    """The parsed report; its totals agree with what is in it."""
    root = ElementTree.fromstring(render(one, "junit", **choices))
    for suite in root:
        assert int(suite.get("tests")) == len(suite)
    for total, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(root.get(total)) == len(root.findall(f"testsuite/testcase/{kind}"))
    return root


def test_junit_has_results_when_nothing_is_found():
    root = junit(report())
    assert int(root.get("tests")) == 3
    assert (root.get("failures"), root.get("errors")) == ("0", "0")


def test_junit_fails_findings_only():
    root = junit(sample(), show=EVERYTHING)
    assert root.get("failures") == "2"
    assert root.get("skipped") == "4"
    assert [f.get("type") for f in root.iter("failure")] == ["medium", "high"]


def test_junit_calls_an_incomplete_run_an_error():
    messages = [e.get("message") for e in junit(incomplete()).iter("error")]
    assert messages == ["quota exhausted after 19 of 31", "check x failed on a.py"]
    assert [e.get("message") for e in junit(report(coverage=Coverage())).iter("error")] == ["no file was in scope"]


@given(text=texts)
def test_junit_is_xml_whatever_the_text(text):
    junit(hostile(text), show=EVERYTHING)


def commands(shown):
    """The workflow commands that the runner would obey."""
    found = []
    stopped = None
    for line in shown.splitlines():
        match = re.match(r"^\s*::(.*?)::(.*)$", line)
        if stopped is not None:
            stopped = None if match and match[1] == stopped else stopped
        elif match and match[1] == "stop-commands":
            stopped = match[2]
        elif match:
            found.append((match[1].split(" ")[0], match[1], match[2]))
    assert stopped is None, "commands must be obeyed again at the end"
    return found


def test_annotations_name_the_place():
    first, second = commands(render(sample(), "github"))
    assert first[0] == "error"
    assert "file=shop/export.py,line=88,endLine=88" in first[1]
    assert "col=12,endColumn=37" in first[1]
    assert "%0AFix: subprocess.run" in first[2]
    assert second[0] == "warning"


def test_at_most_ten_of_a_level_and_the_rest_is_counted():
    many = [limit(id=f"{n:04x}", fingerprint=f"{n:032x}", line=n, end_line=n, severity=s)
            for s in Severity for n in range(1, 15)]  # fmt: skip
    shown = render(report(*many), "github")
    levels = [c[0] for c in commands(shown)]
    assert all(levels.count(level) <= PER_LEVEL for level in ("error", "warning", "notice"))
    assert "13 more in the log" in shown
    assert shown.count("medium limit-disagrees") == 14


def test_an_incomplete_run_is_an_error_annotation():
    assert commands(render(incomplete(), "github"))[0][2].startswith("INCOMPLETE: quota exhausted")


@pytest.mark.parametrize("text", [*HOSTILE, "x\n::set-output name=a::b", "::add-mask::x"])
def test_audited_text_commands_nothing(text):
    shown = render(hostile(text), "github", show=EVERYTHING)
    assert {c[0] for c in commands(shown)} <= {"error", "warning", "notice"}
    assert len(commands(shown)) == 7


def test_properties_are_escaped():
    assert "file=a%2Cline=1%3A%3A.py,line=88" in render(report(finding(path="a,line=1::.py")), "github")


def test_the_token_is_not_known_in_advance():
    tokens = {re.search("::stop-commands::(.*)", render(report(finding(scenario=r)), "github"))[1] for r in "ab"}
    assert len(tokens) == 2
