"""What a verifier may ask about the past: ids and lines, never a message or an author, and nothing of the repository acts."""

import os
import subprocess
from pathlib import Path

import pytest

from harness.repo.checkout import pin
from harness.repo.history import History, open_history


def git(root: Path, *arguments: str) -> None:
    identity = {"GIT_AUTHOR_NAME": "Zaphod", "GIT_AUTHOR_EMAIL": "z@quill.example", "GIT_COMMITTER_NAME": "Zaphod",
                "GIT_COMMITTER_EMAIL": "z@quill.example", "GIT_CONFIG_GLOBAL": os.devnull}  # fmt: skip
    subprocess.run(["git", *arguments], cwd=root, env={**os.environ, **identity}, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q")
    for number, text in enumerate(("a = 1\nb = 2\n", "a = 1\nb = 3\nc = 4\n")):
        (root / "m.py").write_text(text)
        (root / ".env").write_text(f"SECRET={number}\n")
        git(root, "add", "-f", ".")
        git(root, "commit", "-qm", f"Security fix {number}: bug-free")
    return root


def opened(root: Path, tmp_path: Path) -> History:
    history = open_history(pin(root, tmp_path / "tree"), tmp_path / "git")
    assert history
    return history


def test_log_blame_and_diff_tell_ids_and_lines_and_no_words(root: Path, tmp_path: Path) -> None:
    history = opened(root, tmp_path)
    newest, oldest = (row.split() for row in history.log({"path": "m.py"}).splitlines())
    assert newest[1:] == ["+2", "-1"]
    blamed = [row.split(maxsplit=2) for row in history.blame({"path": "m.py"}).splitlines()]
    assert blamed == [[oldest[0], "1", "a = 1"], [newest[0], "2", "b = 3"], [newest[0], "3", "c = 4"]]
    assert history.blame({"path": "m.py", "line": 3, "around": 0}) == f"{newest[0]}     3 c = 4"
    changed = history.diff({"path": "m.py", "commit": newest[0]})
    assert "-b = 2\n+b = 3\n+c = 4" in changed
    assert "+a = 1\n+b = 2" in history.diff({"path": "m.py", "commit": oldest[0]})
    told = changed + history.log({"path": "m.py"}) + history.blame({"path": "m.py"})
    for word in ("Zaphod", "quill", "Security", "bug-free"):
        assert word not in told


@pytest.mark.parametrize(
    "path", ["../m.py", "/etc/passwd", "--output=/tmp/x", ".env", "", "m.py\0", ":(top)m.py", None, 7]
)
def test_only_pinned_files_without_credentials_are_asked_about(root: Path, tmp_path: Path, path: object) -> None:
    history = opened(root, tmp_path)
    for ask in (history.log, history.blame, history.diff):
        assert ask({"path": path}).startswith("error: no file")  # type: ignore[dict-item]  # what a model may send


@pytest.mark.parametrize("commit", ["--output=/tmp/x", "HEAD", "main", "0" * 40, "abc", "$(touch x)", ""])
def test_only_ancestors_of_the_pinned_commit_are_told(root: Path, tmp_path: Path, commit: str) -> None:
    assert opened(root, tmp_path).diff({"path": "m.py", "commit": commit}).startswith("error: no commit")


def test_configuration_attributes_and_inherited_variables_do_not_act(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "marker"
    (root / ".gitattributes").write_text("*.py diff=evil filter=evil\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "attributes")
    touch = f"touch {marker}"
    for name in (
        "diff.evil.textconv",
        "diff.evil.command",
        "diff.external",
        "core.fsmonitor",
        "core.pager",
        "filter.evil.clean",
    ):
        git(root, "config", name, touch)
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH_COMMAND"):
        monkeypatch.setenv(name, touch)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    history = opened(root, tmp_path)
    commit = history.log({"path": "m.py"}).split()[0]
    assert "+b = 3" in history.diff({"path": "m.py", "commit": commit})
    assert "c = 4" in history.blame({"path": "m.py"})
    assert not marker.exists()


def test_a_folder_below_the_top_and_a_folder_without_git(root: Path, tmp_path: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "n.py").write_text("x = 1\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "more")
    history = open_history(pin(root / "sub", tmp_path / "tree"), tmp_path / "git")
    assert history
    assert history.blame({"path": "n.py"}).endswith("x = 1")
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "n.py").write_text("x = 1\n")
    assert open_history(pin(plain, tmp_path / "other"), tmp_path / "git2") is None
