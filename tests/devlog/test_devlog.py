"""The diary: append-only, readable, and every edit is found."""

import errno
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from devlog.commands import FORM, sections
from devlog.entry import Entry, Leftover, from_markdown, to_markdown
from devlog.store import CHAIN, Devlog
from harness.cli.main import main
from harness.errors import IncompleteError, UsageError


def entry(title: str = "A day", **more: object) -> Entry:
    fields: dict[str, object] = {
        "number": 1,
        "date": date(2026, 11, 30),
        "title": title,
        "goal": "g",
        "done": "d",
        **more,
    }
    return Entry.model_validate(fields)


@pytest.fixture
def log(tmp_path: Path) -> Devlog:
    return Devlog(tmp_path / "devlog")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_front_matter_and_text_say_the_same(language: str) -> None:
    one = entry(
        'Quotes " and \\ and\ttabs', language=language, goal="several\nlines\n+++\nnot the end", decisions=("a", "b\nc"),
        files=("a.py", "b`c<x>.py"), commits=("abc ![](http://x/)",), leftovers=(Leftover(id="1.1", text="later"),),
        closes=("1.1",), head="h", previous="p",
    )  # fmt: skip
    assert from_markdown(to_markdown(one), "x") == one
    assert ("## Goal" if language == "en" else "## 目标") in to_markdown(one)


def test_entries_are_numbered_and_leftovers_closed_by_later_ones(log: Devlog) -> None:
    first = log.add(entry("One", leftovers=(Leftover(id="9.9", text="x"), Leftover(id="9.9", text="y"))))
    assert first.name == "0001-2026-11-30-one.md"
    assert [o.leftover.id for o in log.leftovers()] == ["1.1", "1.2"]
    log.add(entry("Two", closes=("1.1",)))
    assert [(o.leftover.id, o.leftover.text) for o in log.leftovers()] == [("1.2", "y")]
    with pytest.raises(UsageError, match=r"no open leftover is called 1\.1"):
        log.add(entry("Three", closes=("1.1",)))
    assert log.check() == []


