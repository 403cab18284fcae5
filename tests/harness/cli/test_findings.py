"""`harness findings` and `harness baseline`, on the stored report of a run."""

import datetime
import os
import subprocess
import sys

import pytest

from harness.audit import baseline, waivers
from harness.cli.baseline import shrink_adopted
from harness.cli.main import main
from harness.render.formats import render
from harness.schema.run import Coverage, LaneCoverage
from harness.state import State
from tests.support.reports import finding, incomplete, limit, report, sample, uncertain, waiver


@pytest.fixture
def repo(tmp_path, monkeypatch):
    monkeypatch.setenv("HARNESS_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "100")
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


@pytest.fixture
def harness(repo, capsys):
    """Runs a command on the repository: (exit code, stdout, stderr)."""

    def run(*arguments):
        code = main([*arguments, "--repo", str(repo)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def store(repo, one):
    folder = State(repo).new_run()
    folder.report.write_text(render(one, "json"))


def ids(text):
    return [line.split()[0] for line in text.splitlines() if line and not line.startswith(" ")]


def test_without_a_run_says_how_to_start_one(harness):
    code, out, err = harness("findings", "list")
    assert (code, out) == (2, "")
    assert "no finished run" in err
    assert "harness audit" in err


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], ["3c1f", "9b20"]),
        (["--open"], ["77aa"]),
        (["--dismissed"], ["d15c"]),
        (["--settled"], ["aced", "5eed"]),
        (["--all"], ["3c1f", "9b20", "77aa", "aced", "5eed", "d15c"]),
        (["--all", "--severity", "high"], ["3c1f", "aced", "d15c"]),
        (["--rule", "limit-disagrees"], ["9b20"]),
        (["--path", "shop/"], ["3c1f"]),
        (["--path", "nowhere/"], []),
    ],
)
def test_list_chooses(repo, harness, options, expected):
    store(repo, sample())
    waivers.add(repo / waivers.FILE, waiver(fingerprint="aced" + "5" * 28, until=None))
    code, out, err = harness("findings", "list", *options)
    assert code == 0
    assert ids(out) == expected
    assert ("no such finding" in err) is (not expected)


def test_a_dismissed_finding_is_listed_with_its_refutation(repo, harness):
    store(repo, sample())
    assert "refuted: line 33 aborts before line 41" in harness("findings", "list", "--dismissed")[1]


def test_show_tells_everything(repo, harness):
    store(repo, sample())
    code, out, _ = harness("findings", "show", "3c1f")
    assert code == 0
    for said in ("HIGH CONFIRMED E4 reproduced", "shop/export.py:88:12", "os.popen(f", "source: untrusted input enters here",
                 "reproducer exited with marker 7f3a", "$ pytest -q repro.py", "executed: CONFIRMED E4: ran", "CWE-78",
                 finding().fingerprint, "harness explain command-injection"):  # fmt: skip
        assert said in out


def test_no_page_is_proposed_for_a_rule_of_another_scanner(repo, harness):
    store(repo, report(finding(rule="bandit:B000")))
    out = harness("findings", "show", finding().id)[1]
    assert "next: harness findings waive" in out
    assert "harness explain" not in out


def test_show_of_what_does_not_exist_names_the_nearest(repo, harness):
    store(repo, sample())
    code, _, err = harness("findings", "show", "3c1e")
    assert code == 2
    assert "Did you mean 3c1f" in err


def test_an_id_may_be_the_beginning_of_the_fingerprint_when_it_is_unique(repo, harness):
    store(
        repo,
        report(limit(id="9b201", fingerprint="9b201" + "0" * 27), limit(id="9b202", fingerprint="9b202" + "0" * 27)),
    )
    assert harness("findings", "show", "9b2010")[0] == 0
    code, _, err = harness("findings", "show", "9b20")
    assert code == 2
    assert "9b201, 9b202" in err


def partial(one, *dimensions):
    """The report, as of a run that looked at these dimensions."""
    (lane,) = one.coverage.lanes
    lanes = tuple(lane.model_copy(update={"dimension": d}) for d in dimensions)
    return one.model_copy(update={"coverage": one.coverage.model_copy(update={"lanes": lanes})})


