"""Text that is safe to show, and paths that survive being written down."""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.files import decode_path, displayable, encode_path, write_atomic, write_output
from harness.render.jsontext import dumps


@given(st.text())
def test_displayable_leaves_nothing_that_steers_or_hides(text):
    shown = displayable(text, keep="")
    assert all(c.isprintable() or unicodedata.category(c) in {"Zs", "Cf", "Cn"} for c in shown)
    assert displayable(shown, keep="") == shown


@pytest.mark.parametrize(
    "c", ["\x1b", "\x9b", "\x07", "\x7f", "\r", "\u202e", "\u2066", "\u200b", "\u2063", "\u3164", "\ufffa", "\ufeff",
          "\U000e0041", "\U000e0100", "\ue000", "\ud800", "\u2028"],
)  # fmt: skip
def test_odd_characters_become_escapes(c):
    assert displayable(f"a{c}b") == f"a\\x{ord(c):02x}b" if ord(c) < 256 else f"a{c}b" != displayable(f"a{c}b")
    assert displayable(f"a{c}b").isascii()


@pytest.mark.parametrize("text", ["plain", "é 報告 ß", "a\tb\nc", "می‌خواهم", "👩‍💻 ❤️"])
def test_ordinary_text_stays(text):
    assert displayable(text) == text


def test_json_escapes_whatever_displayable_escapes():
    """Over every code point: the pattern of the one is kept in step with the rules of the other."""
    everything = [chr(n) for n in range(0x20, 0x110000)]
    escaped = {c for c in everything if displayable(c) != c}
    left = {c for c in escaped if c != "\\" and not dumps(c).isascii()}
    assert not left
    assert {c for c in everything if not c.isascii() and dumps(c).isascii()} <= escaped


@given(st.binary().filter(lambda raw: b"\0" not in raw))
def test_paths_come_back(raw):
    path = encode_path(raw)
    assert decode_path(path) == raw
    assert displayable(path, keep="") == path


def test_a_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "new" / "file"
    write_atomic(target, "old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(target, "new")
    assert target.read_text() == "old"
    assert [p.name for p in target.parent.iterdir()] == ["file"]


def test_an_output_that_is_a_pipe_is_written_to_and_a_link_is_not_followed(tmp_path: Path) -> None:
    pipe, link, other = tmp_path / "pipe", tmp_path / "link", tmp_path / "other"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_output(pipe, "said")
    assert os.read(reader, 10) == b"said"
    os.close(reader)
    assert pipe.is_fifo()
    other.write_text("kept")
    link.symlink_to(other)
    write_output(link, "said")
    assert (other.read_text(), link.read_text(), link.is_symlink()) == ("kept", "said", False)


def test_a_stream_of_ours_is_written_to() -> None:
    reader, writer = os.pipe()
    write_output(Path(f"/dev/fd/{writer}"), "said")
    os.close(writer)
    assert os.read(reader, 10) == b"said"
    os.close(reader)
