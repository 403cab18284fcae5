"""Reviews, gates and their hooks on repositories that try to run something (GIT-01..04, 06, 08, 10)."""

import json
from pathlib import Path

import pytest

from harness.cli.main import main
from tests.support.hostile import Marker, plain_git, repository, snapshot, write

INJECTION = """\
import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def run():
    return os.popen(request.args["x"]).read()
"""
FLAGS = ["--dimension", "security", "--no-exec", "-q", "--format", "json"]


@pytest.fixture
def marker(tmp_path: Path) -> Marker:
    return Marker(tmp_path / "marker")


@pytest.fixture
def origin(tmp_path: Path, marker: Marker) -> Path:
    """Two commits and a staged change; every way in which git runs something is armed."""
    folder = repository(tmp_path / "shop", {"app.py": "A = 1\n"})
    write(folder, {"app.py": "A = 2\n"})
    plain_git(folder, "commit", "-q", "-am", "second")
    write(folder, {"app.py": INJECTION})
    plain_git(folder, "add", "-A")
    write(folder, {".gitattributes": "* filter=x diff=x merge=x\n", "app.py": INJECTION + "\n"})
    for name in ("clean", "smudge", "process"):
        plain_git(folder, "config", f"filter.x.{name}", marker.command)
    for name in ("diff.x.textconv", "diff.x.command", "diff.external", "merge.x.driver", "core.fsmonitor", "core.pager",
                 "core.sshCommand", "gpg.program", "alias.merge-base", "core.editor"):  # fmt: skip
        plain_git(folder, "config", name, str(marker.script(tmp_path / "script")))
    for hook in ("post-index-change", "post-checkout", "pre-commit", "applypatch-msg", "reference-transaction"):
        marker.script(folder / ".git/hooks" / hook)
    nested = folder / "nested"
    nested.mkdir()
    plain_git(nested, "init", "-q")
    plain_git(nested, "config", "core.fsmonitor", str(tmp_path / "script"))
    marker.path.unlink(missing_ok=True)
    return folder


@pytest.mark.parametrize(
    "command",
    [["review"], ["review", "--staged"], ["review", "--base", "HEAD~1"], ["gate"], ["gate", "--staged"]],
    ids=" ".join,
)
def test_nothing_runs_and_nothing_is_written(
    origin: Path, marker: Marker, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(origin)
    code = main([command[0], str(origin), *command[1:], *FLAGS])
    assert code in (1, 3), "the finding is there, or the gate misses its tests"
    assert json.loads(capsys.readouterr().out)
    assert not marker.fired()
    assert snapshot(origin) == before


def test_a_patch_runs_nothing(origin: Path, marker: Marker, tmp_path: Path) -> None:
    patch = tmp_path / "x.patch"
    patch.write_text(
        "--- a/app.py\n+++ b/app.py\n@@ -1 +1,10 @@\n-A = 2\n"
        + "".join(f"+{line}\n" for line in INJECTION.splitlines())
    )
    before = snapshot(origin)
    assert main(["review", str(origin), "--patch", str(patch), *FLAGS]) == 1
    assert not marker.fired()
    assert snapshot(origin) == before


def test_setting_and_taking_out_a_hook_runs_nothing(origin: Path, marker: Marker) -> None:
    assert main(["gate", str(origin), "--install"]) == 0
    assert main(["gate", str(origin), "--uninstall"]) == 0
    assert not marker.fired()


@pytest.mark.parametrize(
    "name", ["--output=/tmp/x", "$(touch marker)", "a\nb", "x" * 300, "HEAD^{/.*}", "-", "@{u}", ""]
)
def test_a_name_is_data(origin: Path, marker: Marker, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["review", f"--base={name}"], ["gate", f"--base={name}"], ["gate", f"--head={name}"]):
        code = main([command[0], str(origin), *command[1:], *FLAGS])
        assert code in (0, 1, 2, 3, 4)
        assert "Traceback" not in capsys.readouterr().err
    assert not marker.fired()


def test_what_is_inherited_of_git_is_not_used(
    origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = repository(tmp_path / "other", {"x.py": "X = 1\n"})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(tmp_path / "script"))
    assert main(["review", str(origin), "--base", "HEAD", *FLAGS]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["run"]["base"] == plain_git(origin, "rev-parse", "HEAD").strip()
    assert main(["gate", str(origin), "--install"]) == 0
    assert (origin / ".git/hooks/pre-push").exists()
    assert not (other / ".git/hooks/pre-push").exists()


def test_a_repository_with_one_commit_is_gated_by_the_built_in_policy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    origin = repository(
        tmp_path / "new", {"app.py": INJECTION, "harness.toml": 'fail_on = "none"\n', "test_a.py": "def test(): pass\n"}
    )
    assert main(["gate", str(origin), "--dimension", "security", "-q", "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["base"] is None
    assert {p["name"]: p["state"] for p in said["points"]}["findings"] == "refused"
