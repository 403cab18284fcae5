"""`harness explain` and `harness help`: offline pages."""

import json
from pathlib import Path

import jsonschema
import pytest

from harness import registry
from harness.cli.main import main
from harness.cli.topics import TOPICS
from harness.errors import ExitCode
from harness.render.formats import FORMATS, render
from harness.render.rule_page import page
from harness.render.schema import json_schema
from tests.support.reports import EVERYTHING, hostile, sample

DOCS = Path(__file__).parents[3] / "docs"


def test_without_a_rule_all_are_listed_by_group(capsys):
    assert main(["explain"]) == 0
    out = capsys.readouterr().out
    rules = registry.rules()
    assert all(f"  {rule.id} " in out for rule in rules.values())
    assert all(f"{rule.group} " in out for rule in rules.values())
    assert f"{len(rules)} rules" in out


def test_a_page_says_what_why_and_what_it_cannot_see(capsys):
    assert main(["explain", "blocking-call-in-async"]) == 0
    out = capsys.readouterr().out
    for said in ("Blocking call in async code", "Why:", "Example:", "What it cannot see:", "CWE-834",
                 "https://cwe.mitre.org/data/definitions/834.html",
                 "# harness: ignore[blocking-call-in-async] reason"):  # fmt: skip
        assert said in out


@pytest.mark.parametrize("width", [60, 100])
def test_every_rule_has_a_page(width):
    for rule in registry.rules().values():
        text = page(rule, color=False, width=width)
        assert rule.id in text
        assert text.endswith("\n")
        assert len(text.splitlines()) > 5, rule.id


def test_a_typo_names_the_nearest(capsys):
    assert main(["explain", "blocking-call-in-asinc"]) == ExitCode.USAGE
    assert "Did you mean blocking-call-in-async" in capsys.readouterr().err
    assert main(["explain", "zzzz"]) == ExitCode.USAGE
    assert "All rules: harness explain" in capsys.readouterr().err
    assert main(["explain", "1bf7"]) == ExitCode.USAGE
    assert "harness findings show 1bf7" in capsys.readouterr().err


def test_help_lists_its_topics(capsys):
    assert main(["help"]) == 0
    assert all(f"harness help {name}" in capsys.readouterr().out for name in list(TOPICS)[:1])


@pytest.mark.parametrize("name", TOPICS)
def test_every_topic_prints(name, capsys):
    assert main(["help", name]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 5


def test_every_exit_code_is_explained(capsys):
    main(["help", "exit-codes"])
    out = capsys.readouterr().out
    assert all(f"{code:>5}  " in out for code in ExitCode)


def test_every_format_is_explained(capsys):
    main(["help", "formats"])
    out = capsys.readouterr().out
    assert all(name in out for name in FORMATS)


def test_help_of_a_command_is_its_own_help(capsys):
    assert main(["help", "explain"]) == 0
    assert "Usage: harness explain" in capsys.readouterr().out
    assert main(["help", "exit-code"]) == ExitCode.USAGE
    assert "Did you mean exit-codes?" in capsys.readouterr().err


def test_the_schema_in_the_documentation_is_that_of_the_records(capsys):
    main(["help", "json-schema"])
    assert (DOCS / "report.schema.json").read_text("utf-8") == capsys.readouterr().out


@pytest.mark.parametrize("one", [sample(), hostile("x\x1b")])
def test_reports_follow_the_schema(one):
    validator = jsonschema.Draft202012Validator(json_schema())
    found = json.loads(render(one, "json", show=EVERYTHING))
    validator.validate(found)
    validator.validate(found | {"added": "later"})
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(found | {"schema_version": "harness.report/2"})
