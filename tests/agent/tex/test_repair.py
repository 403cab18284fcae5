"""Every repair mends an example that TeX refuses, loses nothing, and the loop of repairs ends."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.records import Diagnosis, TexError
from agent.tex.compile import trial
from agent.tex.preserve import losses
from agent.tex.repair import mend, repair
from agent.tex.repairs import RULES, Rule
from harness.clock import SystemClock
from harness.sandbox.base import Sandbox
from tests.support.tex import article

CASES = sorted(path for path in Path(__file__).with_name("cases").iterdir() if path.is_dir())
TABLE = "\\begin{tabular}{%s}%s\\end{tabular}"
FRAME = "\\documentclass{beamer}\n%s\n\\begin{document}\n\\begin{frame}\n%s\n\\end{frame}\n\\end{document}\n"
EXAMPLES: dict[str, str] = {
    "add-package": article("\\SI{3}{\\volt}, $\\mathbb{R}$"),
    "declare-theorem": article("\\begin{lemma}x\\end{lemma}"),
    "misspelled-command": article("\\secton{A} \\textbff{b}"),
    "nearest-package": article("x", "\\usepackage{siunits}").replace("siunits", "siunitxx"),
    "without-package": article("x", "\\usepackage{notapackageatall}"),
    "pass-options": article("x", "\\usepackage{xcolor}\n\\usepackage[table]{xcolor}"),
    "package-to-preamble": article("\\usepackage{siunitx}\\SI{1}{\\volt}"),
    "redefine": article("\\oint", "\\newcommand{\\oint}{x}"),
    "stray-mark": article("x", "\\usepackage{array};"),
    "sanitise": f"```latex\n{article('x')}```\n",
    "missing-figure": article("\\includegraphics{there.svg}"),
    "missing-file": article("\\input{part/one}"),
    "document-class": article("x").split("\n", 1)[1],
    "begin-document": article("x").replace("\\begin{document}\n", ""),
    "begin-earlier": article("x").replace("\\begin{document}\n", "\\section{A}\n\n\\begin{document}\n"),
    "end-document": article("x").replace("\\end{document}", ""),
    "end-later": article("x") + "\nMore words.\n",
    "markdown": article("# Heading\n\nA **bold** word.\n"),
    "hash-in-text": article("Sample #3 and #4"),
    "caret-in-text": article("10^"),
    "duplicate-label": article("\\section{A}\\label{a}\\section{B}\\label{a}\\ref{a}"),
    "available-font": article("x", "\\usepackage{fontspec}\\setmainfont{No Such Font}"),
    "more-floats": article("\\begin{figure}x\\end{figure}" * 60),
    "character-as-command": article("α particle, $\\theta ≈ 45°$, 10⁻³"),
    "font-by-coverage": article("样品", "\\usepackage[T1]{fontenc}"),
    "column-type": article(TABLE % (">{\\bfseries}lS", "a & 1.5 \\\\")),
    "array-backslash": article(
        TABLE % (">{\\raggedright}p{2cm}>{\\centering}p{2cm}", "a & b \\\\ c & d \\\\"), "\\usepackage{array}"
    ),
    "verbatim-in-tabularx": article(
        "\\begin{tabularx}{\\textwidth}{lX}a & \\begin{lstlisting}\n  x_1\n\\end{lstlisting} \\\\\n\\end{tabularx}",
        "\\usepackage{tabularx,listings}",
    ),
    "stretching-column": article(TABLE % ("lXX", "a & b & c \\\\")),
    "ampersand-in-cell": article(TABLE % ("ll", "R&D & b \\\\")),
    "matrix-columns": article("$\\begin{pmatrix}1&2&3&4&5&6&7&8&9&10&11&12\\end{pmatrix}$"),
    "add-columns": article(TABLE % ("|l|l|", "a & b & c & d \\\\")),
    "row-before-rule": article(TABLE % ("ll", "a & b \\hline c & d \\\\")),
    "expandable-cell": article(
        TABLE % ("cc", "\\head[2]{C} \\\\ a & b \\\\"), "\\newcommand{\\head}[2][1]{\\multicolumn{#1}{c}{\\textit{#2}}}"
    ),
    "two-cells-in-one": article(TABLE % ("cc", "\\multicolumn{2}{c}{C} \\multicolumn{1}{c}{A} & b \\\\")),
    "ampersand-in-text": article("Smith & Sons"),
    "ampersand-replacement": article(
        "\\def\\grid{\\matrix [draw]{\\node{a}; & \\node{b}; \\\\};}\n\\begin{tikzpicture}\\grid\\end{tikzpicture}",
        "\\usepackage{tikz}",
    ),
    "explicit-product": article(
        "\\begin{tikzpicture}\\begin{axis}\\addplot[domain=0:1] {3-5x};\\end{axis}\\end{tikzpicture}",
        "\\usepackage{pgfplots}",
    ),
    "list-as-value": article("x", "\\usepackage{draftwatermark}\\SetWatermarkColor[rgb]{0.7,0,0}"),
    "surface-plot": article(
        "\\begin{tikzpicture}\\begin{axis}\\addplot[domain=0:1] {x*y};\\end{axis}\\end{tikzpicture}",
        "\\usepackage{pgfplots}",
    ),
    "option-on-same-line": article(
        "\\begin{DispWithArrows*}\n[displaystyle, tikz-code = {\\draw (#1) -- (#2) node {#3};}]\nx &= y\n\\end{DispWithArrows*}",
        "\\usepackage{tikz,witharrows}",
    ),
    "immediate-write": article(
        "x\\notes",
        "\\makeatletter\\newcommand{\\notes}{\\begingroup\\newcommand\\one{\\relax}\\write\\@auxout{\\one}\\endgroup}\\makeatother",
    ),
    "double-hash": FRAME % ("", "\\newcommand{\\twice}[1]{#1 #1}\\twice{a}"),
    "verbatim-in-argument": article("\\textbf{see \\verb|a_b|}"),
    "footnote-in-caption": article("\\begin{figure}\\caption{A\\footnote{b}}\\end{figure}"),
    "note-with-paragraph": article("\\listoftodos \\todo[inline]{One.\n\nTwo.}", "\\usepackage{todonotes}"),
    "protect": article("\\todo{$\\accentset{\\circ}{x}$}", "\\usepackage{accents,todonotes}"),
    "tight-end": article("\\begin{verbatim}\na\n\\end {verbatim}"),
    "swap-ends": article("\\begin{center}\\begin{quote}a\n\\end{center}\\end{quote}"),
    "rename-end": article("\\begin{center}a\n\\end{centre}"),
    "end-environment": article("\\begin{itemize}\n\\item a\n\\section{B} b"),
    "stray-end": article("a\n\\end{center}\nb"),
    "rename-begin": article("\\begin{itemise}\\item a\\end{itemize}"),
    "first-item": article("\\begin{itemize}\ntext\n\\item a\n\\end{itemize}"),
    "list-around-items": article("\\item a\n\\item b\n\nAfter."),
    "line-break-of-nothing": article("a\n\n\\\\ b"),
    "blank-line-in-formula": article("\\begin{align}\na &= b \\\\\n\nc &= d\n\\end{align}"),
    "fraction-in-one-group": article("$\\frac{{a}{b}}$"),
    "text-in-formula": article("The energy $E = 5\\,\\text{eV and $k$ is small."),
    "formula-in-box": article(
        "\\[\\begin{boxed}\n I=\\frac{q}{t}\n\\end{boxed}\\]".replace("boxed", "formula"),
        "\\newsavebox{\\bx}\\newenvironment{formula}{\\begin{lrbox}{\\bx}}{\\end{lrbox}\\fbox{\\usebox{\\bx}}}",
    ),
    "script-in-text": article("scan_001.csv and x_1 and E_{kin}"),
    "currency": article("It costs $5 today."),
    "math-in-text": article("An angle \\theta of 3 \\times \\frac{1}{2}."),
    "open-formula": article("The value $x = 3 is large."),
    "dollar-in-display": article("\\begin{equation}\n$a = b$\n\\end{equation}"),
    "nested-display": article("\\[\n\\begin{align}a &= b\\end{align}\n\\]"),
    "aligned-equation": article("\\begin{equation}\na &= b \\\\\nc &= d\n\\end{equation}"),
    "double-script": article("$x_i_j + y^a^b$"),
    "left-right": article("\\begin{align}\na &= \\left( b \\\\\n&+ c \\right)\n\\end{align}"),
    "percent-sign": article("\\textbf{Yield was 45% of total}"),
    "paragraph-in-heading": article("\\section{One\n\ntwo}"),
    "open-brace": article("\\textbf{never closed\n\nNext."),
    "paragraph-in-font": article("\\textbf{One.\n\nTwo.}"),
    "extra-brace": article("a} b"),
    "unit-of-length": article("\\vspace{10}\\begin{minipage}{0.5}a\\end{minipage}"),
    "value-of-counter": article("\\newcounter{a}\\newcounter{b}\n\\addtocounter{b}{a}"),
}
FILES = {"missing-figure": "there.svg"}
"""A file that is there for an example."""
WITHOUT_EXAMPLE = {"xcolor", "unicode-encoding"}
"""Second steps: seen in documents that another rule has mended half."""


def test_every_rule_has_its_example() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))
    assert set(names) == EXAMPLES.keys() | WITHOUT_EXAMPLE


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_rule_mends_its_example_and_loses_nothing(name: str, tmp_path: Path, sandbox: Sandbox) -> None:
    tex = before = EXAMPLES[name]
    used: list[str] = []
    if name in FILES:
        (tmp_path / FILES[name]).write_text("<svg/>")
    for _ in range(4):
        found = trial(tex, tmp_path, sandbox=sandbox, clock=SystemClock(), once=name != "note-with-paragraph")
        if not found.errors:
            break
        edited = repair(tex, found, tmp_path)
        assert edited.changes, found
        used += [change.rule for change in edited.changes]
        tex = edited.text
    assert not found.errors, (used, found.errors[:2], tex)
    assert name in used
    assert losses(before, tex) == ()


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
def test_the_cases_that_rules_alone_can_mend(case: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    tex = (case / "main.tex").read_text("utf-8")
    mended = mend(tex, tmp_path, sandbox=sandbox, clock=SystemClock(), pass_s=10 if "loop" in case.name else 120)
    assert (not mended.diagnosis.errors) == tomllib.loads((case / "expected.toml").read_text("utf-8"))["mended"], mended
    assert bool(mended.stopped) == bool(mended.diagnosis.errors)
    assert losses(tex, mended.text) == ()
    assert list(tmp_path.iterdir()) == []


def test_a_rewrite_that_loses_something_is_refused(tmp_path: Path) -> None:
    tex = article("before\n\\end{nothing}\nafter")
    said = "LaTeX Error: \\begin{document} on input line 4 ended by \\end{nothing}."
    found = Diagnosis(errors=(TexError(kind="environment-mismatch", message=said, line=6),))
    edited = repair(tex, found, tmp_path)
    assert edited.changes[0].rule == "stray-end"
    assert (
        repair(
            tex, found, tmp_path, tried=frozenset({"stray-end", "percent-sign", "extra-brace", "open-brace"})
        ).changes
        == ()
    )


def test_a_mistake_no_rule_knows_ends_the_loop_with_the_text_as_it_was(tmp_path: Path, sandbox: Sandbox) -> None:
    tex = article("\\unknowncommandofmine{x}")
    mended = mend(tex, tmp_path, sandbox=sandbox, clock=SystemClock())
    assert mended.text == tex
    assert "unknowncommandofmine" in mended.stopped


def test_several_mistakes_are_mended_one_after_the_other(tmp_path: Path, sandbox: Sandbox) -> None:
    body = (
        "\\section{A}\nscan_1 costs 5 & more, α.\n\\begin{itemize}\n\\item $x_i_j$\n\\section{B}\n\\SI{3}{\\volt}\n"
        + TABLE
        % (
            "l",
            "a & b \\\\",
        )
    )
    mended = mend(article(body), tmp_path, sandbox=sandbox, clock=SystemClock())
    assert mended.diagnosis.errors == (), mended
    assert losses(article(body), mended.text) == ()


def test_no_time_is_said(tmp_path: Path, sandbox: Sandbox) -> None:
    mended = mend(article("\\nope"), tmp_path, sandbox=sandbox, clock=SystemClock(), wall_s=0)
    assert mended.stopped == "out of time"


PIECES = [
    "{",
    "}",
    "$",
    "\\begin{align}",
    "\\end{align}",
    "\\begin{tabular}{ll}",
    "&",
    "\\\\",
    "%",
    "\n",
    "\n\n",
    "_",
    "^",
    "#1",
    "x",
    " ",
    "5x",
    "\\item",
    "\\section{",
    "\\caption",
    "[",
    "]",
    "\\verb|",
    "```",
    "\\left(",
    "\\frac{",
    "α",
    "样",
    "\\cite{a}",
    "\\label{a}",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25), st.sampled_from(RULES), st.integers(0, 12))
def test_no_text_breaks_a_rule_and_none_loses_anything_by_way_of_repair(
    pieces: list[str], rule: Rule, line: int
) -> None:
    tex = article("".join(pieces))
    said = "\\begin{align} on input line 4 ended by \\end{tabular}."
    for kind in rule.kinds:
        errors = (TexError(kind=kind, message=said, line=line or None, token="a"),)
        edited = repair(
            tex, Diagnosis(errors=errors), Path("/nonexistent"), tried=frozenset(r.name for r in RULES if r != rule)
        )
        assert losses(tex, edited.text) == ()
        assert bool(edited.changes) == (edited.text != tex)
