"""`harness rollback` in real git repositories: what comes back, what is parked, and how it is taken out again."""

import os
from pathlib import Path

import pytest

from harness.cli.main import main
from tests.support.checkpoints import Call, caller, head, own
from tests.support.hostile import plain_git, write
from tests.support.owned import contents, index


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    return own(tmp_path / "app", {"a.py": "A = 1\n", "b.py": "B = 1\n"})


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(tmp_path / "app", capsys)


def test_line_ends_that_attributes_ask_for_come_back(tmp_path: Path, call: Call) -> None:
    app = own(tmp_path / "app", {".gitattributes": "*.bat text eol=crlf\n", "a.py": "1\n"})
    (app / "x.bat").write_bytes(b"one\r\ntwo\r\n")
    assert call("checkpoint", "--all")[0] == 0
    assert plain_git(app, "status", "--porcelain") == ""
    (app / "x.bat").write_bytes(b"mixed\r\nends\n")
    assert call("rollback")[0] == 0
    assert (app / "x.bat").read_bytes() == b"one\r\ntwo\r\n"
    assert plain_git(app, "status", "--porcelain") == ""
    assert call("rollback", "--unpark", "1")[0] == 0
    assert (app / "x.bat").read_bytes() == b"mixed\r\nends\n"


def test_what_is_ignored_and_in_the_way_is_parked_too(tmp_path: Path, call: Call) -> None:
    app = own(tmp_path / "app", {"out": "tracked\n"})
    plain_git(app, "rm", "-q", "out")
    write(app, {".gitignore": "out\n"})
    plain_git(app, "add", ".gitignore")
    plain_git(app, "commit", "-q", "-m", "no out")
    write(app, {"out/deep/secret": "ignored\n"})
    assert call("rollback", "HEAD~1")[0] == 0
    assert (app / "out").read_text() == "tracked\n"
    assert b"ignored\n" in contents(app)
    assert call("rollback", "--unpark", "1")[0] == 0
    assert (app / "out" / "deep" / "secret").read_text() == "ignored\n"


def test_a_file_that_cannot_be_read_stops_a_rollback_before_it_begins(
    plain: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(plain / "pipe")
    plain_git(plain, "rm", "-q", "--cached", "b.py")
    (plain / "b.py").unlink()
    os.mkfifo(plain / "b.py")
    before = index(plain), head(plain)
    code, said = call("rollback", "HEAD")
    assert code == 2, said
    assert "b.py is in the way" in said["error"]
    assert (index(plain), head(plain)) == before


def test_going_back_lists_the_way_forward(plain: Path, call: Call) -> None:
    write(plain, {"a.py": "A = 2\n"})
    assert call("checkpoint", "--all", "-m", "Two")[0] == 0
    write(plain, {"a.py": "A = 3\n", "note": "n\n"})
    later = call("checkpoint", "--all", "-m", "Three")[1]["commit"]
    write(plain, {"b.py": "B = 9\n"})
    code, said = call("rollback", "0001")
    assert (code, said["number"], said["subject"], said["later"]) == (0, "0001", "Two", 1), said
    assert sorted(said["changed"]) == ["a.py", "b.py", "note"]
    assert plain_git(plain, "rev-parse", f"{said['parked_ref']}^1").strip() == later
    listed = call("rollback", "--list")[1]
    assert [(c["id"], c["subject"]) for c in listed["checkpoints"]] == [("0001", "Two")]
    assert [(p["id"], p["kind"]) for p in listed["parked"]] == [("0001", "state")]
    assert call("rollback", "1")[1]["parked"] == "", "nothing to do, nothing parked"
    assert call("rollback", "--unpark", "1")[0] == 0
    assert (head(plain), plain_git(plain, "status", "--porcelain")) == (later, " M b.py\n")


def test_git_stash_understands_what_is_parked(plain: Path, call: Call) -> None:
    write(plain, {"a.py": "A = 2\n"})
    plain_git(plain, "add", "a.py")
    write(plain, {"a.py": "A = 3\n", "new": "n\n"})
    ref = call("rollback", "HEAD")[1]["parked_ref"]
    plain_git(plain, "stash", "apply", "-q", "--index", ref)
    assert (plain / "a.py").read_text() == "A = 3\n"
    assert (plain / "new").read_text() == "n\n"
    assert plain_git(plain, "show", ":a.py") == "A = 2\n"


def test_what_was_parked_on_another_branch_comes_back_there(plain: Path, call: Call) -> None:
    write(plain, {"a.py": "A = 2\n"})
    assert call("rollback", "HEAD")[0] == 0
    plain_git(plain, "switch", "-q", "-c", "other")
    code, said = call("rollback", "--unpark", "1")
    assert code == 2
    assert "git switch main" in said["error"]
    plain_git(plain, "switch", "-q", "main")
    assert call("rollback", "--unpark", "1")[0] == 0


def test_what_was_staged_alone_is_no_state_to_go_to(plain: Path, call: Call) -> None:
    write(plain, {"a.py": "A = 2\n"})
    plain_git(plain, "add", "a.py")
    write(plain, {"a.py": "A = 3\n"})
    assert call("checkpoint", "--all")[1]["parked"] == "0001"
    code, said = call("rollback", "--unpark", "0001")
    assert code == 2
    assert "git show refs/harness/parked/0001:FILE" in said["error"]
    assert plain_git(plain, "show", "refs/harness/parked/0001:a.py") == "A = 2\n"


def test_a_shallow_clone(plain: Path, call: Call, tmp_path: Path) -> None:
    write(plain, {"a.py": "A = 2\n"})
    plain_git(plain, "commit", "-qam", "two")
    shallow = tmp_path / "shallow"
    plain_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{plain}", str(shallow), GIT_ALLOW_PROTOCOL="file")
    plain_git(shallow, "config", "user.name", "Ada")
    plain_git(shallow, "config", "user.email", "ada@example.org")
    write(shallow, {"a.py": "A = 3\n"})
    assert main(["checkpoint", "--all", "--repo", str(shallow)]) == 0
    write(shallow, {"a.py": "A = 4\n"})
    assert main(["rollback", "--repo", str(shallow)]) == 0
    assert (shallow / "a.py").read_text() == "A = 3\n"


def test_a_sparse_checkout_keeps_what_is_not_checked_out(tmp_path: Path, call: Call) -> None:
    app = own(tmp_path / "app", {"in/a.py": "A = 1\n", "out/b.py": "B = 1\n"})
    plain_git(app, "sparse-checkout", "set", "in")
    assert not (app / "out").exists()
    write(app, {"in/a.py": "A = 2\n"})
    code, said = call("checkpoint", "--all")
    assert (code, said["files"]) == (0, ["in/a.py"]), said
    code, said = call("rollback", "HEAD~1")
    assert code == 2
    assert "git sparse-checkout disable" in said["error"]
