"""The regression gate reverts what is worse and stops at what is the same."""

from pathlib import Path

import pytest

from agent.tex.quality import cited, gate, score

REPORT = (Path(__file__).with_name("reports") / "gamma.tex").read_text("utf-8")
KEYS = frozenset({"knoll", "gilmore"})


def decide(after: str, *, bib_empty: bool = False, keys: frozenset[str] = KEYS):
    return gate(REPORT, after, bib_empty=bib_empty, round=1, keys=keys)


def test_the_same_but_for_white_space_has_converged() -> None:
    assert decide(REPORT.replace("\n", "\n\n ")).decision == "converged"


def test_a_good_change_is_accepted() -> None:
    assert decide(REPORT.replace("agrees", "agrees well")).decision == "accepted"


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (REPORT.replace("\\documentclass", "\\class"), "lost \\documentclass"),
        (REPORT.replace("\\end{document}", ""), "lost \\end{document}"),
        (REPORT[:600] + "\\end{document}", "shorter than 60%"),
        (REPORT.replace(",gilmore}", "}"), "lost citations: gilmore"),
        (REPORT.replace("\\section{Method}", "\\paragraph{Method}"), "fewer sections: 5 instead of 6"),
        (
            REPORT.replace("\\begin{table}", "\\begin{center}").replace("\\begin{tabular}", "\\begin{array}"),
            "fewer tables: 0 instead of 2",
        ),
        (REPORT.replace("\\label{tab:cal}", ""), "lower structural score"),
        (REPORT.replace("\\caption{Calibration lines.}", ""), "figures and tables have captions"),
        (REPORT.replace("\\end{itemize}", ""), "balanced"),
        (REPORT.replace("agrees", "\\cite{invented} agrees"), "citations are closed"),
        (REPORT.replace("agrees", "**agrees**"), "no Markdown"),
    ],
)
def test_what_is_worse_is_reverted(after: str, reason: str) -> None:
    decision = decide(after)
    assert decision.decision == "reverted"
    assert any(reason in said for said in decision.reasons), decision.reasons


def test_lost_figures_are_reverted() -> None:
    figure = REPORT.replace("\\appendix", "").replace("Three lines", "\\includegraphics{a} Three lines")
    decision = gate(figure, REPORT, bib_empty=False, round=2, keys=KEYS)
    assert decision.reasons == ("fewer figures: 0 instead of 1",)


def test_an_empty_bibliography_is_no_false_alarm() -> None:
    after = REPORT.replace("agrees", "\\cite{later} agrees")
    assert decide(after, bib_empty=True, keys=frozenset()).decision == "accepted"
    assert decide(after, bib_empty=False).decision == "reverted"


def test_the_score_of_a_good_report_is_full() -> None:
    assert all(score(REPORT, keys=KEYS).values()), score(REPORT, keys=KEYS)


def test_all_of_the_cite_family_are_citations() -> None:
    tex = "\\citep[see][p.~3]{a, b} \\textcite{c} \\nocite{*} \\Citet*{d} % \\cite{no}\n\\verb|\\cite{no}|"
    assert cited(tex) == {"a", "b", "c", "d"}
