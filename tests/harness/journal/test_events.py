"""The event log: in order, durable, readable by others while it is written, and never silently wrong."""

import sqlite3
from pathlib import Path

import pytest

from harness.errors import JournalFailed
from harness.journal.events import AT_ONCE, EventLog


def test_a_reader_goes_on_where_it_stopped_while_the_writer_writes(tmp_path: Path) -> None:
    with EventLog(tmp_path / "events.db") as log, EventLog(tmp_path / "events.db", read_only=True) as reader:
        log.append({"n": 1})
        log.append({"n": 2})
        first, second = reader.after()
        assert [first.event, second.event] == [{"n": 1}, {"n": 2}]
        log.append({"n": 3})
        assert [told.event for told in reader.after(second.id)] == [{"n": 3}]


def test_a_long_log_is_read_in_parts_and_whole(tmp_path: Path) -> None:
    with EventLog(tmp_path / "events.db") as log:
        for number in range(AT_ONCE + 1):
            log.append(number)
        first = log.after()
        assert len(first) == AT_ONCE
        assert [told.event for told in log.after(first[-1].id)] == [AT_ONCE]


def test_a_changed_row_is_an_error(tmp_path: Path) -> None:
    with EventLog(tmp_path / "events.db") as log:
        log.append("told")
        with sqlite3.connect(tmp_path / "events.db") as other:
            other.execute("UPDATE events SET body='\"forged\"'")
        other.close()
        with pytest.raises(JournalFailed, match="changed"):
            log.after()
