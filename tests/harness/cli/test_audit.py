"""The main job as scripts see it: exit codes, what goes to which stream, what is refused and how."""

import json
import re

import pytest

from harness.cli import conduct, options
from harness.cli.audit import command
from harness.cli.main import main
from harness.config import Settings
from harness.state import State
from tests.support.audits import project

BLOCKING = {"app.py": "import time\n\n\nasync def wait():\n    time.sleep(1)\n"}
CLEAN = {"app.py": "def add(a, b):\n    return a + b\n"}


@pytest.fixture
def harness(capfd):
    """Run a command line and return (exit code, stdout, stderr)."""

    def run(*arguments):
        code = main([str(a) for a in arguments])
        return code, *capfd.readouterr()

    return run


ONE = ("--dimension", "concurrency")


def test_a_clean_project_passes_and_the_text_says_what_it_means(harness, tmp_path):
    code, out, err = harness("audit", project(tmp_path, CLEAN), *ONE)
    assert code == 0
    assert out.splitlines()[-1] == "exit 0: nothing CONFIRMED at or above high"
    assert err.splitlines()[0].startswith("harness 0")
    assert "offline · concurrency · project · no config" in err.splitlines()[0]


def test_the_severity_that_fails_is_the_users_choice(harness, tmp_path):
    root = project(tmp_path, BLOCKING)
    assert harness("audit", root, *ONE)[0] == 0
    code, out, _ = harness("audit", root, *ONE, "--fail-on", "medium")
    assert code == 1
    assert out.splitlines()[-1] == "exit 1: 1 CONFIRMED at or above medium"
    assert harness("audit", root, *ONE, "--fail-on", "medium", "--min-tier", "E4")[0] == 0
    assert harness("audit", root, *ONE, "--fail-on", "none")[0] == 0


def test_environment_and_file_choose_too_and_flags_win(harness, tmp_path, monkeypatch):
    root = project(tmp_path, {**BLOCKING, "harness.toml": 'fail_on = "medium"\ndimensions = ["concurrency"]\n'})
    code, _, err = harness("audit", root)
    assert code == 1
    assert "config harness.toml" in err
    monkeypatch.setenv("HARNESS_FAIL_ON", "high")
    assert harness("audit", root)[0] == 0
    assert harness("audit", root, "--fail-on", "low")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--dimension", "secruity"], "Did you mean 'security'?"),
        (["--format", "jsn"], "Did you mean json"),
        (["--output", "sarif"], "is not FORMAT=FILE"),
        (["--output", "sarif=/"], "is a folder"),
        (["--output", "sarif=a", "--output", "json=./a"], "is named twice"),
        (["--output", "srif=x"], "Did you mean sarif"),
        (["--budget", "5eur"], "is not understood"),
        (["--fail-on", "hihg"], "hihg"),
        (["--model", "anthropic:claude-x"], "harness audit --offline"),
        (["--verifier-model", "foo:bar"], "Name the auditing model, too"),
        (["--nonsense"], "--nonsense"),
        (["/no/such/folder"], "does not exist"),
    ],
)
def test_what_cannot_be_used_is_said_before_anything_is_done(harness, tmp_path, arguments, says):
    root = project(tmp_path, CLEAN)
    where = [] if arguments[0].startswith("/") else [root]
    code, out, err = harness("audit", *where, *arguments)
    assert code == 2
    assert says in err
    assert out == ""
    assert "Traceback" not in err
    assert not any(folder.report.exists() for folder in State(root).all_runs())


def test_one_format_may_go_to_two_files(harness, tmp_path):
    root, files = project(tmp_path, CLEAN), (tmp_path / "a.json", tmp_path / "b.json")
    assert harness("audit", root, *ONE, *(f"--output=json={file}" for file in files))[0] == 0
    assert files[0].read_text() == files[1].read_text() != ""


def test_offline_in_words_is_no_model(harness, tmp_path):
    assert harness("audit", project(tmp_path, CLEAN), *ONE, "--offline", "--model", "offline")[0] == 0


