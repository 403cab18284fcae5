"""The scan lists everything, reads nothing it should not, and never ends at a bad file."""

import os
import zipfile
from pathlib import Path

import pytest

from agent.records import FileKind, Scan, ScannedFile
from agent.scan import scan
from harness.files import decode_path


def problems(found: Scan) -> dict[str, str]:
    return {f.path: f.problem for f in found.files}


def test_kinds_sizes_and_order(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/b.csv").write_text("x,y\n1,2\n")
    (tmp_path / "a.md").write_text("# Notes")
    (tmp_path / "c.png").write_bytes(b"\x89PNG")
    (tmp_path / "d.bin").write_bytes(b"\x00\x01")
    (tmp_path / "columns.txt").write_text("1 2\n3 4\n5 6\n")
    (tmp_path / "words.txt").write_text("some words\nand more\nof them\n")
    found = scan(tmp_path)
    assert {f.path: f.kind for f in found.files} == {
        "a.md": FileKind.DOCUMENT,
        "c.png": FileKind.IMAGE,
        "columns.txt": FileKind.DATA,
        "d.bin": FileKind.OTHER,
        "run/b.csv": FileKind.DATA,
        "words.txt": FileKind.DOCUMENT,
    }
    assert [f.path for f in found.files] == sorted(f.path for f in found.files)
    assert found == scan(tmp_path)
    assert found.complete


def test_what_is_not_read_has_its_reason(tmp_path: Path) -> None:
    outside = tmp_path / "outside.csv"
    outside.write_text("1,2")
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "link.csv").symlink_to(outside)
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    os.mkfifo(folder / "pipe.csv")
    (folder / "empty.csv").touch()
    with (folder / "huge.csv").open("wb") as stream:
        stream.truncate(65 << 20)
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("x.csv", "1,2")
    (folder / "fake.csv").write_bytes((folder / "a.zip").read_bytes())
    (folder / "b.tgz").write_bytes(b"\x1f\x8b\x08\x00rest")
    (folder / ".git").mkdir()
    (folder / ".git/config").write_text("[core]")
    found = problems(scan(folder))
    assert "link" in found["link.csv"]
    assert "link" in found["loop"]
    assert "pipe" in found["pipe.csv"]
    assert found["empty.csv"] == "empty"
    assert "too large" in found["huge.csv"]
    for name in ("a.zip", "fake.csv", "b.tgz"):
        assert "archive" in found[name]
    assert "left out" in found[".git"]
    assert not any("config" in path for path in found)


@pytest.mark.parametrize(
    "name", [b"a\nb.csv", b"\x1b[31mred.csv", b"..\\x.csv", b"\xff\xfe.csv", "温度 数据.csv".encode()]
)
def test_a_hostile_name_is_kept_and_shown_safely(tmp_path: Path, name: bytes) -> None:
    Path(tmp_path, os.fsdecode(name)).write_text("1,2")
    (file,) = scan(tmp_path).files
    assert decode_path(file.path) == name
    assert file.path.isprintable()
    assert ScannedFile.model_validate_json(file.model_dump_json()) == file


def test_an_unreadable_folder_is_one_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text("1,2")
    (tmp_path / "locked").mkdir()
    real = os.open

    def refuse(path, *args, **kwargs):  # root may read everything, so that a mode proves nothing here
        if path == b"locked":
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", refuse)
    assert problems(scan(tmp_path)) == {"a.csv": "", "locked": "folder cannot be read: permission denied"}


def test_depth_is_bounded(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(30):
        deep /= "d"
    deep.mkdir(parents=True)
    assert not scan(tmp_path).complete
