"""Where the private copy of a run lies, and that it goes away."""

from pathlib import Path

import pytest

from harness import state
from harness.state import RunFolder, discard_copy, room_for_copy


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    run = RunFolder("0001", tmp_path / "0001")
    run.path.mkdir()
    return run


def test_in_memory_where_there_is_room(folder: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(state, "MEMORY", memory)
    monkeypatch.setattr(state, "MEMORY_ROOM", 0)
    place = room_for_copy(folder)
    place.mkdir()
    (place / "a.py").write_text("1")
    assert folder.copy.is_symlink()
    assert place.is_relative_to(memory)
    again = room_for_copy(folder)
    assert not place.exists()
    assert again != place
    discard_copy(folder)
    assert list(memory.iterdir()) == []
    assert not folder.copy.is_symlink()


def test_in_the_folder_otherwise(folder: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "MEMORY", tmp_path / "nowhere")
    place = room_for_copy(folder)
    assert place == folder.copy
    place.mkdir()
    discard_copy(folder)
    assert not place.exists()


def test_a_link_to_anything_else_is_never_followed(folder: RunFolder, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    folder.copy.symlink_to(precious)
    discard_copy(folder)
    assert (precious / "file").exists()
    assert not folder.copy.is_symlink()