def test_a_key_in_the_environment_spends_nothing(harness, tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-a-key")
    code, out, err = harness("audit", project(tmp_path, CLEAN), *ONE, "--format", "json")
    assert (code, json.loads(out)["run"]["models"]) == (0, [])
    assert "offline" in err.splitlines()[0]


def test_an_empty_folder_is_not_a_pass(harness, tmp_path):
    code, out, err = harness("audit", tmp_path)
    assert (code, out) == (4, "")
    assert "no file to audit" in err


def test_a_used_up_budget_is_incomplete_and_resume_goes_on(harness, tmp_path):
    root = project(tmp_path, BLOCKING)
    code, out, err = harness("audit", root, *ONE, "--budget", "0s")
    assert code == 3
    says = f"exit 3: not a pass, nothing lost · continue with: harness resume 0001 --repo {root}"
    assert " ".join(out.split()).endswith(says)
    assert "INCOMPLETE" in out
    code, out, err = harness("resume", "--repo", root, "--budget", "1h", "--format", "json")
    assert code == 0
    report = json.loads(out)
    assert (report["run"]["id"], report["run"]["status"]) == ("0001", "complete")
    assert report["stats"]["confirmed"] == 1
    code, out, err = harness("resume", "--repo", root)
    assert code == 2
    assert "nothing to continue" in err
    assert "nothing to continue" in harness("resume", "1", "--repo", root)[2]


def test_a_file_of_the_project_spends_no_money(harness, tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    monkeypatch.setattr("harness.llm.behind.run_behind", lambda *_: 70)
    root = project(tmp_path, {**CLEAN, "harness.toml": 'model = "anthropic:any"\n'})
    code, _, err = harness("audit", root)
    assert (code, "comes from a configuration file" in err) == (2, True)
    assert harness("audit", root, "--model", "anthropic:any")[0] == 70
    assert harness("audit", root, "--offline", *ONE)[0] == 0


@pytest.mark.parametrize("mistake", [("--dimension", "nonsense"), ("--exclude", "*")])
def test_a_command_line_that_was_refused_leaves_nothing_to_resume(harness, tmp_path, mistake):
    root = project(tmp_path, CLEAN)
    assert harness("audit", root, *mistake)[0] in (2, 4)
    assert harness("audit", root, *ONE)[0] == 0
    code, _, err = harness("resume", "--repo", root)
    assert (code, err.splitlines()[0][:38]) == (2, "harness: there is nothing to continue:")


def test_a_run_without_a_sandbox_says_so(harness, tmp_path, monkeypatch):
    monkeypatch.setattr(conduct, "_sandbox", lambda _: (None, "bubblewrap is not installed"))
    _, out, _ = harness("audit", project(tmp_path, CLEAN), *ONE, "--format", "json")
    assert json.loads(out)["coverage"]["sandbox"] == "none: bubblewrap is not installed"


def test_no_exec_needs_no_sandbox(harness, tmp_path, monkeypatch):
    monkeypatch.setattr("harness.sandbox.probe.find_sandbox", lambda: 1 / 0)
    code, out, _ = harness("audit", project(tmp_path, CLEAN), "--no-exec", "--format", "json")
    assert code == 0
    assert json.loads(out)["coverage"]["sandbox"] == "none: switched off"


def test_results_go_to_stdout_and_talk_to_stderr(harness, tmp_path):
    root = project(tmp_path, BLOCKING)
    _, out, err = harness("audit", root, *ONE, "--format", "json", "--output", f"concise={tmp_path / 'c.txt'}",
                          "--output", f"jsonl={tmp_path / 'deep' / 'j.jsonl'}")  # fmt: skip
    assert json.loads(out)["schema_version"] == "harness.report/1"
    assert "discover" in err
    assert (tmp_path / "c.txt").read_text().startswith("app.py:5:5: medium blocking-call-in-async")
    assert (tmp_path / "deep" / "j.jsonl").is_file()
    _, out, err = harness("audit", root, *ONE, "--quiet", "--format", "concise")
    assert err == ""
    assert len(out.splitlines()) == 1


def test_an_output_that_cannot_be_written_costs_the_file_and_not_the_report(harness, tmp_path):
    (tmp_path / "file").write_text("")
    root = project(tmp_path, BLOCKING)
    code, _, err = harness("audit", root, *ONE, "--output", f"json={tmp_path / 'file' / 'r.json'}")
    assert code == 2
    assert "harness runs export 0001 --format json" in err
    assert harness("runs", "export", "0001", "--repo", root, "--format", "json")[0] == 0


def test_a_folder_that_is_made_for_an_output_is_said(harness, tmp_path):
    root = project(tmp_path, CLEAN)
    folder = tmp_path / "reports" / "new"
    output = ("--output", f"json={folder / 'r.json'}", "--quiet")
    code, _, err = harness("audit", root, *ONE, *output)
    assert (code, (folder / "r.json").is_file()) == (0, True)
    assert err == f"harness: made the folder {folder} for r.json\n"
    assert harness("audit", root, *ONE, *output)[2] == ""


def test_an_exclusion_that_leaves_nothing_out_is_said(harness, tmp_path):
    root = project(tmp_path, {**CLEAN, "old/a.py": "x = 1\n"})
    excluded = ("--exclude", "[", "--exclude", "old/", "--exclude", "typo/**")
    code, _, err = harness("audit", root, *ONE, *excluded)
    assert code == 0
    said = [line for line in err.splitlines() if "leaves nothing out" in line]
    assert [line.partition("`")[2].partition("`")[0] for line in said] == ["[", "typo/**"]


def test_offline_may_name_a_verifier_that_the_wish_overrules(harness, tmp_path):
    assert harness("audit", project(tmp_path, CLEAN), *ONE, "--offline", "--verifier-model", "foo:bar")[0] == 0


def test_auditing_leaves_the_project_as_it_was(harness, tmp_path):
    root = project(tmp_path, BLOCKING)
    before = sorted((p, p.stat().st_mtime_ns) for p in root.rglob("*"))
    harness("audit", root)
    assert sorted((p, p.stat().st_mtime_ns) for p in root.rglob("*")) == before


def test_one_file_can_be_audited(harness, tmp_path):
    root = project(tmp_path, {**BLOCKING, "other.py": BLOCKING["app.py"]})
    code, out, _ = harness("audit", root / "app.py", *ONE, "--format", "json")
    report = json.loads(out)
    assert code == 0
    assert [f["path"] for f in report["findings"]] == ["app.py"]
    assert report["run"]["target"] == "app.py"
    assert harness("runs", "list", "--repo", root / "app.py")[1].startswith("0001")


@pytest.mark.parametrize("place", ["state", ".local/st[a]te/harness"])
def test_a_state_directory_inside_the_project_is_not_audited(harness, tmp_path, monkeypatch, place):
    root = project(tmp_path, {**BLOCKING, "pkg/state/b.py": "x = 1\n"})
    monkeypatch.setenv("HARNESS_STATE_DIR", str(root / place))
    for _ in range(2):
        _, out, _ = harness("audit", root, *ONE, "--format", "json")
        assert json.loads(out)["coverage"]["files"] == 2


def test_runs_are_listed_shown_and_exported(harness, tmp_path):
    root = project(tmp_path, BLOCKING)
    assert "no run of" in harness("runs", "list", "--repo", root)[2]
    harness("audit", root, *ONE, "--budget", "0s")
    _, report, _ = harness("audit", root, *ONE, "--format", "json")
    _, out, _ = harness("runs", "list", "--repo", root)
    assert [line.split()[0] for line in out.splitlines()] == ["0001", "0002"]
    first, second = out.splitlines()
    assert re.search(r"incomplete  nothing found  (\d+) of \1 lanes were not reached$", first)
    assert re.fullmatch(r"0002  \d{4}-\d\d-\d\d \d\d:\d\d  audit    concurrency +-  +complete    1 confirmed", second)
    _, out, _ = harness("runs", "show", "2", "--repo", root)
    assert re.search(r"^looked at +audit concurrency$", out, re.MULTILINE)
    assert re.search(r"^verdicts +1 confirmed$", out, re.MULTILINE)
    assert re.search(r"^lanes +(\d+) done, \1 begun$", out, re.MULTILINE)
    assert harness("runs", "export", "2", "--repo", root, "--format", "json") == (0, report, "")
    code, out, _ = harness("runs", "export", "1", "--repo", root, "--format", "json")
    assert (code, json.loads(out)["run"]["status"]) == (0, "incomplete")
    code, _, err = harness("runs", "show", "7", "--repo", root)
    assert code == 2
    assert "no run 7" in err


def test_a_run_that_wrote_no_report_is_put_together_from_its_journal(harness, tmp_path):
    root = project(tmp_path, BLOCKING)
    harness("audit", root, *ONE, "--budget", "0s")
    (folder,) = State(root).all_runs()
    folder.report.unlink()
    code, out, _ = harness("runs", "export", "1", "--repo", root, "--format", "json")
    assert code == 0
    assert json.loads(out)["coverage"]["lanes"][0]["status"] == "planned"
    assert not folder.report.exists()


SETTINGS = [p for p in command.params if p.name in Settings.model_fields]


@pytest.mark.parametrize("parameter", SETTINGS, ids=lambda p: p.name)
def test_every_setting_says_its_variable_and_default(parameter):
    assert f"[env: HARNESS_{parameter.name.upper()}; default: " in parameter.help


def test_all_settings_can_be_given_on_the_command_line():
    assert {p.name for p in SETTINGS} | {"execute", "read_only"} == set(Settings.model_fields)


def test_the_formats_in_the_help_are_those_there_are():
    from harness.render.formats import FORMATS

    assert tuple(FORMATS) == options.FORMATS


def test_a_run_that_died_before_it_began_stands_in_nobodys_way(harness, tmp_path):
    root = project(tmp_path, CLEAN)
    assert harness("audit", root, *ONE, "--budget", "0.001s")[0] == 3
    dead = State(root).all_runs()[-1].path.with_name("0002")
    dead.mkdir()
    (dead / "journal.db").touch()
    code, _, err = harness("runs", "show", "0002", "--repo", root)
    assert (code, "ended before it had begun" in err) == (3, True)
    code, out, _ = harness("resume", "--repo", root, "--budget", "10min", "--format", "json")
    assert (code, json.loads(out)["run"]["id"]) == (0, "0001")
    code, _, err = harness("resume", "--repo", root)
    assert (code, "there is nothing to continue" in err) == (2, True)
