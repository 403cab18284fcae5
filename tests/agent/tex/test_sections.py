"""Sections and their exchange: what is not meant stays as it is, byte for byte."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.records import Edited
from agent.tex.sections import resolve, sections, splice

REPORTS = sorted(Path(__file__).with_name("reports").glob("*.tex"))
REPORT = (Path(__file__).with_name("reports") / "gamma.tex").read_text("utf-8")


def names(tex: str) -> list[tuple[str, str, int]]:
    return [(s.anchor, s.title, s.level) for s in sections(tex)]


def test_anchors_titles_and_levels() -> None:
    assert names(REPORT) == [
        ("n1", "Abstract", 1),
        ("n2", "Introduction", 1),
        ("n3", "Method", 1),
        ("n4", "Set-up", 2),
        ("n5", "Calibration of the analyser", 2),
        ("n6", "Results", 1),
        ("n7", "Conclusion", 1),
    ]


def test_a_section_holds_its_subsections_and_ends_before_the_bibliography() -> None:
    found = {s.anchor: REPORT[s.start : s.end] for s in sections(REPORT)}
    assert found["n4"] + found["n5"] in found["n3"]
    assert found["n1"].startswith("\\begin{abstract}")
    assert found["n1"].endswith("\\end{abstract}")
    assert "bibliography" not in found["n7"]


def test_headings_that_are_not_read_by_tex_are_none() -> None:
    tex = "\\newcommand{\\s}{\\section{P}}\\begin{document}\n% \\section{C}\n\\verb|\\section{V}|\n"
    tex += "\\begin{verbatim}\n\\section{W}\n\\end{verbatim}\n\\section*{Real}\n\\end{document}"
    assert names(tex) == [("n1", "Real", 1)]


@pytest.mark.parametrize(
    ("asked", "anchor"),
    [
        ("n3", "n3"),
        (" N3 ", "n3"),
        ("Results", "n6"),
        ("4. results", "n6"),
        ("the Results and the Calibration of the Analyser", "n5"),
        ("n99", None),
        ("Acknowledgements", None),
    ],
)
def test_a_missed_anchor_falls_back_to_titles(asked: str, anchor: str | None) -> None:
    found = resolve(asked, REPORT)
    assert (found and found.anchor) == anchor


@pytest.mark.parametrize(
    ("fragment", "reason"),
    [
        ("  \n", "empty"),
        ("\\section{Results} \\textbf{open", "never closed"),
        ("\\section{Results} \\begin{itemize}\\item a", "never closed"),
        ("\\section{Results} a}", "brace too many"),
        ("\\section{Results} \\end{table}", "ends nothing"),
        ("\\documentclass{article}\\section{Results}", "document of its own"),
        ("\\section{Results}\\end{document}", "document of its own"),
        ("\\section{Results} a \\section{More} b", "2 \\\\section instead of 1"),
        ("No heading", "0 \\\\section instead of 1"),
        ("\\section{Results}\\begin{verbatim} \\end{verbatim*}", "never closed"),
    ],
)
def test_a_bad_fragment_is_refused(fragment: str, reason: str) -> None:
    section = resolve("Results", REPORT)
    assert section is not None
    refused = splice(REPORT, section, fragment)
    assert isinstance(refused, str)
    assert re.search(reason, refused), refused


def test_a_subsection_must_stay_one() -> None:
    section = resolve("Set-up", REPORT)
    assert section is not None
    assert isinstance(splice(REPORT, section, "Only text."), str)
    assert isinstance(splice(REPORT, section, "\\subsection{Set-up} a \\subsection{B} b"), str)
    assert isinstance(splice(REPORT, section, "\\subsection{Set-up} a \\subsubsection{B} b"), Edited)


words = st.lists(
    st.sampled_from(
        [
            "text",
            "$x_1$",
            "\\textbf{b}",
            "\n\n",
            "é 样",
            "\\begin{itemize}\\item a\\end{itemize}",
            "% c\n",
            "\\%",
            "\\\\",
            "{}",
        ]
    ),
    max_size=8,
).map(" ".join)


@pytest.mark.parametrize("report", REPORTS, ids=lambda p: p.name)
@given(data=st.data())
def test_all_other_sections_stay_identical(report: Path, data: st.DataObject) -> None:
    tex = report.read_text("utf-8")
    section = data.draw(st.sampled_from(sections(tex)))
    old = tex[section.start : section.end]
    if section.title == "Abstract":
        fragment = f"\\begin{{abstract}}{data.draw(words)}\\end{{abstract}}"
    else:
        fragment = old.rstrip() + " " + data.draw(words)
    spliced = splice(tex, section, fragment)
    assert isinstance(spliced, Edited)
    assert spliced.text.startswith(tex[: section.start])
    assert spliced.text.endswith(tex[section.end :])
    after = sections(spliced.text)
    assert [s.title for s in after] == [s.title for s in sections(tex)]
    for before, now in zip(sections(tex), after, strict=True):
        if before.end <= section.start or before.start >= section.end:
            assert tex[before.start : before.end] == spliced.text[now.start : now.end]


@pytest.mark.parametrize("report", REPORTS, ids=lambda p: p.name)
@given(fragment=st.text(alphabet="\\{}%$begindocuvrmst|*\n ", max_size=60), data=st.data())
def test_whatever_the_fragment_is_the_rest_is_kept(report: Path, fragment: str, data: st.DataObject) -> None:
    tex = report.read_text("utf-8")
    section = data.draw(st.sampled_from(sections(tex)))
    spliced = splice(tex, section, f"\\{data.draw(st.sampled_from(['section', 'subsection']))}{{A}} {fragment}")
    if isinstance(spliced, Edited):
        assert spliced.text.startswith(tex[: section.start])
        assert spliced.text.endswith(tex[section.end :])
        outside = [s.title for s in sections(tex) if s.end <= section.start or s.start >= section.end]
        assert [t for t in outside if t in {s.title for s in sections(spliced.text)}] == outside
