"""What models get wrong in the same way is mended before the first compilation, and nothing is lost by it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.tex.preserve import losses
from agent.tex.sanitise import sanitise
from tests.support.tex import article

REPORTS = sorted(Path(__file__).with_name("reports").glob("*.tex"))


@pytest.mark.parametrize("report", REPORTS, ids=lambda p: p.name)
def test_a_good_report_is_left_alone(report: Path, tmp_path: Path) -> None:
    tex = report.read_text("utf-8")
    assert sanitise(tex, tmp_path).text == tex


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        (
            article("$\\mathbf{x}$", "\\usepackage{unicode-math}"),
            article("$\\symbf{x}$", "\\usepackage{unicode-math}"),
            "symbf",
        ),
        (article("x", "\\def\\a#1{b % c }"), article("x", "\\def\\a#1{b }"), "comment-in-def"),
        (article("x", "\\def\\a{b % c\n}"), article("x", "\\def\\a{b %\n}"), "comment-in-def"),
        (article("by {{author}}"), article("by {[author]}"), "template-variable"),
        (article("by {{ SAMPLE_NAME }}"), article("by {[SAMPLE\\_NAME]}"), "template-variable"),
        (article("\\date{<<date>>}"), article("\\date{{\\today}}"), "template-variable"),
        (article("\\VAR{title}"), article("{[title]}"), "template-variable"),
        (f"```latex\n{article('x')}```\n", article("x"), "code-fence"),
        (f"Here it is:\n{article('x')}", f"% Here it is:\n{article('x')}", "words-before"),
    ],
)
def test_each_fault(before: str, after: str, rule: str, tmp_path: Path) -> None:
    mended = sanitise(before, tmp_path)
    assert mended.text == after
    assert {change.rule for change in mended.changes} == {rule}
    assert sanitise(after, tmp_path).text == after


@pytest.mark.parametrize(
    "body",
    [
        "\\textbf{{x}}",
        "$\\frac{{a}}{{b}}$",
        "\\mathbf{x}",
        "{{\\rm x}}",
        "\\verb|{{title}}|",
        "$a << b$",
        "% ```\n",
        "${x}$",
    ],
)
def test_what_is_meant_so_stays(body: str, tmp_path: Path) -> None:
    assert sanitise(article(body), tmp_path).changes == ()


def test_a_missing_figure_becomes_a_placeholder_with_its_label(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "there.pdf").write_bytes(b"%PDF")
    body = "\\begin{figure}\\includegraphics[width=3cm]{%s}\\caption{c}\\label{fig:a}\\end{figure}"
    for path in ("figures/there.pdf", "figures/there"):
        assert sanitise(article(body % path), tmp_path).changes == ()
    for path in ("figures/gone_1.png", "../x.png", "/etc/x.png"):
        mended = sanitise(article(body % path), tmp_path)
        assert "\\includegraphics" not in mended.text
        assert f"Missing figure: \\texttt{{\\detokenize{{{path}}}}}" in mended.text
        assert losses(article(body % path), mended.text) == ()
        assert [change.line for change in mended.changes] == [5]


@given(
    st.lists(
        st.sampled_from(["{{title}}", "\\def\\a{", "}", "% c", "\n", "```", "$", "\\VAR{x}", "<<a>>", "\\mathbf"]),
        max_size=12,
    )
)
def test_it_settles_at_once(pieces: list[str]) -> None:
    once = sanitise(article("".join(pieces)), Path("/nonexistent")).text
    assert sanitise(once, Path("/nonexistent")).text == once
