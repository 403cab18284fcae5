import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.audit.fingerprint import fingerprints, normalised, short_ids
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location
from tests.support.trees import project_of

RULE = Rule(id="shell", group="security", title="Shell", severity=Severity.HIGH)
BEFORE = 'import os\n\n\ndef run(name):\n    os.system("tar " + name)\n'


def claims_in(project, path="a.py"):
    """A claim about each call of `os.system`."""
    module = project.module(path)
    return [
        module.claim(RULE, call, scenario=f"s{call.lineno}", fix="f")
        for call in module.nodes(ast.Call)
        if module.resolve(call.func) == "os.system"
    ]


def prints_of(root, text, path="a.py"):
    project = project_of(root, {path: text})
    return fingerprints(claims_in(project, path), project)


@pytest.mark.parametrize(
    "after",
    [
        "# a line\n" * 7 + BEFORE,
        BEFORE.replace("def run", "def other():\n    return 1\n\n\ndef run"),
        BEFORE.replace('os.system("tar " + name)', 'os.system(  "tar "+name )  # why'),
        BEFORE.replace('os.system("tar " + name)', 'os.system(\n        "tar " + name,\n    )'),
        BEFORE.replace('"tar "', "'tar '"),
        BEFORE.replace("\n", "\r\n"),
        BEFORE.replace("    os", "    if name:\n        os"),
    ],
)
def test_survives_what_does_not_change_the_code(tmp_path, after):
    assert prints_of(tmp_path / "1", BEFORE) == prints_of(tmp_path / "2", after)


@pytest.mark.parametrize(
    "after",
    [
        BEFORE.replace("+ name", "+ quote(name)"),
        BEFORE.replace('"tar "', '"tar  "'),
        BEFORE.replace("def run", "def walk"),
    ],
)
def test_changes_with_the_code(tmp_path, after):
    assert prints_of(tmp_path / "1", BEFORE) != prints_of(tmp_path / "2", after)


def test_a_claim_about_a_comment_is_about_its_words(tmp_path):
    def print_of(root, comment):
        project = project_of(root, {"a.py": f"X = 1\n# {comment}\n"})
        at = Location(path="a.py", line=2, end_line=2)
        claim = Claim(
            rule="r", severity=Severity.LOW, location=at, quote=f"# {comment}", scenario="s", fix="f", facts={}
        )
        return fingerprints([claim], project)

    assert print_of(tmp_path / "1", "all is well") == print_of(tmp_path / "2", "all is well")
    assert print_of(tmp_path / "3", "all is well") != print_of(tmp_path / "4", "nothing is well")


def test_equal_code_is_told_apart_by_occurrence(tmp_path):
    twice = BEFORE + '    os.system("tar " + name)\n'
    first, second = prints_of(tmp_path / "2", twice)
    assert first != second
    assert [first] == prints_of(tmp_path / "1", BEFORE)


def test_one_place_raised_twice_is_one_finding(tmp_path):
    project = project_of(tmp_path, {"a.py": BEFORE})
    claim = claims_in(project)[0]
    assert len(set(fingerprints([claim, claim], project))) == 1


def test_two_facts_of_one_place_are_two_findings(tmp_path):
    project = project_of(tmp_path, {"README.md": "run `a --x --y`\n"})
    at = Location(path="README.md", line=1, end_line=1)
    claims = [
        Claim(rule="r", severity="low", location=at, quote="q", scenario="s", fix="f", facts={"option": option})
        for option in ("--x", "--y", "--x")
    ]
    first, second, again = fingerprints(claims, project)
    assert first == again != second


def test_order_of_claims_does_not_matter(tmp_path):
    project = project_of(tmp_path, {"a.py": BEFORE + '    os.system("tar " + name)\n'})
    claims = claims_in(project)
    assert fingerprints(claims[::-1], project) == fingerprints(claims, project)[::-1]


@given(st.lists(st.sampled_from(["", "# note", "x = 1", "    ", "def f(): pass"]), max_size=20))
def test_stable_under_lines_inserted_above(tmp_path_factory, lines):
    after = "\n".join([*lines, BEFORE])
    assert prints_of(tmp_path_factory.mktemp("after"), after) == prints_of(tmp_path_factory.mktemp("before"), BEFORE)


@given(st.text())
def test_normalising_never_fails_on_odd_text(text):
    assert not normalised(text).startswith(" ")


@given(
    st.lists(st.sampled_from(["name", "(", "+", "1", "'a b'", "."]), min_size=1), st.sampled_from([" ", "\n", "\t\n "])
)
def test_white_space_between_tokens_does_not_matter(tokens, gap):
    assert normalised(gap.join(tokens)) == normalised(" ".join(tokens))


def test_short_ids_are_unique_prefixes():
    ids = short_ids(["abcd1111", "abcd2222", "ffff0000", "ffff0000"])
    assert ids == {"abcd1111": "abcd1", "abcd2222": "abcd2", "ffff0000": "ffff"}
