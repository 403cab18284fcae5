"""DUR-02 to DUR-05: what is recorded survives, what was changed is refused, and every trouble has a sentence."""

import pickle
import shutil
import sqlite3

import pytest

from harness.errors import ExitCode, JournalFailed
from harness.journal import journal as module
from harness.journal.journal import Journal


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run" / "journal.db"


def change(path, statement, *arguments):
    with sqlite3.connect(path) as connection:
        connection.execute(statement, arguments)
    connection.close()


def test_a_step_runs_once_and_its_result_stays(path):
    calls = []
    with Journal(path, "0001") as journal:
        assert journal.step("a", lambda: calls.append(1) or {"n": [1, "ü"]}) == {"n": [1, "ü"]}
    with Journal(path, "0001") as journal:
        assert journal.step("a", lambda: calls.append(2)) == {"n": [1, "ü"]}
        assert journal.state("a") == (1, True, {"n": [1, "ü"]})
    assert calls == [1]


def test_a_step_that_was_interrupted_is_known_and_begun_again(path):
    with Journal(path, "0001") as journal:
        with pytest.raises(ZeroDivisionError):
            journal.step("a", lambda: 1 // 0)
        assert journal.state("a") == (1, False, None)
        assert journal.step("a", lambda: "done") == "done"
        assert journal.state("a").attempts == 2


def test_a_withdrawn_intent_does_not_count(path):
    with Journal(path, "0001") as journal:
        journal.begin_all(["a", "b"])
        journal.begin("a")
        journal.withdraw(["a"])
        assert (journal.state("a").attempts, journal.state("b").attempts) == (1, 1)


def test_a_null_result_is_a_result(path):
    with Journal(path, "0001") as journal:
        journal.finish("a", None)
        assert journal.state("a").done


@pytest.mark.parametrize(
    "body",
    [
        '{"verdict":"DISMISSED"}',
        pickle.dumps(print),
        b"\x80\x04cos\nsystem\n",
        17,
        "x" * 1000,
    ],
    ids=["changed", "pickle", "opcodes", "number", "huge"],
)
def test_a_changed_row_is_refused(path, body, monkeypatch):
    monkeypatch.setattr("harness.journal.store.ROW_BYTES", 500)
    with Journal(path, "0001") as journal:
        journal.finish("verify/x", {"verdict": "CONFIRMED"})
        journal.note("order", {"a": 1})
    change(path, "UPDATE results SET body=?", body)
    change(path, "UPDATE facts SET body=?", body)
    with Journal(path, "0001") as journal:
        with pytest.raises(JournalFailed, match="verify/x was changed after it was written"):
            journal.state("verify/x")
        with pytest.raises(JournalFailed, match="order was changed"):
            journal.noted("order")


def test_rows_cannot_change_places(path):
    with Journal(path, "0001") as journal:
        journal.finish("a", 1)
        journal.finish("b", 2)
    change(path, "UPDATE results SET (body, sha256) = (SELECT body, sha256 FROM results WHERE step='b') WHERE step='a'")
    with Journal(path, "0001") as journal, pytest.raises(JournalFailed):
        journal.state("a")


def test_a_result_over_the_cap_is_refused_before_it_is_written(path, monkeypatch):
    monkeypatch.setattr("harness.journal.store.ROW_BYTES", 500)
    with Journal(path, "0001") as journal:
        with pytest.raises(JournalFailed, match="more than 500"):
            journal.finish("a", "x" * 1000)
        assert not journal.state("a").done


def test_a_full_disk_loses_nothing_and_goes_on_when_there_is_room(path):
    with Journal(path, "0001") as journal:
        journal.finish("a", 1)
        pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
        journal._connection.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(JournalFailed, match="full") as caught:
            journal.finish_all([("b", "x" * 50_000), ("c", 3)])
        assert caught.value.exit_code is ExitCode.INCOMPLETE
        assert "free disk space" in caught.value.hint
        assert (journal.state("a").result, journal.state("b").done, journal.state("c").done) == (1, False, False)
        journal._connection.execute("PRAGMA max_page_count=100000")
        journal.finish_all([("b", "x" * 50_000), ("c", 3)])
    with Journal(path, "0001") as journal:
        assert journal.state("c").result == 3


def test_another_writer_that_does_not_let_go_is_named(path):
    with Journal(path, "0001", busy_ms=50) as journal:
        journal.finish("a", 1)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalFailed, match="locked") as caught:
            journal.finish("b", 2)
        assert "wait for it" in caught.value.hint
        other.execute("ROLLBACK")
        other.close()
        journal.finish("b", 2)
        assert journal.state("b").result == 2


