"""Fonts are chosen by what they cover."""

from pathlib import Path

import pytest

from agent.tex.fonts import choose, cjk, preamble
from agent.tex.source import insert_package
from harness.sandbox.base import Sandbox
from tests.support.tex import article, compiled

SIMPLIFIED, TRADITIONAL = "扫描隧道显微镜", "掃描隧道顯微鏡實驗報告"


def test_a_font_is_chosen_that_has_all_characters(sandbox: Sandbox) -> None:
    for text in (SIMPLIFIED, TRADITIONAL):
        assert choose(cjk(text)) is not None
    assert choose(frozenset()) is None


def test_a_plain_text_needs_nothing() -> None:
    assert preamble(article("plain é ü ß")) == ()
    assert preamble(article("% 注释\nplain")) == ()


@pytest.mark.parametrize("text", [SIMPLIFIED, TRADITIONAL, "样（品），“引号”。"])
def test_the_lines_make_every_glyph_appear(text: str, tmp_path: Path, sandbox: Sandbox) -> None:
    tex = article(text)
    assert not compiled(tmp_path, tex, sandbox).ok
    for line in preamble(tex):
        tex = insert_package(tex, line)
    outcome = compiled(tmp_path, tex, sandbox)
    assert outcome.ok, outcome.diagnosis


def test_a_class_with_chinese_of_its_own_is_left_alone(tmp_path: Path, sandbox: Sandbox) -> None:
    tex = (Path(__file__).with_name("reports") / "stm.tex").read_text("utf-8")
    assert preamble(tex) == ()
    assert compiled(tmp_path, tex, sandbox).ok