def test_every_edited_byte_is_found(log: Devlog) -> None:
    for n in range(2):
        log.add(entry(f"Entry é {n}", goal="several\r\nlines", files=("a.py",)))
    dice = random.Random(7)
    for path in [*log.paths(), log.folder / CHAIN]:
        raw = path.read_bytes()
        for at in range(len(raw)):
            changed = bytearray(raw)
            changed[at] ^= 1 << dice.randrange(8)
            path.write_bytes(changed)
            assert log.check(), (path.name, at)
        for at in (0, len(raw) // 2, len(raw) - 1):
            path.write_bytes(raw[:at] + raw[at + 1 :])
            assert log.check(), (path.name, f"without {at}")
        for more in (b"\n", b" ", b"\r\n", b"\0", b"\xff", b"{}\n"):
            for changed in (raw + more, more + raw):
                path.write_bytes(changed)
                assert log.check(), (path.name, more)
        path.write_bytes(raw)
    assert log.check() == []


def swap(one: Path, other: Path) -> None:
    first = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(first)


def linked(path: Path) -> None:
    aside = path.rename(path.with_name("aside"))
    path.symlink_to(aside)


def without_last_line(path: Path) -> None:
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


@pytest.mark.parametrize(
    "harm",
    [
        lambda log: log.paths()[1].rename(log.folder / "0002-2026-11-30-other.md"),
        lambda log: log.paths()[1].rename(log.folder / "notes.md"),
        lambda log: swap(*log.paths()[:2]),
        lambda log: log.paths()[-1].unlink(),
        lambda log: (log.folder / CHAIN).unlink(),
        lambda log: (log.folder / CHAIN).write_text(""),
        lambda log: without_last_line(log.folder / CHAIN),
        lambda log: [path.unlink() for path in log.paths()],
        lambda log: (log.folder / "0004-more.md").write_bytes(log.paths()[-1].read_bytes()),
        lambda log: linked(log.paths()[-1]),
        lambda log: (log.folder / "0004-folder.md").mkdir(),
    ],
    ids=["renamed", "moved away", "two swapped", "the last removed", "no chain", "an empty chain", "a link removed",
         "all removed", "a copy added", "a link of a file", "a folder added"],
)  # fmt: skip
def test_every_other_harm_is_found(log: Devlog, harm: Callable[[Devlog], object]) -> None:
    for n in range(3):
        log.add(entry(f"Entry {n}"))
    harm(log)
    assert log.check()


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_removed_entry_is_found_and_nothing_is_added_to_a_damaged_log(log: Devlog, gone: int) -> None:
    for n in range(3):
        log.add(entry(f"Entry {n}"))
    log.paths()[gone].unlink()
    assert log.check()
    with pytest.raises(UsageError, match="is damaged"):
        log.add(entry("More"))


def test_a_thousand_entries(log: Devlog, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Devlog, "check", lambda _: [])
        patch.setattr(Devlog, "leftovers", lambda _: [])
        patch.setattr("devlog.store.os.fsync", lambda _: None)
        for n in range(1000):
            log.add(entry(f"Entry {n}", files=tuple(f"pkg/module_{i}.py" for i in range(20))))
    assert len(list(log.entries())) == 1000  # how fast this is, benchmarks/devlog.py measures
    assert log.check() == []


def test_two_writers_do_not_mix(log: Devlog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlog.store.PATIENCE_S", 0.0)
    log.folder.mkdir(parents=True)
    (log.folder / ".lock").write_text("1")
    with pytest.raises(UsageError, match="another process writes"):
        log.add(entry())


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=A \x1b[2J$(touch pwned)\u202e", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_the_command_fills_in_files_and_commits_from_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "First \x1b]8;;http://x\x07 step")
    monkeypatch.chdir(tmp_path)
    assert main(["devlog", "add", "--title", "Start", "--goal", "g", "--done", "d", "--leftover", "more"]) == 0
    (tmp_path / "b.py").write_text("2")
    git(tmp_path, "add", "b.py")
    assert main(["devlog", "add", "--title", "Go on", "--goal", "g", "--done", "d", "--close", "1.1"]) == 0
    entries = list(Devlog(tmp_path / "docs/devlog").entries())
    assert entries[0].files == ("a.py",)
    assert len(entries[0].commits) == 1
    assert r"First \x1b]8;;http://x\x07 step" in entries[0].commits[0]
    assert entries[1].files == ("b.py",)
    assert entries[1].commits == ()
    assert not (tmp_path / "pwned").exists()
    capsys.readouterr()
    assert main(["devlog", "leftovers"]) == 0
    assert main(["devlog", "check"]) == 0
    assert main(["devlog", "search", "go", "ON"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "2 entries, unbroken"
    assert main(["devlog", "show", "7"]) == 2


def test_standard_input_gives_the_sections(tmp_path: Path) -> None:
    text = "[goal]\nDo it\n[done]\nDid it\n\ntwice\n[decisions]\none\ntwo\n[leftovers]\nrest\n"
    command = [
        sys.executable,
        "-m",
        "harness.cli.main",
        "devlog",
        "--path",
        str(tmp_path / "log"),
        "add",
        "--title",
        "T",
        "--stdin",
    ]
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2]
    )
    assert done.returncode == 0, done.stderr
    (one,) = Devlog(tmp_path / "log").entries()
    assert (one.goal, one.done, one.decisions, one.leftovers[0].text) == (
        "Do it",
        "Did it\n\ntwice",
        ("one", "two"),
        "rest",
    )


ADD = ["devlog", "add", "--title", "T"]


@pytest.mark.parametrize(
    "more",
    [["--title", " ", "--goal", "g", "--done", "d"], ["--goal", " ", "--done", "d"], ["--goal", "g", "--done", "\n"],
     ["--goal", "g", "--done", "\udcff"], ["--title", "\udcff", "--goal", "g", "--done", "d"]],
)  # fmt: skip
def test_an_entry_that_says_nothing_readable_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*ADD, *more]) == 2
    assert Devlog(tmp_path / "docs" / "devlog").paths() == []


def test_blank_items_are_left_out_and_a_title_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    more = [
        "--title",
        "two\nlines",
        "--goal",
        "g",
        "--done",
        "d",
        "--decision",
        " ",
        "--leftover",
        "",
        "--leftover",
        "x",
    ]
    assert main([*ADD, *more]) == 0
    (one,) = Devlog(tmp_path / "docs" / "devlog").entries()
    assert (one.title, one.decisions, [left.text for left in one.leftovers]) == ("two lines", (), ["x"])


def test_nothing_that_is_written_is_lost() -> None:
    done = "[done]\n# A heading\n#12 is fixed\n    code = 1\n\n"
    text = f"[Goal] Fix it\r\n{done}[decisions] X, not Y\n- and Z\n[leftovers]\n* rest\n"
    assert sections(text) == {
        "goal": ["Fix it"], "done": ["# A heading", "#12 is fixed", "    code = 1", ""], "decisions": ["X, not Y", "and Z"],
        "leftovers": ["rest"],
    }  # fmt: skip
    assert sections(FORM, form=True) == {"goal": [""], "done": [""], "decisions": [], "leftovers": []}