def numbered(one, number):
    return one.model_copy(update={"run": one.run.model_copy(update={"id": number})})


def test_a_run_of_one_dimension_does_not_hide_the_full_one(repo, harness):
    store(repo, numbered(partial(report(finding(), limit()), "security", "docs"), "0001"))
    store(repo, numbered(partial(report(limit()), "docs"), "0002"))
    code, out, err = harness("findings", "list")
    assert (code, ids(out)) == (0, ["9b20"])
    assert err == "run 0002 looked at docs; what the audit of 2 dimensions found before: --run 0001\n"
    code, out, err = harness("findings", "list", "--run", "1")
    assert (code, ids(out), err) == (0, ["3c1f", "9b20"], "")
    code, _, err = harness("findings", "show", "3c1f")
    assert code == 2
    assert "Run 0001 has it: give --run 0001" in err
    assert "3c1f" in harness("findings", "show", "3c1f", "--run", "0001")[1]
    assert harness("findings", "waive", "3c1f", "--run", "1", "--reason", "r", "--author", "Ada")[0] == 0
    code, _, err = harness("findings", "list", "--run", "3")
    assert code == 2
    assert "no run 3" in err


def test_runs_that_looked_at_as_much_are_not_spoken_of(repo, harness):
    store(repo, numbered(partial(sample(), "security", "docs"), "0001"))
    store(repo, numbered(partial(report(limit()), "security", "docs"), "0002"))
    assert harness("findings", "list")[2] == ""


def test_a_baseline_of_one_dimension_keeps_what_the_run_did_not_look_for(repo, harness):
    store(repo, numbered(report(finding(), limit()), "0001"))
    harness("baseline", "write")
    other = report(finding(id="1111", fingerprint="1" * 32))
    (lane,) = other.coverage.lanes
    other = partial(other.model_copy(update={"coverage": other.coverage.model_copy(
        update={"lanes": (lane.model_copy(update={"auditor": "security-checks"}),)})}), "security")  # fmt: skip
    store(repo, numbered(other, "0002"))
    assert harness("baseline", "write")[1].startswith(".harness/baseline.json: 2 findings, 1 added, 1 gone")
    assert {k.rule for k in baseline.read(repo / baseline.FILE).findings} == {"command-injection", "limit-disagrees"}
    assert harness("baseline", "write", "--run", "1")[1].startswith(
        ".harness/baseline.json: 2 findings, 1 added, 1 gone"
    )


