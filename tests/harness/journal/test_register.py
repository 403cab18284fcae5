"""runs.tsv: one whole line a run, whatever happens around it."""

import multiprocessing
import os
from pathlib import Path

import pytest

from harness.journal import register
from harness.journal.register import COLUMNS, RunLine, append, read


def line(run: str = "0001", **more: object) -> RunLine:
    fields = {
        "run": run,
        "kind": "audit",
        "started": "2026-11-30T10:00:00+00:00",
        "seconds": 1.5,
        "status": "complete",
        "exit_code": 0,
    }
    return RunLine.model_validate({**fields, **more})  # fmt: skip


def test_what_is_unknown_is_an_empty_cell_and_comes_back_as_unknown(tmp_path: Path) -> None:
    path = tmp_path / "runs.tsv"
    lines = [
        line(),
        line("0002", kind="gate", raised=0, confirmed=3, cost=0.25, models="openai:a openai:b", exit_code=1),
    ]
    for one in lines:
        append(path, one)
    rows = [row.split("\t") for row in path.read_text().splitlines()]
    assert rows[0] == list(COLUMNS)
    assert rows[1][:6] == ["0001", "audit", "2026-11-30T10:00:00+00:00", "1.5", "complete", "0"]
    assert set(rows[1][6:]) == {""}
    assert read(path) == (tuple(lines), 0)
    assert read(tmp_path / "none") == ((), 0)


def test_text_from_outside_cannot_make_a_line_or_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "runs.tsv"
    append(path, line(models="a\tb\nc\x1b[2J\u202e"))
    assert len(path.read_text().splitlines()) == 2
    assert read(path).lines[0].models == r"a\x09b\x0ac\x1b[2J\u202e"


@pytest.mark.parametrize("kept", range(1, 60, 7))
def test_a_torn_last_line_is_passed_over_and_closed_by_the_next_writer(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "runs.tsv"
    append(path, line("0001"))
    append(path, line("0002", unpriced=12))
    raw = path.read_bytes()
    path.write_bytes(raw[:-kept])
    assert [one.run for one in read(path).lines] == ["0001"]
    append(path, line("0003"))
    found = read(path)
    assert ([one.run for one in found.lines], found.unreadable) == (["0001", "0003"], 1)
    assert path.read_bytes().startswith(raw[:-kept])


def test_columns_of_a_later_version_are_passed_over_and_foreign_lines_counted(tmp_path: Path) -> None:
    path = tmp_path / "runs.tsv"
    append(path, line())
    head, row = path.read_text().splitlines()
    path.write_text(f"{head}\tmore\n{row}\tx\nnot a line\n{row.replace('audit', 'dance')}\n\xff\n", "latin-1")
    found = read(path)
    assert ([one.run for one in found.lines], found.unreadable) == (["0001"], 3)


def _write_many(path: Path, name: str) -> None:
    for n in range(100):
        append(path, line(f"{name}{n:03}", models="m" * 300))


def test_runs_that_end_at_once_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "runs.tsv"
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write_many, args=(path, name)) for name in "123"]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    found = read(path)
    assert sorted(one.run for one in found.lines) == [f"{name}{n:03}" for name in "123" for n in range(100)]
    assert found.unreadable == 0
    assert path.read_text().count(COLUMNS[-1]) == 1


def test_a_lock_that_never_comes_free_does_not_hold_up_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.tsv"
    append(path, line())
    real = register.patiently
    descriptor = os.open(path, os.O_RDWR)
    monkeypatch.setattr(register, "patiently", lambda fd: real(fd, 0.0))
    with real(descriptor):
        append(path, line("0002"))
    os.close(descriptor)
    assert [one.run for one in read(path).lines] == ["0001", "0002"]
