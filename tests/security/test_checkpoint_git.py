"""GIT-03, GIT-06, GIT-09, GIT-10 and PI-06 for checkpoints and rollbacks: traps that plain git springs stay shut.

Each trap is first shown to work under plain git.
"""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import main
from tests.support.hostile import Marker, plain_git, repository, write

HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-index-change",
         "reference-transaction", "post-rewrite", "pre-auto-gc", "post-merge")  # fmt: skip


@pytest.fixture
def marker(tmp_path: Path) -> Marker:
    return Marker(tmp_path / "marker")


@pytest.fixture
def app(tmp_path: Path) -> Path:
    root = repository(tmp_path / "app", {"app.py": "A = 1\n", "pkg/mod.py": "M = 1\n"})
    plain_git(root, "config", "user.name", "Ada")
    plain_git(root, "config", "user.email", "ada@example.org")
    return root


@pytest.fixture
def round_trip(app: Path, marker: Marker, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """A checkpoint of everything, a rollback, and back again; nothing planted may run."""

    def run() -> dict[str, Any]:
        marker.fired()
        capsys.readouterr()
        assert main(["checkpoint", "--repo", str(app), "--all", "--format", "json"]) == 0
        said: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert main(["rollback", "--repo", str(app), "HEAD~1"]) == 0
        assert main(["rollback", "--repo", str(app), "--unpark", "1"]) == 0
        assert main(["rollback", "--repo", str(app), "--list"]) == 0
        assert not marker.fired()
        assert plain_git(app, "rev-parse", "HEAD", GIT_OPTIONAL_LOCKS="0").strip() == said["commit"]
        marker.fired()
        return said

    return run


def test_git_03_hooks(app: Path, marker: Marker, round_trip: Callable[..., dict[str, Any]]) -> None:
    for hook in HOOKS:
        marker.script(app / ".git" / "hooks" / hook)
    plain_git(app, "commit", "-q", "--allow-empty", "-m", "x")
    assert marker.fired()
    write(app, {"app.py": "A = 2\n"})
    assert round_trip()["hooks_not_run"] == ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"]


def test_git_03_hooks_in_another_folder(
    app: Path, marker: Marker, tmp_path: Path, round_trip: Callable[..., dict[str, Any]]
) -> None:
    marker.script(app / "own" / "post-index-change")
    plain_git(app, "config", "core.hooksPath", "own")
    write(app, {"app.py": "A = 2\n"})
    plain_git(app, "add", "app.py")
    assert marker.fired()
    round_trip()


@pytest.mark.parametrize(
    "key", ["core.fsmonitor", "gpg.program", "core.editor", "core.sshCommand", "core.pager", "diff.external"]
)
def test_commands_in_the_configuration(
    app: Path, marker: Marker, tmp_path: Path, key: str, round_trip: Callable[..., dict[str, Any]]
) -> None:
    plain_git(app, "config", key, str(marker.script(tmp_path / "command")))
    plain_git(app, "config", "commit.gpgSign", "true")
    write(app, {"app.py": "A = 2\n"})
    round_trip()


@pytest.mark.parametrize("driver", ["clean", "process", "smudge"])
def test_git_02_a_filter_never_runs_and_what_it_would_change_is_not_committed_raw(
    app: Path, marker: Marker, driver: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plain_git(app, "config", f"filter.x.{driver}", marker.command if driver != "process" else f"touch {marker.path}")
    write(app, {".gitattributes": "*.py filter=x\n", "app.py": "A = 2\n"})
    before = plain_git(app, "rev-parse", "HEAD")
    assert main(["checkpoint", "--repo", str(app), "--all"]) == 2
    said = capsys.readouterr().err
    assert "through a filter, which harness does not run: app.py" in said
    assert "git add FILE" in said
    assert plain_git(app, "rev-parse", "HEAD") == before
    assert main(["rollback", "--repo", str(app), "HEAD"]) == 0
    assert (app / "app.py").read_text() == "A = 1\n"
    assert not marker.fired()
    assert main(["rollback", "--repo", str(app), "--unpark", "1"]) == 0
    assert (app / "app.py").read_text() == "A = 2\n"
    plain_git(app, "add", "-A", check=False)
    if driver != "smudge":
        assert marker.fired(), "plain git runs it"
    plain_git(app, "-c", f"filter.x.{driver}=", "add", "-A")
    assert main(["checkpoint", "--repo", str(app)]) == 0
    assert not marker.fired()


def test_a_filter_that_nobody_defined_is_no_filter(app: Path, round_trip: Callable[..., dict[str, Any]]) -> None:
    write(app, {".gitattributes": "* filter=nobody\n", "app.py": "A = 2\n"})
    assert round_trip()["files"] == [".gitattributes", "app.py"]


def nested(at: Path, marker: Marker, tmp_path: Path) -> None:
    plain_git(at, "init", "-q")
    write(at, {"inner.py": "I = 1\n", ".gitattributes": "* filter=x\n"})
    plain_git(at, "-c", "user.name=x", "add", "-A")
    plain_git(at, "commit", "-q", "-m", "inner")
    plain_git(at, "config", "core.fsmonitor", str(marker.script(tmp_path / "monitor")))
    plain_git(at, "config", "filter.x.clean", marker.command)
    write(at, {"inner.py": "I = 2\n"})


def test_git_06_a_nested_repository_is_left_out_and_told(
    app: Path, marker: Marker, tmp_path: Path, round_trip: Callable[..., dict[str, Any]]
) -> None:
    (app / "vendor").mkdir()
    nested(app / "vendor", marker, tmp_path)
    plain_git(app / "vendor", "status")
    assert marker.fired()
    write(app, {"app.py": "A = 2\n"})
    said = round_trip()
    assert said["files"] == ["app.py"]
    assert [(f["rule"], f["path"]) for f in said["findings"]] == [("nested-repository", "vendor")]
    assert (app / "vendor" / "inner.py").read_text() == "I = 2\n"


def test_git_06_a_bare_repository_is_one_as_well(
    app: Path, marker: Marker, tmp_path: Path, round_trip: Callable[..., dict[str, Any]]
) -> None:
    bare = app / "data" / "store"
    bare.mkdir(parents=True)
    plain_git(bare, "init", "-q", "--bare")
    monitor = marker.script(tmp_path / "monitor")
    for key, value in (("core.bare", "false"), ("core.worktree", str(bare)), ("core.fsmonitor", str(monitor))):
        plain_git(bare, "config", key, value)
    plain_git(bare, "status")
    assert marker.fired()
    write(app, {"app.py": "A = 2\n", "data/HEAD": "no repository\n"})
    said = round_trip()
    assert said["files"] == ["app.py", "data/HEAD"]
    assert [(f["rule"], f["path"]) for f in said["findings"]] == [("nested-repository", "data/store")]


def test_git_06_inside_a_folder_with_tracked_files(
    app: Path, marker: Marker, tmp_path: Path, round_trip: Callable[..., dict[str, Any]]
) -> None:
    nested(app / "pkg", marker, tmp_path)
    write(app, {"pkg/mod.py": "M = 2\n"})
    said = round_trip()
    assert said["files"] == ["pkg/mod.py"], "files that the repository already tracks are its own"
    assert [f["path"] for f in said["findings"]] == ["pkg"]


def test_git_06_a_nested_repository_that_is_staged_is_refused(
    app: Path, marker: Marker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (app / "vendor").mkdir()
    nested(app / "vendor", marker, tmp_path)
    plain_git(app, "-c", "core.fsmonitor=false", "add", "vendor")
    marker.fired()
    for arguments in ([], ["--all"]):
        assert main(["checkpoint", "--repo", str(app), *arguments]) == 2
        assert "git rm --cached vendor" in capsys.readouterr().err
    assert not marker.fired()


def test_git_06_a_repository_in_the_way_of_a_rollback_is_not_removed(
    app: Path, marker: Marker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain_git(app, "rm", "-q", "app.py")
    plain_git(app, "commit", "-q", "-m", "gone")
    (app / "app.py").mkdir()
    nested(app / "app.py", marker, tmp_path)
    assert main(["rollback", "--repo", str(app), "HEAD~1"]) == 2
    assert "app.py is a repository and in the way" in capsys.readouterr().err
    assert (app / "app.py" / "inner.py").read_text() == "I = 2\n"
    assert not marker.fired()


def test_git_09_names_and_messages_of_commits_are_escaped(
    app: Path, marker: Marker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = f"$(touch {marker.path})\x1b[2J\u202e"
    plain_git(app, "commit", "-q", "--allow-empty", "-m", f"{evil}\n\nHarness-Checkpoint: 0001",
              GIT_AUTHOR_NAME=evil)  # fmt: skip
    plain_git(app, "config", "user.name", evil)
    write(app, {"app.py": "A = 2\n", "n\x1b[2J": "\n"})
    assert main(["checkpoint", "--repo", str(app), "--all", "-m", evil]) == 0
    assert main(["rollback", "--repo", str(app), "--list"]) == 0
    assert main(["rollback", "--repo", str(app), "1"]) == 0
    assert main(["rollback", "--repo", str(app), "--list", "--format", "json"]) == 0
    shown = "".join(capsys.readouterr())
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\\x1b[2J\\u202e" in shown
    assert not marker.fired()


def test_pi_06_a_commit_message_is_inert(app: Path) -> None:
    write(app, {"app.py": "A = 2\n"})
    assert main(["checkpoint", "--repo", str(app), "--all", "-m", "found\x1b]52;c;aGk=\x07 \u2066x"]) == 0
    said = plain_git(app, "log", "-1", "--format=%B")
    assert said.startswith("found\\x1b]52;c;aGk=\\x07 \\u2066x\n")
    assert said.isascii()


def test_git_10_inherited_variables_do_not_lead_elsewhere(
    app: Path, marker: Marker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other", {"o.py": "O = 1\n"})
    before = plain_git(other, "rev-parse", "HEAD")
    steering = {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other), "GIT_INDEX_FILE": str(tmp_path / "index"),
                "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor",
                "GIT_CONFIG_VALUE_0": str(marker.script(tmp_path / "monitor"))}  # fmt: skip
    for name, value in steering.items():
        monkeypatch.setenv(name, value)
    write(app, {"app.py": "A = 2\n"})
    assert main(["checkpoint", "--repo", str(app), "--all"]) == 0
    assert plain_git(app, "show", "HEAD:app.py") == "A = 2\n"
    assert plain_git(other, "rev-parse", "HEAD") == before
    assert not marker.fired()


def test_a_link_in_the_place_of_a_folder_is_not_written_through(app: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, {"mod.py": "mine\n"})
    (app / "pkg" / "mod.py").unlink()
    (app / "pkg").rmdir()
    (app / "pkg").symlink_to(outside)
    assert main(["checkpoint", "--repo", str(app), "--all"]) == 0
    assert plain_git(app, "ls-tree", "--name-only", "-r", "HEAD") == "app.py\npkg\n"
    assert main(["rollback", "--repo", str(app), "HEAD~1"]) == 0
    assert (app / "pkg" / "mod.py").read_text() == "M = 1\n"
    assert not (app / "pkg").is_symlink()
    assert (outside / "mod.py").read_text() == "mine\n"


def test_the_check_runs_in_the_sandbox_on_a_copy(app: Path) -> None:
    marker = Marker(Path(tempfile.mkdtemp()) / "marker")  # a command that has `pytest` in it is taken for pytest
    write(
        app, {"harness.toml": f'[checkpoint]\ncheck = "touch {marker.path}; touch app.py new.py; env > seen; true"\n'}
    )
    assert main(["checkpoint", "--repo", str(app), "--all"]) == 0
    write(app, {"app.py": "A = 2\n"})
    assert main(["checkpoint", "--repo", str(app), "--all"]) == 0
    assert not marker.fired()
    assert sorted(p.name for p in app.iterdir()) == [".git", "app.py", "harness.toml", "pkg"]
    assert os.environ.get("HOME", "") not in plain_git(app, "log", "-1", "--format=%B")
