"""`harness report` without a model, as a user runs it."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

ROWS = "\n".join(f"{u / 10:.1f},{2 * u / 10:.2f}" for u in range(1, 30))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "测量"
    folder.mkdir()
    (folder / "iv.csv").write_text(f"U (V),I (mA)\n{ROWS}\n")
    (folder / "笔记.txt").write_bytes("电阻的测量".encode("gb18030"))
    (folder / "broken.zip").write_bytes(b"PK\x03\x04rest")
    return folder


def report(data: Path, *arguments: str, environment: Mapping[str, str] = {}) -> subprocess.CompletedProcess[str]:
    base = {
        "PATH": os.environ["PATH"], "HOME": str(data.parent), "HARNESS_STATE_DIR": str(data.parent / "state"),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }  # fmt: skip
    command = [sys.executable, "-m", "harness.cli.main", "report", str(data), *arguments]
    return subprocess.run(
        command, cwd=data.parent, env={**base, **environment}, capture_output=True, text=True, timeout=300, check=False
    )


def test_a_folder_becomes_a_report_with_its_traces(data: Path) -> None:
    before = {p: p.read_bytes() for p in data.iterdir()}
    done = report(data, "--appendix")
    assert done.returncode == 0, done.stderr
    out = data.parent / "report-测量"
    assert (out / "report.pdf").read_bytes().startswith(b"%PDF")
    assert "offline · 测量 (3 files) · xelatex" in done.stderr.splitlines()[0]
    assert str(out / "report.pdf") in done.stdout
    names = zipfile.ZipFile(out / "report.zip").namelist()
    assert "report.tex" in names
    assert any(name.startswith("figures/") for name in names)
    trace = json.loads((out / "trace.json").read_text())
    assert (trace["drafted_by"], trace["status"], trace["reflect_gate"]) == ("rules", "complete", [])
    assert trace["quantities"]
    assert all(q["sources"] for q in trace["quantities"] if q["kind"] not in ("count", "configuration"))
    checks = (out / "checks.md").read_text()
    assert "Every number comes from the material." in checks
    assert "broken.zip" in checks.split("Files that are not in the report")[1]
    assert {p: p.read_bytes() for p in data.iterdir()} == before


def test_odd_values_and_names_are_no_trouble(data: Path) -> None:
    (data / "测量77.csv").write_text("t (s),N\n1,1e308\n2,-1e308\n3,1×10^999\n4,1e-320\n5,1.7e308\n6,nan\n7,3\n")
    (data / "run 83.csv").write_text("t (s),N\n" + "".join(f"{i},{i * i}e303\n" for i in range(1, 40)))
    (data / "map.nxs").write_bytes(b"\x89HDF\r\n\x1a\n")
    done = report(data, "-o", "out", "--no-compile", "--language", "zh", "--title", "Series 4711")
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    checks = (data.parent / "out" / "checks.md").read_text()
    assert "Every number comes from the material." in checks
    assert "`map.nxs`: `HDF5 (NeXus) is not read: export what matters as csv`" in checks


def test_the_same_again_replaces_the_report_and_the_bytes_are_the_same(data: Path) -> None:
    assert report(data, "-o", "out", "--no-compile").returncode == 0
    tex = (data.parent / "out" / "report.tex").read_bytes()
    (data.parent / "out" / "figures" / "stale.pdf").write_bytes(b"old")
    assert report(data, "-o", "out", "--no-compile", "--fresh").returncode == 0
    assert (data.parent / "out" / "report.tex").read_bytes() == tex
    assert not (data.parent / "out" / "figures" / "stale.pdf").exists()


@pytest.mark.parametrize("place", [".", "report", "sub/deeper", "../link"])
def test_no_report_is_put_into_the_data_folder(data: Path, place: str) -> None:
    (data.parent / "link").symlink_to(data)
    done = report(data, "-o", str(data / place))
    assert (done.returncode, "only read" in done.stderr) == (2, True)
    assert len(list(data.iterdir())) == 3


def test_a_folder_with_other_things_is_no_place_for_a_report(data: Path) -> None:
    (data.parent / "out").mkdir()
    (data.parent / "out" / "thesis.tex").write_text("precious")
    done = report(data, "-o", "out")
    assert (done.returncode, "holds no report" in done.stderr) == (2, True)
    assert (data.parent / "out" / "thesis.tex").read_text() == "precious"


def test_nothing_to_report_on_is_said(data: Path) -> None:
    empty = data.parent / "empty"
    (empty / "sub").mkdir(parents=True)
    (empty / "nothing.csv").write_text("")
    done = report(empty)
    assert (done.returncode, "nothing that can be read" in done.stderr) == (4, True)
    assert not (data.parent / "report-empty").exists()


def test_without_xelatex_the_plan_has_no_pdf_and_the_zip_is_there(data: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    if bwrap := shutil.which("bwrap"):
        (programs / "bwrap").symlink_to(bwrap)
    done = report(data, "-o", "out", environment={"PATH": str(programs)})
    assert done.returncode == 0, done.stderr
    assert "no PDF" in done.stderr.splitlines()[0]
    trace = json.loads((tmp_path / "out" / "trace.json").read_text())
    assert [s["stage"] for s in trace["stages"]] == ["scan", "explore", "figures", "draft", "bib"]
    assert (tmp_path / "out" / "report.zip").is_file()


def test_a_template_of_ones_own_is_used_and_a_wrong_one_is_said(data: Path) -> None:
    own = data.parent / "own"
    own.mkdir()
    (own / "template.tex").write_text("<<preamble>>\n\\begin{document}\nOur institute.\n<<body>>\n\\end{document}\n")
    assert report(data, "-o", "out", "--no-compile", "--template", str(own)).returncode == 0
    assert "Our institute." in (data.parent / "out" / "report.tex").read_text()
    done = report(data, "-o", "out", "--no-compile", "--template", "thesis")
    assert (done.returncode, "--template thesis" in done.stderr) == (2, True)


def test_chinese_words_compile(data: Path) -> None:
    done = report(data, "-o", "out", "--language", "zh", "--title", "欧姆定律 & 100 %")
    assert done.returncode == 0, done.stderr
    assert "欧姆定律" in (data.parent / "out" / "report.tex").read_text()


@pytest.mark.parametrize("arguments", [(), ("--rounds", "99"), ("--budget", "lots")])
def test_a_wrong_command_line_is_a_usage_error(data: Path, arguments: tuple[str, ...]) -> None:
    if not arguments:
        command = [sys.executable, "-m", "harness.cli.main", "report"]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    else:
        done = report(data, *arguments)
    assert done.returncode == 2
    assert not (data.parent / "report-测量").exists()


@pytest.mark.parametrize(("package", "arguments"), [("pypdfium2", ["."]), ("uvicorn", ["--serve"])])
def test_a_package_of_the_extra_that_is_missing_is_said(tmp_path: Path, package: str, arguments: list[str]) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None; from harness.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code, "report", *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"a report needs {package}, which is not installed" in done.stderr
    clone = Path(__file__).parents[2]
    assert f"{sys.executable} -m pip install '{clone}[report]'" in done.stderr, "no name that nobody has registered"
