"""Plain text becomes LaTeX that prints it."""

from pathlib import Path

import pypdfium2
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.tex.balance import imbalance
from agent.tex.characters import MATH, NEEDS_AMSSYMB, SUBSCRIPT, SUPERSCRIPT
from agent.tex.escape import escape, escape_line, url
from agent.tex.source import mask
from harness.sandbox.base import Sandbox
from tests.support.tex import article, compiled

SPECIAL = '50 % & \\x $1 #2 a_b {c} ~ ^ `d\' "e" <f> |g| --- ,, ?`'


def test_special_characters_are_printed_as_they_are(tmp_path: Path, sandbox: Sandbox) -> None:
    outcome = compiled(
        tmp_path, article(f"\\texttt{{{escape(SPECIAL)}}}\n\n{url('https://x.org/a_b?c=1&d=%20#e{f}é')}"), sandbox
    )
    assert outcome.ok, outcome.diagnosis
    document = pypdfium2.PdfDocument(tmp_path / "report.pdf")
    text = document[0].get_textpage().get_text_range().replace("’", "'")
    assert SPECIAL in " ".join(text.split())
    assert "https://x.org/a_b?c=1&d=%20#e%7Bf%7D%C3%A9" in text
    document.close()


def test_every_character_with_a_command_has_a_glyph(tmp_path: Path, sandbox: Sandbox) -> None:
    every = sorted({*MATH, *SUPERSCRIPT, *SUBSCRIPT})
    body = " ".join(escape(c) for c in every) + "\n\n" + escape("10⁻³ mbar, x₁₂, 5 µm at 45°")
    outcome = compiled(tmp_path, article(body, "\\usepackage{amssymb}"), sandbox)
    assert outcome.ok, outcome.diagnosis
    assert compiled(tmp_path, article(" ".join(escape(c) for c in every if c not in NEEDS_AMSSYMB)), sandbox).ok


def test_scripts_next_to_each_other_are_one() -> None:
    assert escape("10⁻³") == "10\\ensuremath{^{-3}}"


def test_a_caption_has_no_paragraph() -> None:
    assert escape_line("a\n\n b\tc ") == "a b c"


def test_what_could_deceive_a_reader_is_shown() -> None:
    assert escape("a\u202eb\x07") == "a\\textbackslash{}u202eb\\textbackslash{}x07"


@settings(max_examples=200)
@given(st.text(max_size=80))
def test_no_text_is_a_command_a_comment_or_unbalanced(text: str) -> None:
    escaped = escape(text)
    assert mask(escaped) == escaped
    assert imbalance(escaped) == ""
    plain = escaped.replace("\\$", "").replace("\\&", "").replace("\\#", "")
    assert (
        not set("$&#~^") & set(plain.replace("\\ensuremath{^", "").replace("\\textasciitilde", ""))
        or "\u00a0" in text
        or (set(text) & (set(MATH) | {"\u2007"}))
    )
