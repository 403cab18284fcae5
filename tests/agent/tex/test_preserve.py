"""Whatever an edit loses is named; another way to write the same is no loss."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.tex.preserve import losses
from tests.support.tex import article

REPORT = (Path(__file__).with_name("reports") / "gamma.tex").read_text("utf-8")


@pytest.mark.parametrize(
    ("gone", "instead", "named"),
    [
        ("\\begin{itemize}", "", "environment itemize"),
        ("\\label{eq:edge}", "", "label eq:edge"),
        ("\\cite[p.~12]{knoll}", "", "citation knoll"),
        ("\\cite{knoll,gilmore}", "\\cite{knoll}", "citation gilmore"),
        ("\\ref{tab:cal}", "", "reference tab:cal"),
        ("\\section{Method}", "Method", "command \\section"),
        ("511.0", "511", "number 511.0"),
        ("agrees", "", "word agrees"),
        ("The edge is low by 1.3\\,\\%.", "% The edge is low by 1.3\\,\\%.", "number 1.3"),
        ("7.9", "7.8", "number 7.9"),
    ],
)
def test_a_loss_is_named(gone: str, instead: str, named: str) -> None:
    assert gone in REPORT
    found = losses(REPORT, REPORT.replace(gone, instead, 1))
    assert any(loss.startswith(named) for loss in found), found


def test_a_figure_is_named() -> None:
    before = article("\\includegraphics[width=3cm]{figures/a.png}")
    assert losses(before, article("")) == ("figure figures/a.png",)


def test_an_ideograph_is_a_word() -> None:
    assert losses(article("石墨表面"), article("石墨面")) == ("word 表",)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("5 µm, α particle, 10⁻³", "5 \\ensuremath{\\mu}m, \\ensuremath{\\alpha} particle, 10\\ensuremath{^{-3}}"),
        ("\\includegraphics{a.png}", "\\fbox{Missing figure: \\texttt{\\detokenize{a.png}}}"),
        ("\\newcommand{\\twice}[1]{#2 and ##1}", "\\newcommand{\\twice}[1]{#1 and #1}"),
        ("\\pgfplotsset{C/.style={int detect, width=3}}", "\\pgfplotsset{C/.style={string type, width=3}}"),
        ("**bold**", "\\textbf{bold}"),
        ("# Heading", "\\section{Heading}"),
        ("45% of it\n", "45\\% of it\n"),
        ("\\vspace{10}", "\\vspace{10pt}"),
        ("\\begin{longtable}{ll}a&b\\end{longtable}", "\\begin{tabular}{ll}a&b\\end{tabular}"),
        ("```latex\nx\n```", "x"),
        ("% remark\nx", "x"),
    ],
)
def test_another_way_to_write_it_is_no_loss(before: str, after: str) -> None:
    assert losses(article(before), article(after)) == ()


@given(st.text(max_size=200))
def test_nothing_is_lost_by_doing_nothing_or_by_adding(text: str) -> None:
    assert losses(text, text) == ()
    assert losses(article("a"), article("a\n\nmore words 12 \\label{x}")) == ()


def test_a_hash_that_is_printed_keeps_its_number() -> None:
    assert losses(article("Sample \\#7"), article("Sample \\#8")) == ("number 7",)


def test_a_number_of_a_setting_is_one_of_the_figure() -> None:
    assert losses(article("\\pgfplotsset{xmax=7}"), article("\\pgfplotsset{xmax=8}")) == ("number 7",)


def test_text_beside_a_setting_is_text() -> None:
    assert losses(article("\\sisetup{detect-all}{kept}"), article("\\sisetup{detect-all}{}")) == ("word kept",)
