"""`--python`: without it the report says which flag to give, with it the tests of the project run."""

import json
import subprocess
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.config import load
from harness.errors import ConfigError
from harness.repo.environments import advice, tracked
from tests.support.audits import project
from tests.support.environments import environment, install

PAY = """import till


def settle(amount, limit):
    if amount > limit:
        raise ValueError("over the limit")
    if amount < 0:
        return 0
    if not limit:
        limit = 1
    return till.rounded(amount)


def refund(amount, parts):
    if amount < 0:
        return 0
    for part in parts:
        if part:
            amount -= till.rounded(part)
    return amount
"""
TESTS = "from pay import settle\n\n\ndef test_settles():\n    settle(1.111, 2)\n    settle(-1, 2)\n"
FILES = {"pay.py": PAY, "test_pay.py": TESTS}
ONE = ("--dimension", "tests", "--format", "json", "--fail-on", "none", "--quiet")


@pytest.fixture
def harness(capfd, monkeypatch):
    """Run a command line in a quiet machine's time and return (exit code, stdout, stderr)."""
    monkeypatch.setattr("os.getloadavg", lambda: (1000.0, 0.0, 0.0))

    def run(*arguments):
        code = main([str(a) for a in arguments])
        return code, *capfd.readouterr()

    return run


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project whose dependency is in its own virtual environment alone."""
    root = project(tmp_path, FILES)
    environment(root / ".venv")
    return root


def skips(report):
    return [
        s["reason"] for lane in report["coverage"]["lanes"] for s in lane["skipped"] if lane["auditor"] == "tests-run"
    ]


def test_without_it_the_report_says_which_flag_to_give(harness, shop, monkeypatch):
    monkeypatch.chdir(shop)
    code, out, _ = harness("audit", ".", *ONE)
    report = json.loads(out)
    assert code == 0
    assert "No module named 'till'" in skips(report)[0]
    assert skips(report)[0].endswith("--python .venv")
    assert report["coverage"]["python"] == ""
    assert report["coverage"]["advice"].endswith("--python .venv")
    _, text, _ = harness("audit", ".", "--dimension", "tests", "--quiet")
    footer = text[text.index("raised ") :]
    assert footer.count("--python .venv") == 1


def test_with_it_coverage_and_executed_verification_work(harness, shop):
    code, out, _ = harness("audit", shop, *ONE, "--python", shop / ".venv")
    report = json.loads(out)
    assert code == 0
    assert report["run"]["status"] == "complete", report["run"]
    assert skips(report) == []
    assert report["coverage"]["python"].startswith("Python 3.")
    assert report["coverage"]["python"].endswith(f"{shop}/.venv/bin/python")
    assert report["coverage"]["advice"] == ""
    found = {(f["rule"], f["symbol"]): f for f in report["findings"]}
    assert ("untested-public-function", "refund") in found
    survivors = [f for (rule, _), f in found.items() if rule == "surviving-mutant"]
    assert survivors
    assert {(f["verdict"], f["tier"]) for f in survivors} == {("CONFIRMED", "E4")}
    (shop.parent / "report.json").write_text(out)
    again = harness("verify", shop.parent / "report.json", "--repo", shop, *ONE[2:], "--python", shop / ".venv")
    judged = [f for f in json.loads(again[1])["findings"] if f["rule"] == "surviving-mutant"]
    assert {(f["verdict"], f["tier"]) for f in judged} == {("CONFIRMED", "E4")}
    _, text, _ = harness("audit", shop, "--dimension", "tests", "--quiet", "--python", shop / ".venv")
    assert "executed with Python 3." in text


def test_another_environment_is_another_answer_not_a_cached_one(harness, shop):
    assert "No module named" in skips(json.loads(harness("audit", shop, *ONE)[1]))[0]
    assert skips(json.loads(harness("audit", shop, *ONE, "--python", shop / ".venv")[1])) == []
    install(next((shop / ".venv").glob("lib/python3.*/site-packages")), "till", "raise ImportError('broken now')\n")
    assert "broken now" in skips(json.loads(harness("audit", shop, *ONE, "--python", shop / ".venv")[1]))[0]


def test_the_environment_variable_names_it_and_the_flag_wins(harness, shop, monkeypatch):
    monkeypatch.setenv("HARNESS_PROJECT_PYTHON", "/no/such/python")
    assert harness("audit", shop, *ONE)[0] == 2
    assert harness("audit", shop, *ONE, "--python", shop / ".venv")[0] == 0


@pytest.mark.parametrize("key", ["python", "project_python", "project-python"])
def test_a_file_of_the_repository_cannot_name_it(harness, tmp_path, key):
    root = project(tmp_path, {**FILES, "harness.toml": f'{key} = ".venv"\n'})
    with pytest.raises(ConfigError, match="a repository does not choose what is executed"):
        load(root, {}, {})
    code, out, err = harness("audit", root, *ONE)
    assert (code, out) == (2, "")
    assert "harness.toml:1:1" in err
    assert "HARNESS_PROJECT_PYTHON" in err


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere", "no such file"),
        ("empty", "no bin/python"),
        ("pay.py", "not executable"),
        ("false", "does not start"),
    ],
)
def test_what_is_no_interpreter_ends_in_2_with_a_hint(harness, tmp_path, name, says):
    root = project(tmp_path, FILES)
    (root / "empty").mkdir()
    (root / "false").symlink_to("/bin/false")
    for more in ((), ("--no-exec",)):
        if name == "false" and more:
            continue
        code, out, err = harness("audit", root, *ONE, "--python", root / name, *more)
        assert (code, out) == (2, "")
        assert says in err
        assert "such as --python .venv" in err


def test_one_that_git_tracks_is_neither_advised_nor_used(harness, shop):
    for command in (["init", "-q"], ["add", "-f", "."]):
        subprocess.run(["git", *command], cwd=shop, check=True, capture_output=True)
    assert tracked(shop / ".venv")
    assert advice(shop) == ""
    code, _, err = harness("audit", shop, *ONE, "--python", shop / ".venv")
    assert code == 2
    assert "part of the repository" in err


def test_one_that_git_ignores_or_does_not_know_is_advised(shop):
    subprocess.run(["git", "init", "-q"], cwd=shop, check=True, capture_output=True)
    (shop / "sub" / ".venv").mkdir(parents=True)
    (shop / "sub" / ".venv" / "note").write_text("x")
    subprocess.run(["git", "add", "pay.py", "sub"], cwd=shop, check=True, capture_output=True)
    assert not tracked(shop / ".venv")
    assert advice(shop).endswith(f"--python {shop}/.venv")
    (shop / ".venv" / "pyvenv.cfg").unlink()
    assert advice(shop) == ""


def test_a_run_is_continued_with_the_environment_it_was_begun_with(harness, shop):
    code, _, _ = harness("audit", shop, *ONE, "--python", shop / ".venv", "--budget", "0s")
    assert code == 3
    code, out, _ = harness("resume", "--repo", shop, "--budget", "5min", "--format", "json", "--quiet")
    report = json.loads(out)
    assert code == 0
    assert report["coverage"]["python"].endswith(".venv/bin/python")
    assert skips(report) == []


def test_a_run_is_not_continued_with_a_changed_environment(harness, shop):
    assert harness("audit", shop, *ONE, "--python", shop / ".venv", "--budget", "0s")[0] == 3
    install(next((shop / ".venv").glob("lib/python3.*/site-packages")), "till", "VERSION = '2'\n")
    code, _, err = harness("resume", "--repo", shop, "--quiet")
    assert code == 2
    assert "has changed since" in err