def test_what_the_editor_gave_is_not_lost_to_a_mistake_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("click.edit", lambda _: pytest.fail("asked before the options were looked at"))
    assert main([*ADD, "--close", "7.1"]) == 2


def test_no_editor_opens_without_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("click.edit", lambda _: pytest.fail("an editor would wait for nobody"))
    assert main(["devlog", "add", "--title", "t", "--goal", "g"]) == 2
    assert "--done D, or --stdin" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["language", "bytes", "folder", "pipe"])
@pytest.mark.parametrize(
    "command", [["list"], ["show", "1"], ["search", "t"], ["leftovers"], [*ADD[1:], "--close", "1.1"]]
)
def test_an_entry_that_cannot_be_read_is_said(log: Devlog, what: str, command: list[str]) -> None:
    path = log.add(entry())
    if what == "language":
        path.write_text(path.read_text().replace('language = "en"', 'language = "../../x"'))
    elif what == "bytes":
        path.write_bytes(path.read_bytes() + b"\xff")
    else:
        path.unlink()
        path.mkdir() if what == "folder" else os.mkfifo(path)
    assert (
        main(
            [
                "devlog",
                "--path",
                str(log.folder),
                *command,
                *(["--goal", "g", "--done", "d"] if len(command) > 3 else []),
            ]
        )
        == 2
    )
    assert main(["devlog", "--path", str(log.folder), "check"]) == 1


def test_what_is_not_staged_and_what_is_new_is_among_the_files_and_the_log_itself_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "![x](http://example.org/?k) <b> @team")
    monkeypatch.chdir(tmp_path)
    assert main([*ADD, "--goal", "g", "--done", "d"]) == 0
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "second")
    (tmp_path / "a.py").write_text("changed")
    (tmp_path / "new`.py").write_text("1")
    assert main([*ADD, "--goal", "g", "--done", "d"]) == 0
    first, second = Devlog(tmp_path / "docs" / "devlog").entries()
    assert second.files == ("a.py", "new`.py")
    assert r"!\[x\](http://example.org/?k) \<b\> \@team" in to_markdown(first)
    assert "- `` new`.py ``" in to_markdown(second)


@pytest.mark.parametrize("step", ["link", "half a link", "rename"])
def test_a_writer_that_was_killed_costs_nothing(
    log: Devlog, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], step: str
) -> None:
    log.add(entry("One"))

    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        if step == "half a link":
            with (log.folder / CHAIN).open("a") as stream:
                stream.write('{"number": 2')
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed) if step == "rename" else patch.setattr(Devlog, "_link", killed)
        if step == "rename":
            patch.setattr("devlog.store.write_atomic", lambda path, text: path.write_text(text))
        with pytest.raises(Killed):
            log.add(entry("Two"))
    assert log.check()
    assert main(["devlog", "--path", str(log.folder), *ADD[1:], "--goal", "g", "--done", "d"]) == 0
    assert "0002-2026-11-30-two.md" in capsys.readouterr().err
    assert [one.title for one in log.entries()] == ["One", "Two", "T"]
    assert log.check() == []


@pytest.mark.parametrize("step", ["link", "rename"])
def test_a_full_disk_leaves_the_log_as_it_was(log: Devlog, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    log.add(entry("One"))
    before = {path: path.read_bytes() for path in log.folder.iterdir()}

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("devlog.store.os.fsync" if step == "link" else "devlog.store.sync_directory", full)
        patch.setattr("devlog.store.write_atomic", lambda path, text: path.write_text(text))
        with pytest.raises(IncompleteError, match="No space left on device"):
            log.add(entry("Two"))
    assert {path: path.read_bytes() for path in log.folder.iterdir()} == before
    log.add(entry("Two"))
    assert log.check() == []


def test_a_second_writer_waits_for_the_first(log: Devlog) -> None:
    log.folder.mkdir(parents=True)
    (log.folder / ".lock").write_text("1")
    timer = threading.Timer(0.3, (log.folder / ".lock").unlink)
    timer.start()
    log.add(entry())
    timer.join()
    assert log.check() == []


def test_a_clone_with_other_line_ends_is_no_edit(log: Devlog, tmp_path: Path) -> None:
    log.add(entry())
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "-c", "core.autocrlf=true", "clone", "-q", ".", "clone")
    assert Devlog(tmp_path / "clone" / "devlog").check() == []
