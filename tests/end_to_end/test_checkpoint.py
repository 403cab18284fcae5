"""`harness checkpoint` in real git repositories; `test_rollback` goes back."""

import json
import os
from pathlib import Path

import pytest

from harness.cli.main import main
from tests.support.checkpoints import Call, caller, head, own
from tests.support.hostile import plain_git, repository, write
from tests.support.owned import contents, files, index, raw_git

SHELL = '[checkpoint]\ncheck = "python check.py"\n'
CHECK = "import shop\n\nassert shop.price(100) == 120, shop.price(100)\n"
SHOP = {"harness.toml": SHELL, "check.py": CHECK, "shop.py": "def price(n):\n    return n + 20\n"}
BROKEN = "def price(n):\n    return n\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return own(tmp_path / "app", SHOP)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    return own(tmp_path / "app", {"a.py": "A = 1\n", "b.py": "B = 1\n"})


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(tmp_path / "app", capsys)


def trailers(folder: Path, commit: str = "HEAD") -> dict[str, str]:
    lines = plain_git(folder, "log", "-1", "--format=%(trailers)", commit).strip().splitlines()
    return dict(line.split(": ", 1) for line in lines)


def test_what_is_staged_is_checked_and_committed_and_nothing_else_is_touched(shop: Path, call: Call) -> None:
    write(shop, {"shop.py": "def price(n):\n    return n + 10 + 10\n", "new.py": "x\n"})
    plain_git(shop, "add", "shop.py")
    write(shop, {"shop.py": BROKEN})
    lies = files(shop)
    code, said = call("checkpoint", "-m", "Ten and ten")
    assert (code, said["committed"], said["check"]["status"], said["left"]) == (0, True, "passed", 2), said
    assert said["files"] == ["shop.py"]
    assert plain_git(shop, "show", "HEAD:shop.py") == "def price(n):\n    return n + 10 + 10\n"
    assert files(shop) == lies
    assert plain_git(shop, "status", "--porcelain") == " M shop.py\n?? new.py\n"
    assert trailers(shop) == {"Harness-Checkpoint": "0001", "Harness-Check": "passed"}
    assert plain_git(shop, "log", "-1", "--format=%an <%ae> %s") == "Ada <ada@example.org> Ten and ten\n"


def test_the_check_is_about_what_is_staged_also_when_the_work_tree_runs(shop: Path, call: Call) -> None:
    write(shop, {"shop.py": BROKEN})
    plain_git(shop, "add", "shop.py")
    write(shop, {"shop.py": SHOP["shop.py"]})
    before, staged = head(shop), index(shop)
    code, said = call("checkpoint")
    assert (code, said["committed"], said["check"]["status"]) == (1, False, "failed"), said
    assert "AssertionError: 100" in said["check"]["reason"]
    assert (head(shop), index(shop)) == (before, staged)


def test_red_is_committed_when_told_to_and_says_so(shop: Path, call: Call) -> None:
    write(shop, {"shop.py": BROKEN})
    code, said = call("checkpoint", "--all", "--red")
    assert (code, said["check"]["status"]) == (0, "failed")
    assert trailers(shop)["Harness-Check"] == "failed"


def test_what_is_suggested_keeps_to_what_was_asked_for(shop: Path, call: Call) -> None:
    write(shop, {"shop.py": BROKEN})
    assert call("checkpoint", "--all")[1]["next"] == "harness checkpoint --all --red"
    plain_git(shop, "add", "-A")
    assert call("checkpoint")[1]["next"] == "harness checkpoint --red"


