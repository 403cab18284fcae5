"""Checkpoints and rollbacks where git keeps its index, its attributes or its objects in a less common way."""

import errno
import os
import shlex
import signal
import tempfile
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import main
from harness.repo import landing
from tests.support.checkpoints import Call, caller, owned
from tests.support.hostile import plain_git, repository, write


@pytest.fixture
def app(tmp_path: Path) -> Path:
    files = {"in/a.py": "A = 1\n", "out/b.py": "B = 1\n", "more/c.py": "C = 1\n"}
    return owned(repository(tmp_path / "app", files))


@pytest.fixture
def call(app: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(app, capsys)


def sound(folder: Path) -> bool:
    """Whether git can read everything that its index and references name; `fsck` first, the other writes what is missing."""
    whole = plain_git(folder, "fsck", "--full", "--no-dangling", check=False) == ""
    plain_git(folder, "ls-files", "--stage")
    return whole


def test_a_split_index_stays_readable(app: Path, call: Call) -> None:
    plain_git(app, "config", "core.splitIndex", "true")
    plain_git(app, "update-index", "--split-index")
    write(app, {f"new{n}.py": f"N = {n}\n" for n in range(50)})
    assert call("checkpoint", "--all")[0] == 0
    assert sound(app)
    assert plain_git(app, "status", "--porcelain") == ""
    write(app, {"in/a.py": "A = 2\n", **{f"more{n}.py": f"M = {n}\n" for n in range(50)}})
    plain_git(app, "add", "-A")
    before = plain_git(app, "status", "--porcelain")
    assert call("rollback")[0] == 0
    assert plain_git(app, "status", "--porcelain") == ""
    assert call("rollback", "--unpark", "1")[0] == 0
    assert plain_git(app, "status", "--porcelain") == before
    assert sound(app)


@pytest.mark.parametrize("arguments", [[], ["--all"]])
def test_a_sparse_index_gives_whole_commits(app: Path, call: Call, arguments: list[str]) -> None:
    plain_git(app, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
    write(app, {"in/a.py": "A = 2\n", "in/d.py": "D = 1\n"})
    plain_git(app, "add", "in")
    assert call("checkpoint", *arguments)[0] == 0
    assert sound(app)
    held = plain_git(app, "ls-tree", "-r", "--name-only", "HEAD").split()
    assert held == ["in/a.py", "in/d.py", "more/c.py", "out/b.py"]


@pytest.mark.parametrize("where", ["info", "user", "default"])
def test_attributes_of_the_owners_own_count(
    app: Path, call: Call, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    place = {
        "info": app / ".git" / "info" / "attributes",
        "user": tmp_path / "attributes",
        "default": tmp_path / "xdg" / "git" / "attributes",
    }[where]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("*.nb filter=strip\n*.bat text eol=crlf\n")
    if where == "user":
        plain_git(app, "config", "core.attributesFile", str(place))
    plain_git(app, "config", "filter.strip.clean", "sed d")
    (app / "x.bat").write_bytes(b"one\r\ntwo\r\n")
    assert call("checkpoint", "--all")[0] == 0
    assert plain_git(app, "show", "HEAD:x.bat") == "one\ntwo\n"
    write(app, {"x.nb": "secret output\n"})
    code, said = call("checkpoint", "--all")
    assert code == 2
    assert "through a filter, which harness does not run: x.nb" in said["error"]
    (app / "x.bat").write_bytes(b"mixed\r\nends\n")
    assert call("rollback")[0] == 0
    assert (app / "x.bat").read_bytes() == b"one\r\ntwo\r\n"
    assert call("rollback", "--unpark", "1")[0] == 0
    assert (app / "x.bat").read_bytes() == b"mixed\r\nends\n"
    assert (app / "x.nb").read_text() == "secret output\n"


def test_contents_that_are_not_here_stop_a_rollback_before_it_begins(app: Path, call: Call, tmp_path: Path) -> None:
    write(app, {"in/a.py": "A = 2\n"})
    plain_git(app, "commit", "-qam", "two")
    plain_git(app, "config", "uploadpack.allowFilter", "true")
    part = tmp_path / "part"
    plain_git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{app}", str(part), GIT_ALLOW_PROTOCOL="file")
    owned(part)
    write(part, {"out/b.py": "dirty\n"})
    code, said = call("rollback", "HEAD~1", at=part)
    assert code == 3
    assert "1 file of it is not in this repository" in said["error"]
    assert (part / "out" / "b.py").read_text() == "dirty\n"
    assert (part / "in" / "a.py").read_text() == "A = 2\n"
    assert plain_git(part, "for-each-ref", "refs/harness") == ""
    plain_git(part, "archive", "--output", str(tmp_path / "fetched.tar"), "HEAD~1", GIT_ALLOW_PROTOCOL="file")
    assert call("rollback", "HEAD~1", at=part)[0] == 0
    assert (part / "in" / "a.py").read_text() == "A = 1\n"


@pytest.mark.parametrize("number", ["9" * 5000, "\N{SUPERSCRIPT TWO}", "-1", "seven"])
def test_a_number_that_is_none_is_no_number(app: Path, call: Call, number: str) -> None:
    plain_git(app, "commit", "-q", "--allow-empty", "-m", f"Not ours\n\nHarness-Checkpoint: {number}")
    write(app, {"in/a.py": "A = 2\n"})
    code, said = call("checkpoint", "--all")
    assert (code, said.get("number")) == (0, "0001"), said
    assert call("rollback", "--list")[0] == 0
    assert call("rollback", "7")[0] == 2
    assert call("rollback", "1")[0] == 0


@pytest.mark.parametrize("name", ["HEAD@{1}", "@{upstream}", ":/first"])
def test_a_name_that_only_the_owners_git_knows_says_how_to_look_it_up(app: Path, call: Call, name: str) -> None:
    code, said = call("rollback", name)
    assert code == 2
    assert f"git rev-parse {shlex.quote(name)}" in said["error"]


@pytest.mark.parametrize("detached", [False, True])
def test_a_locked_branch_stops_both_before_they_begin(app: Path, call: Call, *, detached: bool) -> None:
    write(app, {"in/a.py": "A = 2\n"})
    plain_git(app, "commit", "-qam", "two")
    if detached:
        plain_git(app, "switch", "-q", "--detach")
    lock = app / ".git" / ("HEAD.lock" if detached else "refs/heads/main.lock")
    lock.touch()
    write(app, {"in/a.py": "A = 3\n"})
    for arguments in (["rollback", "HEAD~1"], ["checkpoint", "--all"]):
        code, said = call(*arguments)
        assert code == 3
        assert f"remove {lock}" in said["error"]
        assert plain_git(app, "status", "--porcelain") == " M in/a.py\n"
        assert plain_git(app, "for-each-ref", "refs/harness") == ""
        assert (app / "in" / "a.py").read_text() == "A = 3\n"


@pytest.mark.parametrize("arguments", [["rollback", "HEAD~1"], ["checkpoint", "--all"]])
@pytest.mark.parametrize("step", ["mkstemp", "fsync"])
def test_a_full_disk_changes_nothing_and_is_no_mistake_of_yours(
    app: Path, call: Call, monkeypatch: pytest.MonkeyPatch, arguments: list[str], step: str
) -> None:
    write(app, {"in/a.py": "A = 2\n"})
    plain_git(app, "commit", "-qam", "two")
    write(app, {"in/a.py": "A = 3\n"})
    before = plain_git(app, "rev-parse", "HEAD")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile if step == "mkstemp" else os, step, full)
    code, said = call(*arguments)
    monkeypatch.undo()
    assert code == 3
    assert "the repository cannot be written: No space left on device" in said["error"]
    assert plain_git(app, "status", "--porcelain") == " M in/a.py\n"
    assert plain_git(app, "rev-parse", "HEAD") == before
    assert not list((app / ".git").rglob("*.lock"))
    assert sound(app)


@pytest.mark.parametrize("name", ["git~1", ".git ", "in/.GIT/config"])
def test_a_name_that_git_does_not_store_is_no_silent_gap(app: Path, call: Call, name: str) -> None:
    before = plain_git(app, "rev-parse", "HEAD")
    write(app, {name: "x\n", "in/a.py": "A = 2\n"})
    code, said = call("checkpoint", "--all")
    assert code == 2
    assert f"git stores no file under such a name: {name}" in said["error"]
    assert plain_git(app, "rev-parse", "HEAD") == before
    assert call("rollback", "HEAD")[0] == 0
    assert (app / name).read_text() == "x\n"


@pytest.mark.parametrize("kind", ["folder", "file", "link", "repository"])
def test_what_is_left_out_for_its_git_is_said_when_nothing_else_changed(app: Path, call: Call, kind: str) -> None:
    write(app, {"inner/x.py": "X = 1\n"})
    place = app / "inner" / ".git"
    if kind == "folder":
        place.mkdir()
    elif kind == "file":
        place.write_text("gitdir: /nonexistent\n")
    elif kind == "link":
        place.symlink_to("../.git")
    else:
        plain_git(app / "inner", "init", "-q")
    code, said = call("checkpoint", "--all")
    assert code == 4
    assert "nothing changed but below inner" in said["error"]


def test_in_a_submodule_it_says_that_it_is_one(
    app: Path, call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    around = owned(repository(tmp_path / "around", {"x.py": "X = 1\n"}))
    plain_git(around, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(app), "sub")
    for arguments in (["checkpoint", "--all"], ["rollback"]):
        code, said = call(*arguments, at=around / "sub")
        assert code == 2
        assert "leads elsewhere (a submodule, or a separate git directory)" in said["error"]
        assert "git init" not in said["error"]
    for arguments in (["review"], ["gate"], ["gate", "--install"]):
        assert main([*arguments, str(around / "sub")]) == 2
        assert "a submodule" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("arguments", [["rollback", "HEAD~1"], ["checkpoint", "--all"]])
def test_a_signal_that_comes_too_late_does_not_hide_what_was_done(
    app: Path, call: Call, monkeypatch: pytest.MonkeyPatch, arguments: list[str], number: signal.Signals
) -> None:
    write(app, {"in/a.py": "A = 2\n"})
    plain_git(app, "commit", "-qam", "two")
    write(app, {"in/a.py": "A = 3\n"})
    move = landing.move

    def signalled(*given: Any) -> None:
        os.kill(os.getpid(), number)
        move(*given)

    monkeypatch.setattr(landing, "move", signalled)
    code, said = call(*arguments)
    assert code == 0
    assert said["commit"] == plain_git(app, "rev-parse", "HEAD").strip()
