"""The one place that runs git keeps its limits."""

import os
from pathlib import Path

import pytest

from harness.repo import git
from tests.support.hostile import plain_git, repository


@pytest.fixture
def gitdir(tmp_path: Path) -> Path:
    repository(tmp_path / "r", {f"{n}.py": f"X = {n}\n" for n in range(50)})
    return tmp_path / "r" / ".git"


def test_what_it_says_is_limited(gitdir: Path) -> None:
    assert len(git.run(["ls-tree", "-r", "HEAD"], gitdir=gitdir)) > 1000
    with pytest.raises(git.GitFailed, match="git ls-tree said more than 1000 bytes"):
        git.run(["ls-tree", "-r", "HEAD"], gitdir=gitdir, output=1000)


def test_its_time_is_limited(gitdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n", "ascii")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    with (
        pytest.raises(git.GitFailed, match=r"git status took longer than 0\.2 s"),
        git.stream(["status"], gitdir=gitdir, seconds=0.2) as answer,
    ):
        answer.read()


def test_its_complaints_are_one_line_that_steers_no_terminal(gitdir: Path) -> None:
    with pytest.raises(git.GitFailed) as caught:
        git.run(["cat-file", "blob", "\x1b[2J\u202e"], gitdir=gitdir)
    assert str(caught.value).startswith("git cat-file: fatal: ")
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_settings_but_ours_are_seen(gitdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / ".gitconfig"
    settings.write_text("[user]\n\tname = inherited\n", "ascii")
    assert plain_git(gitdir, "config", "user.name", GIT_CONFIG_GLOBAL=str(settings)) == "inherited\n"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    with pytest.raises(git.GitFailed):
        git.run(["config", "user.name"], gitdir=gitdir)
