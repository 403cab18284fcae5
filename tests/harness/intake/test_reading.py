"""Logs as they come: whatever they hold, every result becomes one claim or one refusal, and nothing raises."""

import copy
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.files import encode_path
from harness.intake import sarif
from harness.intake.claims import from_results
from harness.intake.kinds import candidates
from harness.intake.loose import items
from harness.intake.paths import Paths, Refused
from harness.intake.places import placed
from harness.intake.result import Region
from tests.support import scanner_logs as logs
from tests.support.trees import project_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
LOGS = [logs.bandit(), logs.codeql(), logs.semgrep(), logs.snyk(), logs.ruff("/elsewhere")]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    return project_of(tmp_path_factory.mktemp("shop"), {"app.py": logs.APP, logs.SNYK_FILE: logs.SNYK_TEXT})


def _damaged(value, chance, odd):
    """The same, with some values replaced by others."""
    if chance.random() < 0.06:
        return odd
    if isinstance(value, dict):
        return {k: _damaged(v, chance, odd) for k, v in value.items() if chance.random() > 0.03}
    return [_damaged(v, chance, odd) for v in value] if isinstance(value, list) else value


@given(which=st.sampled_from(LOGS), odd=JSON, seed=st.integers(0, 10_000))
def test_damaged_logs_lose_no_result_and_raise_nothing(shop, which, odd, seed):
    log = _damaged(copy.deepcopy(which), random.Random(seed), odd)
    log = log if isinstance(log, dict) else {}
    expected = sum(len(items(run, "results")) for run in items(log, "runs"))
    brought = list(from_results(list(sarif.results(log)), shop))
    assert len(brought) == expected
    for one in brought:
        path = one.claim.location.path
        assert one.refusal or path in shop.entries
        assert one.refusal or one.claim.location.line <= len(shop.lines(path))


@given(uri=st.text(max_size=60) | st.text("./%2eEaA:\\file ", max_size=40))
def test_no_uri_leads_out(uri):
    try:
        path = Paths([uri], "/srv/shop", ("app.py",)).path(uri)
    except Refused:
        return
    parts = path.split("/")
    assert parts[0]
    assert ".." not in parts


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("app.py", "app.py"),
        ("./a/../app.py", "app.py"),
        ("file:///srv/shop/app.py", "app.py"),
        ("file:/srv/shop/app.py", "app.py"),
        ("file://localhost/srv/shop/app.py", "app.py"),
        ("/srv/shop/app.py", "app.py"),
        ("a%20b/%C3%A9.py", "a b/é.py"),
        ("sub\\app.py", "sub/app.py"),
        ("file:///C:/work/shop/sub/app.py", "sub/app.py"),
        ("C:\\work\\shop\\sub\\app.py", "sub/app.py"),
        ("%ff.py", encode_path(b"\xff.py")),
        ("gone.py", "gone.py"),
    ],
)
def test_uris_of_all_sorts(uri, path):
    entries = ("app.py", "a b/é.py", "sub/app.py", encode_path(b"\xff.py"))
    uris = [uri, "file:///C:/work/shop/app.py"]
    assert Paths(uris, "/srv/shop", entries).path(uri) == path


def test_the_root_of_another_machine_is_the_one_most_results_agree_on():
    uris = ["/ci/x/shop/a/app.py", "/ci/x/shop/b.py", "/ci/x/shop/app.py"]
    paths = Paths(uris, "/srv/shop", ("a/app.py", "app.py", "b.py"))
    assert [paths.path(u) for u in uris] == ["a/app.py", "b.py", "app.py"]
    with pytest.raises(Refused, match="outside"):
        paths.path("/etc/app.py")


def _region(**more):
    return Region(
        **({"uri": "", "line": None, "end_line": None, "column": None, "end_column": None, "snippet": ""} | more)
    )


@pytest.mark.parametrize(
    ("region", "shown"),
    [
        (_region(line=1), (1, 1, 1, None)),
        (_region(line=1, column=3, end_column=5), (1, 3, 1, 5)),
        (_region(line=2, column=2, end_column=3), (2, 2, 2, 3)),  # the emoji is two units of UTF-16
        (_region(line=2, column=4, end_column=5), (2, 3, 2, 4)),
        (_region(line=1, end_line=2, end_column=1), (1, 1, 1, None)),  # "to the start of the next line"
        (_region(line=1, column=5, end_column=2), (1, 5, 1, None)),
        (_region(line=0, column=0), (1, 1, 1, None)),
        (_region(line=99), (99, 1, 99, None)),
        (_region(line=1, end_line=99), (1, 1, 2, None)),
        (_region(offset=8), (2, 1, 2, None)),
        (_region(), (1, 1, 1, None)),
    ],
)
def test_regions_in_our_counting(region, shown):
    at = placed(region, "a.py", ["first x", "a🎉b"], utf16=True).location
    assert (at.line, at.column, at.end_line, at.end_column) == shown