def test_a_torn_log_costs_the_last_steps_and_no_others(path, tmp_path):
    copy = tmp_path / "copy.db"
    with Journal(path, "0001") as journal:
        for number in range(20):
            journal.finish(f"s{number}", number)
        shutil.copy(path, copy)
        wal = (path.parent / "journal.db-wal").read_bytes()
        (tmp_path / "copy.db-wal").write_bytes(wal[: len(wal) - 1000])
    with Journal(copy, "0001") as journal:
        states = [journal.state(f"s{number}") for number in range(20)]
        done = [s.done for s in states]
        assert done == sorted(done, reverse=True)
        assert done[:15] == [True] * 15
        assert not done[19]
        journal.finish("s19", 19)
        assert journal.state("s19").result == 19


def test_what_is_no_journal_is_said_to_be_damaged(path):
    path.parent.mkdir()
    path.write_bytes(b"not a database at all, by far" * 100)
    with pytest.raises(JournalFailed, match="not a database") as caught:
        Journal(path, "0001")
    assert "start a new run" in caught.value.hint


def test_it_can_be_read_while_it_is_written(path):
    with Journal(path, "0001") as writer:
        writer.begin_all(["verify/a", "verify/b"])
        writer.finish("verify/a", 1)
        with Journal(path, "0001", read_only=True) as reader:
            assert reader.counts("verify/") == (2, 1)
            writer.finish("verify/b", 1)
            assert reader.counts("verify/") == (2, 2)
            with pytest.raises(JournalFailed):
                reader.finish("verify/c", 1)


def test_a_newer_format_is_refused_and_left_alone(path, monkeypatch):
    newer = (*module.MIGRATIONS, "CREATE TABLE extra (x)")
    with monkeypatch.context() as patch:
        patch.setattr(module, "MIGRATIONS", newer)
        Journal(path, "0001").close()
    before = path.read_bytes()
    with pytest.raises(JournalFailed, match="format 2; this version of harness knows formats up to 1"):
        Journal(path, "0001")
    assert path.read_bytes() == before


def test_an_older_format_is_migrated_with_its_steps(path, monkeypatch):
    with Journal(path, "0001") as journal:
        journal.finish("a", 1)
        journal.begin("b")
    monkeypatch.setattr(
        module, "MIGRATIONS", (*module.MIGRATIONS, "ALTER TABLE results ADD COLUMN extra TEXT; CREATE TABLE e (x)")
    )
    with pytest.raises(JournalFailed, match="old format 1"):
        Journal(path, "0001", read_only=True)
    with Journal(path, "0001") as journal:
        assert journal.state("a").result == 1
        assert journal.state("b") == (1, False, None)


def test_a_migration_that_fails_changes_nothing(path, monkeypatch):
    with Journal(path, "0001") as journal:
        journal.finish("a", 1)
    with monkeypatch.context() as patch:
        patch.setattr(module, "MIGRATIONS", (*module.MIGRATIONS, "CREATE TABLE e (x); CREATE TABLE intents (x)"))
        with pytest.raises(JournalFailed):
            Journal(path, "0001")
    with Journal(path, "0001") as journal:
        assert journal.state("a").result == 1