def test_waive_and_unwaive(repo, harness):
    store(repo, report(finding(), limit()))
    code, out, _ = harness("findings", "waive", "3c1f", "--reason", "after the release", "--kind", "defer",
                           "--until", "2999-01-01", "--author", "Ada")  # fmt: skip
    assert code == 0
    assert out == "waived 3c1f (defer) until 2999-01-01 in .harness/waivers.toml; commit that file\n"
    (made,) = waivers.read(repo / waivers.FILE)
    assert (made.fingerprint, made.author, made.until) == (
        finding().fingerprint,
        "Ada",
        datetime.date(2999, 1, 1),
    )
    assert ids(harness("findings", "list")[1]) == ["9b20"]
    assert "waived (defer) by Ada" in harness("findings", "list", "--settled")[1]
    assert harness("findings", "unwaive", "3c1f")[0] == 0
    assert ids(harness("findings", "list")[1]) == ["3c1f", "9b20"]
    assert harness("findings", "unwaive", "3c1f")[0] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["3c1f"], "--reason"),
        (["3c1f", "--reason", " "], "needs a reason"),
        (["3c1f", "--reason", "x", "--until", "2020-01-01"], "in the past"),
        (["3c1f", "--reason", "x", "--until", "soon"], "soon"),
        (["3c1f", "--reason", "x", "--kind", "never"], "never"),
        (["d15c", "--reason", "x"], "needs no waiver"),
        (["zzzz", "--reason", "x"], "no finding"),
    ],
)
def test_a_waiver_that_makes_no_sense_is_refused(repo, harness, arguments, said):
    store(repo, sample())
    code, out, err = harness("findings", "waive", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert not (repo / waivers.FILE).exists()


def test_a_login_that_is_not_known_asks_for_the_author(repo, harness, monkeypatch):
    store(repo, sample())
    monkeypatch.delenv("HARNESS_AUTHOR", raising=False)

    def nobody():
        raise KeyError("getpwuid(): uid not found: 12345")

    monkeypatch.setattr("getpass.getuser", nobody)
    code, _, err = harness("findings", "waive", "3c1f", "--reason", "x")
    assert code == 2
    assert "--author NAME" in err


def test_an_expired_waiver_does_not_hide_in_the_list(repo, harness):
    store(repo, report(finding()))
    old = '[[waiver]]\nfingerprint = "' + finding().fingerprint
    (repo / ".harness").mkdir()
    (repo / waivers.FILE).write_text(
        old + '"\nkind = "defer"\nreason = "r"\nauthor = "A"\ndate = 2020-01-01\nuntil = 2020-02-01\n'
    )
    assert ids(harness("findings", "list")[1]) == ["3c1f"]


def looked(*findings):
    """A complete run whose one lane looked for everything that `security-checks` knows."""
    lane = LaneCoverage(auditor="security-checks", dimension="security", status="done")
    return report(*findings, coverage=Coverage(files=1, lines=1, lanes=(lane,)))


def test_baseline_write_show_and_shrink(repo, harness):
    store(repo, looked(finding(), uncertain()))
    assert harness("baseline", "show")[2] == ".harness/baseline.json: nothing in it\n"
    assert harness("baseline", "write")[1] == ".harness/baseline.json: 2 findings, 2 added, 0 gone; commit that file\n"
    assert len(harness("baseline", "show")[1].splitlines()) == 2
    store(repo, looked(limit()))
    _, out, err = harness("baseline", "show")
    assert "high   CONFIRMED  shop/export.py  command-injection" in out
    assert "1 of 2 are no longer found: harness baseline write --shrink" in err
    assert harness("baseline", "write", "--shrink")[1].startswith(".harness/baseline.json: 1 findings, 0 added, 1 gone")
    assert [k.rule for k in baseline.read(repo / baseline.FILE).findings] == ["limit-disagrees"]


def test_a_baseline_shrinks_by_itself_only_where_runs_live_in_the_repository(repo, harness):
    store(repo, looked(finding()))
    harness("baseline", "write")
    now = looked()
    assert shrink_adopted(repo, State(repo).new_run().path, now) == 0
    assert len(baseline.read(repo / baseline.FILE).findings) == 1
    State(repo).adopt()
    assert shrink_adopted(repo, State(repo).new_run().path, now) == 1
    assert baseline.read(repo / baseline.FILE).findings == ()


def test_a_finding_waived_since_the_run_needs_no_entry(repo, harness):
    store(repo, looked(finding(), limit()))
    harness("findings", "waive", "3c1f", "--reason", "later")
    assert harness("baseline", "write")[1].startswith(".harness/baseline.json: 1 findings")


def test_no_baseline_of_half_a_run(repo, harness):
    store(repo, incomplete())
    code, _, err = harness("baseline", "write")
    assert code == 2
    assert "harness resume 0042" in err
    assert not (repo / baseline.FILE).exists()


def test_names_of_a_hostile_repository_do_not_steer_the_terminal(repo, harness):
    store(repo, looked(finding(path="a\x1b[2J.py", scenario="\x1b]0;x\x07", symbol="\u202e")))
    harness("baseline", "write")
    for arguments in (("findings", "list"), ("findings", "show", "3c1f"), ("baseline", "show")):
        out = harness(*arguments)[1]
        assert "\x1b" not in out
        assert "\u202e" not in out


def test_a_terminal_that_cannot_show_a_character_gets_its_escape(repo):
    store(repo, report(finding()))
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli.main", "findings", "show", "3c1f", "--repo", str(repo)],
        env=os.environ | {"PYTHONIOENCODING": "cp1252"}, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"88 \u2502     return os.popen" in done.stdout
