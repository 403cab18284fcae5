"""The draft without a model: compiles clean, prints no number from nowhere, says what it could not do, and is the same twice."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from agent.data.trace import untraced
from agent.drafts.latex import breakable, escaped
from agent.drafts.offline import Draft, appendix, draw_figures, offline_draft
from agent.drafts.study import study
from agent.drafts.words import words_of
from agent.readers.reading import read_all
from agent.records import Language, Settings
from agent.scan import scan
from harness.errors import UsageError
from harness.sandbox.base import Sandbox
from tests.support.materials import laboratory, nanonis_image, nanonis_spectrum, workbook

NO_TEX = shutil.which("xelatex") is None


def drafted(folder: Path, work: Path, sandbox: Sandbox | None, settings: Settings) -> tuple[Draft, list[str]]:
    found = scan(folder)
    readings = read_all(folder, found, sandbox)
    studied = study(readings)
    drawn = draw_figures(studied, readings, settings, work, sandbox)
    assert drawn.refused == {}
    texts = [t.text for t in readings.texts] + [f.path for f in found.files]
    return offline_draft(found, readings, drawn, settings, studied), texts


def compiled(work: Path, tex: str) -> str:
    """The log of the last of three passes; fails the test on any sign of a mistake."""
    (work / "report.tex").write_text(tex, "utf-8")
    for _ in range(3):
        done = subprocess.run(
            ["xelatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "report.tex"],
            cwd=work, capture_output=True, check=False, timeout=300,
        )  # fmt: skip
    log = (work / "report.log").read_text("utf-8", "replace")
    assert done.returncode == 0, log[-3000:]
    assert not re.findall(r"^!.*|.*undefined.*|Missing character.*|Overfull \\hbox.*", log, re.MULTILINE)
    return log


@pytest.fixture
def instruments(tmp_path: Path) -> Path:
    folder = laboratory(tmp_path / "data")
    (folder / "scan.sxm").write_bytes(nanonis_image())
    (folder / "sts.dat").write_text(nanonis_spectrum())
    (folder / "book.xlsx").write_bytes(
        workbook(Run=[["R=8 kΩ"], ["f (kHz)", "U_1 & $x$ (V)"], *([i, 5 / (1 + (i - 6) ** 2)] for i in range(1, 13))])
    )
    (folder / "[1] *odd* {name} 100% #2 ~^.csv").write_text("[a],*b\n1,2\n3,4\n5,6\n7,9\n8,1\n")
    (folder / "a.zip").write_bytes(b"PK\x03\x04")
    return folder


@pytest.mark.skipif(NO_TEX, reason="no xelatex here")
@pytest.mark.parametrize(
    ("language", "template"), [("en", "lab-report"), ("zh", "lab-report"), ("en", "article"), ("zh", "course-notes")]
)
def test_it_compiles_clean_with_every_number_traced(
    tmp_path: Path, instruments: Path, sandbox: Sandbox, language: Language, template: str
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    settings = Settings(language=language, template=template, appendix=True)
    draft, texts = drafted(instruments, work, sandbox, settings)
    compiled(work, draft.tex)
    assert untraced(draft.tex, draft.quantities, texts) == ()
    assert draft.tex.count(r"\section{") >= 5
    figures = re.findall(r"\\includegraphics\[[^]]*\]\{([^}]+)\}", draft.tex)
    assert len(figures) >= 5
    assert all((work / f).is_file() for f in figures)
    for label in re.findall(r"\\ref\{(fig:[^}]+)\}", draft.tex):
        assert rf"\label{{{label}}}" in draft.tex
    assert words_of(language).notice in draft.tex


def test_a_number_put_into_a_draft_is_flagged(tmp_path: Path, instruments: Path) -> None:
    draft, texts = drafted(instruments, tmp_path, None, Settings(figures=False))
    lines = draft.tex.split("\n")
    at = next(i for i, line in enumerate(lines) if r"\section" in line) + 1
    lines.insert(at, r"The time constant was found to be \qty{3.777}{\second}.")
    assert untraced("\n".join(lines), draft.quantities, texts) == ((at + 1, "3.777"),)


def test_the_same_folder_gives_the_same_bytes(tmp_path: Path, instruments: Path) -> None:
    one, _ = drafted(instruments, tmp_path, None, Settings(figures=False, appendix=True))
    two, _ = drafted(instruments, tmp_path, None, Settings(figures=False, appendix=True))
    assert one == two


def test_the_appendix_can_be_made_again_from_the_quantities(tmp_path: Path, instruments: Path) -> None:
    draft, _ = drafted(instruments, tmp_path, None, Settings(figures=False, appendix=True))
    words = words_of("en")
    assert appendix(draft.quantities, words, words.headings["lab-report"]["sources"]) in draft.tex


def test_units_results_and_problems_are_in_it(tmp_path: Path, instruments: Path) -> None:
    draft, _ = drafted(instruments, tmp_path, None, Settings(figures=False))
    assert r"\unit{\kilo\hertz}" in draft.tex
    assert "an archive (zip)" in draft.tex
    assert "an exponential" in draft.tex
    assert r"y = A\,e^{-x/\tau} + c" in draft.tex
    assert r"\pm x/\tau" not in draft.tex
    assert re.search(r"constant \$\\tau = \\qty\{3\.\d+\(\d+\)\}\{\\second\}\$", draft.tex)
    assert r"$=$ \qty{8}{\kilo\ohm}" in draft.tex
    constants = [q for q in draft.quantities if q.kind == "fit" and q.formula.startswith("constant")]
    assert constants[0].sources[0].place == "lines 2 to 31, column 时间"


def test_an_empty_folder_is_a_short_honest_report(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    draft, _ = drafted(tmp_path / "empty", tmp_path, None, Settings())
    assert "No table and no map could be read" in draft.tex


def test_a_template_of_ones_own(tmp_path: Path, instruments: Path) -> None:
    (tmp_path / "template.tex").write_text(
        "<<preamble>>\n\\begin{document}MINE <<title>> <<body>> <<other>>\\end{document}"
    )
    settings = Settings(template=str(tmp_path), title="T & U", figures=False)
    draft, _ = drafted(instruments, tmp_path, None, settings)
    assert r"MINE T \& U" in draft.tex
    assert "<<other>>" in draft.tex
    with pytest.raises(UsageError):
        drafted(instruments, tmp_path, None, Settings(template=str(tmp_path / "nowhere"), figures=False))


def test_text_of_the_material_is_no_command() -> None:
    assert escaped(r"\input{x} $a_b^c$ 50% & #1 ~") == (
        r"\textbackslash{}input\{x\} \$a\_b\textasciicircum{}c\$ 50\% \& \#1 \textasciitilde{}"
    )
    assert escaped("[a] *") == "{[}a{]} {*}"
    assert escaped("\x1b[31mx\u202e") == r"\textbackslash{}x1b{[}31mx\textbackslash{}u202e"
    assert escaped("Опыт 𝑬 10 Ω") == r"\otherscript{Опыт} E 10 \ensuremath{\Omega}"
    assert breakable("run_1/a.csv") == r"run\_\allowbreak{}1/\allowbreak{}a.\allowbreak{}csv"


def test_both_languages_say_the_same_things() -> None:
    english, chinese = (words_of(language) for language in get_args(Language))
    for field in ("say", "model", "parameter", "kinds", "headings", "plot_fit"):
        assert getattr(english, field).keys() == getattr(chinese, field).keys()
    for key, text in english.say.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", chinese.say[key])), key
