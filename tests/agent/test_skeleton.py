"""The frame for a model compiles once it has a sentence, in every template and language; what is added can be told apart."""

from pathlib import Path

import pytest

from agent.records import Quantity, Settings, Source
from agent.skeleton import skeleton, with_appendix, without_appendix
from agent.tex.compile import compile_report, probe
from harness.clock import SystemClock
from harness.sandbox.probe import find_sandbox

MEAN = Quantity(
    id="q1",
    text="1.5",
    value=1.5,
    unit="V",
    kind="statistic",
    sources=(Source(path="iv.csv"),),
    formula="mean of 30 values",
)


@pytest.mark.skipif(not probe(), reason="no xelatex here")
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("template", ["lab-report", "course-notes", "article"])
def test_it_compiles_in_every_template_and_language(tmp_path: Path, template: str, language: str) -> None:
    settings = Settings(template=template, language="zh" if language == "zh" else "en", title="Run_1 & 50 %")
    tex = skeleton(settings, sources=True).replace("% sections", "\\section{One}\nWords \\cite{ohm}.")
    (tmp_path / "report.tex").write_text(with_appendix(tex, [MEAN], settings))
    (tmp_path / "references.bib").write_text(
        "@book{ohm, author={Georg Ohm}, title={Kette}, publisher={R}, year={1827}}\n"
    )
    done = compile_report(tmp_path, sandbox=find_sandbox(), clock=SystemClock())
    assert done.diagnosis.errors == ()
    assert done.ok


def test_the_table_of_sources_is_taken_out_again_and_lines_stay() -> None:
    settings = Settings()
    tex = skeleton(settings, sources=False)
    whole = with_appendix(tex, [MEAN], settings)
    bare = without_appendix(whole, [MEAN], settings)
    assert "mean of 30 values" in whole
    assert "mean of 30 values" not in bare
    assert bare.count("\n") == whole.count("\n")
    assert bare.split() == tex.split()