def test_a_check_without_a_result_is_no_pass(shop: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.checkpoint import check
    from harness.errors import SandboxUnavailable

    def none() -> None:
        raise SandboxUnavailable("no bubblewrap", hint="Install it.")

    monkeypatch.setattr(check, "find_sandbox", none)
    write(shop, {"shop.py": BROKEN})
    before = head(shop)
    code, said = call("checkpoint", "--all")
    assert (code, said["committed"], said["check"]["status"], head(shop)) == (3, False, "incomplete", before)
    assert call("checkpoint", "--all", "--run-check", "host")[0] == 1


def test_a_change_does_not_choose_its_own_check(shop: Path, call: Call) -> None:
    write(shop, {"shop.py": BROKEN, "harness.toml": '[checkpoint]\ncheck = "true"\n'})
    code, said = call("checkpoint", "--all")
    assert (code, said["check"]["command"], said["check"]["status"]) == (1, "python check.py", "failed")


def test_links_to_the_newest_run_and_devlog_entry(plain: Path, call: Call) -> None:
    from harness.state import State

    State(plain).new_run()
    State(plain).new_run()
    write(plain, {"docs/devlog/0002-2026-01-01-two.md": "", "docs/devlog/0010-2026-01-02-ten.md": "",
                  "docs/devlog/0011-@org-![x](http:y).md": ""})  # fmt: skip
    code, said = call("checkpoint", "--all")
    assert (code, said["run"], said["devlog"]) == (0, "0002", "docs/devlog/0010-2026-01-02-ten.md"), said
    assert trailers(plain) == {"Harness-Checkpoint": "0001", "Harness-Check": "none", "Harness-Run": "0002",
                               "Harness-Devlog": "docs/devlog/0010-2026-01-02-ten.md"}  # fmt: skip


def test_read_only_zones_are_those_of_head(tmp_path: Path, call: Call) -> None:
    app = own(
        tmp_path / "app", {"harness.toml": 'read_only = ["base_docs/"]\n', "base_docs/a.md": "1\n", "x/b.md": "1\n"}
    )
    write(app, {"harness.toml": "", "x/b.md": "2\n"})
    (app / "base_docs" / "a.md").rename(app / "a.md")
    before = head(app)
    code, said = call("checkpoint", "--all")
    assert (code, said["committed"], said["read_only"], head(app)) == (1, False, ["base_docs/a.md"], before), said
    (app / "a.md").rename(app / "base_docs" / "a.md")
    assert call("checkpoint", "--all")[0] == 0


def test_nothing_to_commit_says_what_to_type(plain: Path, call: Call) -> None:
    code, said = call("checkpoint")
    assert code == 4
    assert "nothing changed" in said["error"]
    write(plain, {"a.py": "A = 2\n"})
    code, said = call("checkpoint")
    assert code == 4
    assert "harness checkpoint --all" in said["error"]


def test_the_first_commit_of_an_empty_repository(tmp_path: Path, call: Call) -> None:
    app = tmp_path / "app"
    app.mkdir()
    plain_git(app, "init", "-q", "-b", "trunk")
    plain_git(app, "config", "user.name", "Ada")
    plain_git(app, "config", "user.email", "ada@example.org")
    assert call("checkpoint", "--all")[0] == 4
    assert call("rollback")[0] == 2
    write(app, {"a.py": "one\n"})
    plain_git(app, "add", "a.py")
    write(app, {"a.py": "two\n"})
    code, said = call("checkpoint", "--all")
    assert (code, said["branch"], said["parked"]) == (0, "trunk", "0001"), said
    assert plain_git(app, "rev-list", "--count", "HEAD") == "1\n"
    assert {b"one\n", b"two\n"} <= contents(app)


def test_ids_of_64_digits(tmp_path: Path, call: Call) -> None:
    app = tmp_path / "app"
    app.mkdir()
    plain_git(app, "init", "-q", "-b", "main", "--object-format=sha256")
    plain_git(app, "config", "user.name", "Ada")
    plain_git(app, "config", "user.email", "ada@example.org")
    write(app, {"a.py": "one\n", "b.py": "one\n"})
    assert call("checkpoint", "--all")[0] == 0
    assert plain_git(app, "status", "--porcelain") == ""
    write(app, {"a.py": "two\n"})
    (app / "b.py").unlink()
    assert call("checkpoint", "--all")[0] == 0
    assert call("rollback", "1")[0] == 0
    assert (app / "b.py").read_text() == "one\n"
    assert call("rollback", "--unpark", "1")[0] == 0
    assert plain_git(app, "status", "--porcelain") == ""
    plain_git(app, "fsck", "--strict")


def test_many_files_at_once(plain: Path, call: Call) -> None:
    write(plain, {f"many/{n}.txt": f"{n}\n" for n in range(100)})
    assert call("checkpoint", "--all")[0] == 0
    plain_git(plain, "fsck", "--strict")
    assert plain_git(plain, "show", "HEAD:many/99.txt") == "99\n"


def test_all_takes_modes_links_odd_names_swaps_and_leaves_what_is_ignored(tmp_path: Path, call: Call) -> None:
    app = own(
        tmp_path / "app", {"f": "1\n", "d/x": "2\n", "run.sh": "#!/bin/sh\n", ".gitignore": "*.log\n", "gone": "\n"}
    )
    (app / "run.sh").chmod(0o755)
    (app / "gone").unlink()
    (app / "f").unlink()
    (app / "d" / "x").unlink()
    (app / "d").rmdir()
    write(app, {"f/inner": "3\n", "d": "4\n", "n\new\x1b[2J": "5\n", "-x": "6\n", "y.log": "7\n", ":(top)": "8\n"})
    (app / os.fsdecode(b"\xff")).write_text("9\n")
    (app / "link").symlink_to("/etc/passwd")
    (app / "folder").symlink_to("f")
    code, said = call("checkpoint", "--all")
    assert code == 0, said
    names = raw_git(app, "ls-tree", "-rz", "--name-only", "HEAD").split(b"\0")[:-1]
    assert sorted(names) == sorted([b".gitignore", b"-x", b":(top)", b"d", b"f/inner", b"folder", b"link",
                                    b"n\new\x1b[2J", b"run.sh", b"\xff"])  # fmt: skip
    assert plain_git(app, "ls-tree", "HEAD", "run.sh")[:6] == "100755"
    assert plain_git(app, "cat-file", "-p", "HEAD:link") == "/etc/passwd"
    assert plain_git(app, "status", "--porcelain") == ""
    assert call("rollback", "HEAD~1")[0] == 0
    assert files(app, ignored=False)[b"d/x"] == ("file", b"2\n")
    assert (app / "y.log").read_text() == "7\n"


@pytest.mark.parametrize("what", ["merge", "rebase", "cherry-pick", "revert"])
def test_what_is_under_way_is_ended_first(plain: Path, call: Call, what: str) -> None:
    plain_git(plain, "switch", "-q", "-c", "other")
    write(plain, {"a.py": "A = 2\n"})
    plain_git(plain, "commit", "-qam", "two")
    plain_git(plain, "switch", "-q", "main")
    write(plain, {"a.py": "A = 3\n"})
    plain_git(plain, "commit", "-qam", "three")
    arguments = {"merge": ["merge", "other"], "rebase": ["rebase", "other"], "cherry-pick": ["cherry-pick", "other"],
                 "revert": ["revert", "--no-edit", "other"]}[what]  # fmt: skip
    plain_git(plain, *arguments, check=False)
    before = files(plain), index(plain), head(plain)
    for command in (["checkpoint", "--all"], ["checkpoint"], ["rollback", "HEAD~1"]):
        code, said = call(*command)
        assert code == 2, said
        assert f"git {what} --abort" in said["error"]
    assert (files(plain), index(plain), head(plain)) == before
    assert call("rollback", "--list")[0] == 0


def test_a_conflict_of_a_stash_is_named(plain: Path, call: Call) -> None:
    write(plain, {"a.py": "A = 2\n"})
    plain_git(plain, "stash", "-q")
    write(plain, {"a.py": "A = 3\n"})
    plain_git(plain, "commit", "-qam", "three")
    plain_git(plain, "stash", "pop", check=False)
    code, said = call("checkpoint", "--all")
    assert code == 2
    assert "conflicts: a.py" in said["error"]


def test_a_locked_index_is_respected(plain: Path, call: Call) -> None:
    write(plain, {"a.py": "A = 2\n"})
    (plain / ".git" / "index.lock").write_text("")
    for command in (["checkpoint", "--all"], ["rollback", "HEAD"]):
        code, said = call(*command)
        assert code == 3, said
        assert "index.lock" in said["error"]
    assert (plain / ".git" / "index.lock").exists()


@pytest.mark.parametrize("where", ["linked", "detached"])
def test_on_a_detached_head_and_in_a_linked_work_tree(plain: Path, call: Call, tmp_path: Path, where: str) -> None:
    place = plain
    if where == "linked":
        place = tmp_path / "linked"
        plain_git(plain, "worktree", "add", "-q", "-b", "side", str(place))
    else:
        plain_git(plain, "switch", "-q", "--detach")
    main_before = plain_git(plain, "rev-parse", "main")
    write(place, {"a.py": "A = 2\n"})
    ours = ["--repo", str(place)]
    assert main(["checkpoint", "--all", *ours]) == 0
    made = head(place)
    assert plain_git(place, "status", "--porcelain") == ""
    write(place, {"a.py": "A = 3\n"})
    assert main(["checkpoint", "--all", *ours]) == 0
    later = head(place)
    assert main(["rollback", "1", *ours]) == 0
    assert (head(place), plain_git(plain, "rev-parse", "main")) == (made, main_before)
    assert "rollback" in plain_git(place, "reflog", "-1")
    assert main(["rollback", "--unpark", "1", *ours]) == 0
    assert head(place) == later
    assert plain_git(place, "symbolic-ref", "-q", "HEAD", check=False) == (
        "refs/heads/side\n" if where == "linked" else ""
    )


def test_submodules_stay_as_they_are(tmp_path: Path, call: Call) -> None:
    library = repository(tmp_path / "library", {"lib.py": "L = 1\n"})
    app = own(tmp_path / "app", {"a.py": "A = 1\n"})
    plain_git(app, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(library), "sub")
    assert call("checkpoint", "-m", "With a library")[0] == 0
    write(app, {"a.py": "A = 2\n", "sub/lib.py": "L = 2\n"})
    code, said = call("checkpoint", "--all")
    assert (code, said["files"], said["findings"]) == (0, ["a.py"], []), said
    assert (app / "sub" / "lib.py").read_text() == "L = 2\n"
    assert call("rollback", "HEAD~2")[0] == 0
    assert not (app / ".gitmodules").exists()
    assert (app / "sub" / "lib.py").read_text() == "L = 2\n"
    assert call("rollback", "--unpark", "1")[0] == 0
    assert plain_git(app, "status", "--porcelain", "--ignore-submodules=dirty") == ""


def test_a_commit_that_cannot_be_read_is_not_taken_for_none(
    plain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = tmp_path / "shared"
    plain_git(tmp_path, "clone", "-q", "--shared", str(plain), str(shared), GIT_ALLOW_PROTOCOL="file")
    write(shared, {"a.py": "A = 3\n"})
    before = head(shared)
    assert main(["checkpoint", "--all", "--repo", str(shared)]) == 2
    assert "git repack -a -d" in capsys.readouterr().err
    assert head(shared) == before


def test_a_moved_head_is_noticed(
    plain: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from harness.checkpoint import runner
    from harness.checkpoint.records import Checked

    def meanwhile(*_: object, **__: object) -> Checked:
        plain_git(plain, "commit", "-q", "--allow-empty", "-m", "meanwhile")
        return Checked(status="passed")

    monkeypatch.setattr(runner, "checked", meanwhile)
    write(plain, {"a.py": "A = 2\n"})
    plain_git(plain, "add", "a.py")
    assert main(["checkpoint", "--repo", str(plain)]) == 3
    assert "HEAD moved meanwhile" in capsys.readouterr().err
    assert plain_git(plain, "log", "-1", "--format=%s") == "meanwhile\n"


def test_what_is_staged_meanwhile_is_not_lost(plain: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    from harness.checkpoint import runner
    from harness.checkpoint.records import Checked

    def meanwhile(*_: object, **__: object) -> Checked:
        write(plain, {"b.py": "B = 2\n"})
        plain_git(plain, "add", "b.py")
        return Checked(status="passed")

    monkeypatch.setattr(runner, "checked", meanwhile)
    write(plain, {"a.py": "A = 2\n"})
    plain_git(plain, "add", "a.py")
    code, said = call("checkpoint")
    assert (code, said["files"], plain_git(plain, "status", "--porcelain")) == (0, ["a.py"], "M  b.py\n")
    write(plain, {"a.py": "A = 3\n", "b.py": "B = 1\n"})
    before, staged = head(plain), contents(plain)
    code, said = call("checkpoint", "--all")
    assert code == 3
    assert "what is staged was changed meanwhile" in said["error"]
    assert (head(plain), staged <= contents(plain)) == (before, True)


@pytest.mark.parametrize(
    "arguments", [["rollback", "nowhere"], ["rollback", "--unpark", "7"], ["rollback", "x", "--list"],
                  ["rollback", "--output=/x"], ["checkpoint", "-m", " "], ["checkpoint", "-m", "x\n\nHarness-Check: passed"]]
)  # fmt: skip
def test_usage(plain: Path, call: Call, arguments: list[str]) -> None:
    write(plain, {"a.py": "A = 2\n"})
    plain_git(plain, "add", "a.py")
    before = head(plain), index(plain)
    assert call(*arguments)[0] == 2
    assert (head(plain), index(plain)) == before


def test_outside_of_git(tmp_path: Path, call: Call) -> None:
    (tmp_path / "app").mkdir()
    code, said = call("checkpoint", "--all")
    assert code == 2
    assert "git init" in said["error"]


def test_nobody_is_known_who_could_commit(plain: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    plain_git(plain, "config", "--unset", "user.name")
    plain_git(plain, "config", "--unset", "user.email")
    plain_git(plain, "config", "user.useConfigOnly", "true")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("EMAIL", raising=False)
    write(plain, {"a.py": "A = 2\n"})
    code, said = call("checkpoint", "--all")
    assert code == 2
    assert "git config user.name" in said["error"]


def test_review_since_the_last_checkpoint(tmp_path: Path, call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    app = own(tmp_path / "app", {"app.py": "import os\n"})
    write(app, {"app.py": "import os\n\nX = os.name\n"})
    made = call("checkpoint", "--all")[1]["commit"]
    hole = "import os\n\nfrom flask import request\n\n\ndef run():\n    os.system(request.args['a'])\n"
    write(app, {"app.py": hole})
    capsys.readouterr()
    arguments = ["--since-checkpoint", "--dimension", "security", "--no-exec", "--format", "json", "-q"]
    code = main(["review", str(app), *arguments])
    report = json.loads(capsys.readouterr().out)
    assert (code, report["review"]["base"]) == (1, made)
    assert [f["rule"] for f in report["findings"] if f["verdict"] == "CONFIRMED"] == ["command-injection"]


def test_a_split_that_is_suggested_can_be_typed(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    app = own(tmp_path / "app", {"web/page.py": "P = 1\n", "data/store.py": "S = 1\n", "README.md": "1\n"})
    write(app, {"web/page.py": "P = 2\n", "web/new part.py": "N = 1\n", "data/store.py": "S = 2\n", "README.md": "2\n"})
    code, said = call("checkpoint", "--all")
    assert (code, [p["name"] for p in said["parts"]]) == (0, ["web", "data"]), said
    whole, tree = said["commit"], files(app)
    for line in said["split"]:
        if line.startswith("harness checkpoint -m "):
            assert call("checkpoint", "-m", line.removeprefix("harness checkpoint -m "))[1]["parts"] == []
        else:
            import shlex

            plain_git(app, *shlex.split(line)[1:])
    assert plain_git(app, "log", "--format=%s", f"{whole}~1..HEAD").split() == ["data", "web"]
    assert plain_git(app, "diff", whole, "HEAD") == ""
    assert (files(app), plain_git(app, "status", "--porcelain")) == (tree, "")


def test_a_person_sees_what_was_committed_and_what_to_type(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(plain, {"a.py": "A = 2\n"})
    assert main(["checkpoint", "--repo", str(plain), "--all", "-m", "Two"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        f"checkpoint 0001 @ {head(plain)[:12]} on main: Two\n  files      1: a.py\n  check      none is"
    )
    assert out.rstrip().endswith("next: harness review --since-checkpoint; back to it: harness rollback 0001")
