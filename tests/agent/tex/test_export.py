"""The zip has all that the report needs, compiles elsewhere, and is the same for the same report."""

import zipfile
from pathlib import Path

from agent.records import Diagnosis, TexError
from agent.tex.export import export, unresolved
from harness.sandbox.base import Sandbox
from tests.support.tex import article, compiled

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def test_it_compiles_from_the_zip_alone(tmp_path: Path, sandbox: Sandbox) -> None:
    work, elsewhere = tmp_path / "work", tmp_path / "elsewhere"
    (work / "figures").mkdir(parents=True)
    (work / "figures" / "a.png").write_bytes(PNG)
    (work / "refs.bib").write_text("@misc{k, title={T}, author={A}, year={2000}}\n")
    tex = article("\\includegraphics[width=1cm]{figures/a} \\cite{k}\\bibliographystyle{plain}\\bibliography{refs}")
    assert compiled(work, tex, sandbox).ok
    target = export(work, tmp_path / "report.zip")
    with zipfile.ZipFile(target) as packed:
        assert packed.namelist() == ["README.txt", "figures/a.png", "refs.bib", "report.pdf", "report.tex"]
        assert b"bibtex report" in packed.read("README.txt")
        packed.extractall(elsewhere)
    assert compiled(elsewhere, (elsewhere / "report.tex").read_text(), sandbox).ok
    assert export(work, tmp_path / "again.zip").read_bytes() == target.read_bytes()


def test_errors_are_listed_and_nothing_outside_is_taken(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / ".hidden").mkdir(parents=True)
    (work / ".hidden" / "x.png").write_bytes(PNG)
    (tmp_path / "secret.png").write_bytes(PNG)
    (work / "link.png").symlink_to(tmp_path / "secret.png")
    (work / "folder").symlink_to(tmp_path)
    (work / "report.tex").write_text(article("\\includegraphics{gone} \\nope"))
    diagnosis = Diagnosis(
        errors=(TexError(kind="undefined-control-sequence", message="Undefined", line=4),), excerpt="! E"
    )
    with zipfile.ZipFile(export(work, tmp_path / "report.zip", diagnosis=diagnosis)) as packed:
        assert packed.namelist() == ["README.txt", "errors.txt", "report.tex"]
        assert b"report:4: undefined-control-sequence: Undefined" in packed.read("errors.txt")
    assert unresolved(work) == ("gone",)
