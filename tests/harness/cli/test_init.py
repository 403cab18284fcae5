"""`harness init`: runs live in the repository, and git does not see them."""

import subprocess
from pathlib import Path

import pytest

from harness.cli.main import main


def test_runs_move_into_the_repository_and_git_ignores_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a.py").write_text("X = 1\n")
    assert main(["init", str(tmp_path)]) == 0
    assert main(["init", str(tmp_path)]) == 0
    assert main(["audit", str(tmp_path), "--no-exec", "--quiet"]) == 0
    assert (tmp_path / ".harness" / "runs" / "0001" / "report.json").is_file()
    seen = subprocess.run(
        ["git", "-C", str(tmp_path), "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True
    )
    assert seen.stdout.split() == ["??", ".harness/.gitignore", "??", "a.py"]
    assert "next: harness audit" in capsys.readouterr().out


def test_a_linked_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".harness").symlink_to(tmp_path / "elsewhere")
    assert main(["init", str(tmp_path)]) == 2
    assert "is a link" in capsys.readouterr().err
    assert list((tmp_path / "elsewhere").iterdir()) == []