def test_a_snippet_that_is_part_of_the_line_quotes_the_line():
    assert placed(_region(line=1, snippet="irst\n"), "a.py", ["first x"], utf16=True).quote == "first x"
    assert placed(_region(line=1, snippet="second"), "a.py", ["first x"], utf16=True).quote == "second"


@pytest.mark.parametrize(
    ("tool", "rule", "cwes", "kinds"),
    [
        ("bandit", "B602", (78,), ["command-injection"]),
        ("bandit", "B607", (78,), []),  # one CWE, another claim
        ("ruff", "S608", (), ["sql-injection"]),
        ("ruff", "F821", (), []),
        ("codeql", "py/sql-injection", (20, 89), ["sql-injection"]),
        ("semgrep-oss", "x", (327, 328), ["weak-hash"]),
        ("some-bot", "x", (476,), []),
    ],
)
def test_what_a_result_may_be(tool, rule, cwes, kinds):
    assert [k.name for k in candidates(tool, rule, cwes)] == kinds


def test_a_cwe_at_a_call_that_it_is_not_about_stays_what_it_is(tmp_path):
    """A constant argument refutes an injection, not every claim that is filed under its number."""
    project = project_of(tmp_path, {"a.py": "import shutil\n\n\ndef f():\n    shutil.which('ls')\n"})
    result = {
        "ruleId": "untrusted-search-path", "message": {"text": "PATH decides."},
        "locations": [logs.place("a.py", logs.region(5))],
        "taxa": [{"id": "78", "toolComponent": {"name": "CWE"}}],
    }  # fmt: skip
    log = logs.log({"tool": {"driver": {"name": "Bot"}}, "results": [result]})
    (one,) = from_results(list(sarif.results(log)), project)
    assert (one.claim.cwe, one.claim.claim_kind, one.claim.facts) == (
        78, "bot:untrusted-search-path", {"told": "CWE-78"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("call", "cwe", "kind"),
    [
        ("requests.get(u, verify=False)", 295, "certificate-check-off"),
        ("requests.get(u)", 295, "bot:r"),  # nothing is switched off: no verifier of ours asks for the switch
        ("hashlib.md5(u)", 327, "weak-hash"),
        ("DES.new(u)", 327, "bot:r"),  # a cipher under the same number
        ("random.random()", 330, "weak-randomness"),
        ("requests.get(u)", 918, "server-side-request-forgery"),
        ("urllib.request.Request(u)", 918, "server-side-request-forgery"),
        ("urllib.parse.urlsplit(u)", 918, "bot:r"),  # nothing is asked for
    ],
)
def test_only_what_the_kind_is_about_is_of_the_kind(tmp_path, call, cwe, kind):
    imports = "import hashlib, random, requests, urllib.parse, urllib.request\nfrom Crypto.Cipher import DES\n"
    text = f"{imports}\n\ndef f(u):\n    return {call}\n"
    project = project_of(tmp_path, {"a.py": text})
    result = {
        "ruleId": "r", "message": {"text": "Bad."}, "locations": [logs.place("a.py", logs.region(6))],
        "properties": {"tags": [f"CWE-{cwe}"]},
    }  # fmt: skip
    (one,) = from_results(
        list(sarif.results(logs.log({"tool": {"driver": {"name": "bot"}}, "results": [result]}))), project
    )
    assert one.claim.claim_kind == kind


@pytest.mark.parametrize(("decorator", "kind"), [("app.get('/')", "cross-site-scripting"), ("staticmethod", "bot:r")])
def test_what_a_function_gives_back_is_a_page_only_where_it_answers_a_url(tmp_path, decorator, kind):
    text = f"from web import app, request\n\n\n@{decorator}\ndef f():\n    data = request.args\n    return data\n"
    project = project_of(tmp_path, {"a.py": text})
    result = {
        "ruleId": "r", "message": {"text": "Bad."}, "locations": [logs.place("a.py", logs.region(6))],
        "properties": {"tags": ["CWE-79"]},
    }  # fmt: skip
    (one,) = from_results(
        list(sarif.results(logs.log({"tool": {"driver": {"name": "bot"}}, "results": [result]}))), project
    )
    assert one.claim.claim_kind == kind
