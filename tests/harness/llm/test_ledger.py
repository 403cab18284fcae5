"""usage.jsonl survives what can happen to a file that is appended to."""

from pathlib import Path

import pytest

from harness.llm.ledger import Entry, Labels, Ledger


def entry(key: str, unit: str = "") -> Entry:
    return Entry(at="2026-01-01T00:00:00Z", run="0001", labels=Labels(stage="verify", lane="argued", unit=unit), spec="openai:m",
                 key=key, attempt=1, outcome="sent")  # fmt: skip


def keys(ledger: Ledger) -> list[str]:
    return [one.key for one in ledger.entries()]


@pytest.mark.parametrize("lost", [1, 2, 40])
def test_a_torn_line_costs_no_other_line(tmp_path: Path, lost: int) -> None:
    path = tmp_path / "usage.jsonl"
    Ledger(path).write(entry("a"))
    Ledger(path).write(entry("b"))
    path.write_bytes(path.read_bytes()[:-lost])
    after = Ledger(path)
    after.write(entry("c"))
    after.write(entry("d"))
    assert keys(after)[0] == "a"
    assert keys(after)[-2:] == ["c", "d"]


def test_a_line_torn_inside_a_character_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "usage.jsonl"
    ledger = Ledger(path)
    ledger.write(entry("a"))
    ledger.write(entry("b", unit="é"))
    raw = path.read_bytes()
    path.write_bytes(raw[: raw.index("é".encode()) + 1])
    assert keys(ledger) == ["a"]


def test_a_separator_of_lines_in_a_name_ends_no_line(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "usage.jsonl")
    ledger.write(entry("a", unit="one\u2028two\x85three\x0cfour"))
    assert keys(ledger) == ["a"]
