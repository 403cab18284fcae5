"""The GitHub Action and the pre-commit hooks: their files are what those tools read, and their commands do what they say."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.cli.main import COMMANDS, main
from tests.support.hostile import plain_git, repository, write

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
FILES = {
    "shop.py": "def price(amount):\n    return amount * 2\n",
    "tests/test_shop.py": "from shop import price\n\n\ndef test_price():\n    assert price(1) == 2\n",
    "harness.toml": 'dimensions = ["security"]\n',
}


def program(at: Path, text: str) -> Path:
    at.parent.mkdir(parents=True, exist_ok=True)
    at.write_text(text)
    at.chmod(at.stat().st_mode | stat.S_IXUSR)
    return at


def step(name: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """One shell step of the action as a runner starts it; expressions of the file are given by `environment`."""
    [found] = [s for s in STEPS if s["name"] == name]
    assert set(found.get("env", {})) <= set(environment), "every value that the step gets is set here"
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("GIT", "HARNESS_GATE"))}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", found["run"]],
        cwd=cwd, env=inherited | environment, capture_output=True, text=True, timeout=150, check=False,
    )  # fmt: skip


def test_no_input_is_pasted_into_a_script_and_nothing_foreign_is_used_unpinned() -> None:
    assert ACTION["runs"]["using"] == "composite"
    for one in STEPS:
        assert "${{" not in one.get("run", "")
        assert re.fullmatch(r"\./.*|[\w./-]+@[0-9a-f]{40}", one["uses"]) if "uses" in one else one["shell"] == "bash"
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(ACTION["inputs"])
    assert all(i["description"] for i in ACTION["inputs"].values())


@pytest.fixture
def gate_step(tmp_path: Path) -> Any:
    harness = program(
        tmp_path / "harness", f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m harness.cli.main "$@"\n'
    )

    def run(origin: Path, **environment: str) -> tuple[int, str, str]:
        output, summary = tmp_path / "output", tmp_path / "summary"
        values = {
            "HARNESS": str(harness), "GATE_PATH": ".", "GATE_BASE": "", "GATE_PULL_BASE": "", "GATE_PROFILE": "",
            "GATE_PYTHON": "", "GATE_SARIF": "out.sarif", "HARNESS_GATE_RUN_TESTS": "sandbox",
            "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary),
        }  # fmt: skip
        done = step("Gate", origin, **(values | environment))
        return done.returncode, output.read_text(), summary.read_text() if summary.exists() else done.stderr

    return run


def test_the_gate_step_ends_as_the_gate_does_and_says_so(tmp_path: Path, gate_step: Any) -> None:
    origin = repository(tmp_path / "shop", FILES)
    base = plain_git(origin, "rev-parse", "HEAD").strip()
    write(origin, {"shop.py": FILES["shop.py"].replace("* 2", "* 3")})
    plain_git(origin, "commit", "-q", "-am", "broken")
    code, output, summary = gate_step(origin, GATE_PULL_BASE=base)
    assert (code, output) == (1, "exit-code=1\n")
    assert "### harness gate: refuse" in summary
    assert (origin / "out.sarif").is_file()


def test_an_input_that_looks_like_a_command_or_an_option_is_data(tmp_path: Path, gate_step: Any) -> None:
    origin = repository(tmp_path / "shop", FILES)
    for name in ("$(touch marker)", "--accept-policy-change", "`touch marker`; touch marker"):
        code, output, _ = gate_step(origin, GATE_BASE=name)
        assert (code, output.endswith("exit-code=2\n")) == (2, True)
    assert not (origin / "marker").exists()


def test_the_install_step_installs_the_action_itself(tmp_path: Path) -> None:
    fake = f'#!/bin/sh\necho "$@" >> {tmp_path}/log\n'
    program(tmp_path / "bin/python3", fake)
    program(tmp_path / "harness-venv/bin/python", fake)
    done = step("Install harness", tmp_path, ACTION="/the action", RUNNER_TEMP=str(tmp_path),
                PATH=f"{tmp_path}/bin:{os.environ['PATH']}")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "log").read_text().splitlines() == [
        f"-m venv {tmp_path}/harness-venv",
        "-m pip install --quiet --disable-pip-version-check /the action",
    ]


def test_the_upload_step_sends_the_file_for_the_commit(tmp_path: Path) -> None:
    program(tmp_path / "bin/gh", f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/log\n')
    values = {"GH_TOKEN": "x", "GATE_SARIF": "out.sarif", "GATE_HEAD": "0" * 40, "GITHUB_REPOSITORY": "a/b",
              "GITHUB_REF": "refs/pull/1/merge", "RUNNER_TEMP": str(tmp_path),
              "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}  # fmt: skip
    assert step("Upload to code scanning", tmp_path, **values).returncode == 1, "no file is no success"
    (tmp_path / "out.sarif").write_text("{}")
    assert step("Upload to code scanning", tmp_path, **values).returncode == 0
    said = (tmp_path / "log").read_text().splitlines()
    assert said[:4] == ["api", "--method", "POST", "repos/a/b/code-scanning/sarifs"]
    assert f"commit_sha={'0' * 40}" in said
    assert "ref=refs/pull/1/merge" in said


def test_the_hooks_have_what_pre_commit_asks_for() -> None:
    assert {h["id"] for h in HOOKS} == {"harness-review", "harness-gate"}
    for hook in HOOKS:
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["language"] == "python"
        assert hook["pass_filenames"] is False
        assert hook["entry"].split()[0] == "harness"
        assert hook["entry"].split()[1] in COMMANDS


def test_the_review_hook_sees_the_index_that_is_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`git commit -a` hands its hooks another index than the one on disk."""
    origin = repository(tmp_path / "shop", FILES)
    [entry] = [h["entry"] for h in HOOKS if h["id"] == "harness-review"]
    write(origin, {"shop.py": FILES["shop.py"].replace("* 2", "* 3")})
    (origin / ".git/next-index-1").write_bytes((origin / ".git/index").read_bytes())
    plain_git(origin, "add", "-A", GIT_INDEX_FILE=".git/next-index-1")
    monkeypatch.chdir(origin)
    assert main([*entry.split()[1:], "-q"]) == 4
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1")
    capsys.readouterr()
    assert main([*entry.split()[1:], "-q"]) == 1
    assert "regression-by-test" in capsys.readouterr().out
    monkeypatch.setenv("GIT_INDEX_FILE", "/elsewhere/gone")
    assert main([*entry.split()[1:], "-q"]) == 2
