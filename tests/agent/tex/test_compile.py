"""Compilation: what counts as good, what is kept, and that a document reaches nothing outside and stops."""

import os
import struct
import zlib
from pathlib import Path

import pytest

from agent.tex.compile import compile_report, last_good, trial
from agent.tex.tree import tex_tree
from harness.clock import FixedClock, SystemClock
from harness.sandbox.base import Sandbox
from tests.support.tex import article, compiled

GOOD = article(
    "\\section{A}\\label{a} See section~\\ref{a} and \\cite{k}.\n\\bibliographystyle{plain}\\bibliography{refs}"
)
BIB = "@article{k, author={A. Author}, title={On it}, journal={J}, year={2020}}\n"


def kinds(outcome) -> list[str]:
    return [error.kind for error in outcome.diagnosis.errors]


def test_a_good_document_with_a_bibliography_is_good_by_every_sign(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "refs.bib").write_text(BIB)
    outcome = compiled(tmp_path, GOOD, sandbox)
    assert (outcome.ok, outcome.pdf, outcome.pages, outcome.diagnosis.errors) == (True, "report.pdf", 1, ())
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    assert "Output written on" in (tmp_path / "report.log").read_text()


def test_the_last_good_pair_survives_a_failure_as_a_pair(tmp_path: Path, sandbox: Sandbox) -> None:
    assert last_good(tmp_path) is None
    first = article("first")
    assert compiled(tmp_path, first, sandbox).ok
    pdf = (tmp_path / "report.pdf").read_bytes()
    assert not compiled(tmp_path, article("\\undefinedthing"), sandbox).ok
    kept = last_good(tmp_path)
    assert kept is not None
    assert (kept.tex.read_text(), kept.pdf.read_bytes()) == (first, pdf)
    assert (tmp_path / "report.pdf").read_bytes() == pdf
    second = article("second\\newpage third")
    assert compiled(tmp_path, second, sandbox).pages == 2
    kept = last_good(tmp_path)
    assert kept is not None
    assert kept.tex.read_text() == second
    assert len(list((tmp_path / "good").iterdir())) == 2


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("\\cite{nobody}", "undefined-citation"),
        ("\\ref{nothing}", "undefined-reference"),
        ("样", "missing-character"),
        ("a\n\\end{document}\nlost", "text-after-end"),
        ("\\label{x}\\label{x}", "duplicate-label"),
        ("\\immediate\\write18{id}", "forbidden-command"),
        ("% nothing", "no-output"),
    ],
)
def test_return_code_zero_is_not_enough(tmp_path: Path, sandbox: Sandbox, body: str, kind: str) -> None:
    outcome = compiled(tmp_path, article(body), sandbox)
    assert not outcome.ok
    assert kinds(outcome)[0] == kind
    assert not (tmp_path / "report.pdf").exists()


def test_a_bibliography_that_breaks_the_document_is_said(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "refs.bib").write_text(BIB.replace("On it", "R & D at 5 %"))
    outcome = compiled(tmp_path, GOOD, sandbox)
    assert not outcome.ok
    assert outcome.diagnosis.errors[0].file == "report.bbl"


@pytest.mark.parametrize(
    "body",
    [
        "\\input{%s}",
        "\\newread\\f\\openin\\f=%s \\read\\f to\\x \\x",
        "\\includegraphics{%s}",
        "\\catcode`\\|=0 |input{%s}",
        "\\csname input\\endcsname{%s}",
        "\\verbatiminput{%s}",
    ],
)
def test_nothing_outside_of_the_folder_can_be_read(tmp_path: Path, sandbox: Sandbox, body: str) -> None:
    secret = tmp_path / "secret.tex"
    secret.write_text("UNSEEN")
    work = tmp_path / "session"
    work.mkdir()
    for name in ("../secret.tex", str(secret), "/etc/hostname"):
        outcome = compiled(work, article(body % name, "\\usepackage{verbatim}"), sandbox)
        assert not outcome.ok
        log = (work / "report.log").read_text()
        assert "UNSEEN" not in log
        assert os.uname().nodename not in log


@pytest.mark.parametrize(
    "body",
    [
        "\\immediate\\write18{touch mark; touch %s/mark}",
        '\\input{|"touch %s/mark"}',
        "\\newwrite\\f\\immediate\\openout\\f=%s/mark\\immediate\\write\\f{x}",
        "\\newwrite\\f\\immediate\\openout\\f=../mark\\immediate\\write\\f{%s}",
        "\\newwrite\\f\\immediate\\openout\\f=report.tex\\immediate\\write\\f{%s}",
        "\\directlua{io.open('%s/mark','w')}",
    ],
)
def test_nothing_runs_and_nothing_is_written_outside(tmp_path: Path, sandbox: Sandbox, body: str) -> None:
    work = tmp_path / "session"
    work.mkdir()
    tex = article("x" + body % tmp_path)
    compiled(work, tex, sandbox)
    assert not list(tmp_path.rglob("mark"))
    assert (work / "report.tex").read_text() == tex


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (r"\special{pdf:docview <</OpenAction <</S/Launch/F(/bin/sh)>> >>}", "Launch"),
        (r"\csname special\endcsname{pdf:docview <</OpenAction <</S/JavaScript/#4aS(app.alert(1))>> >>}", "JavaScript"),
        (r"\href{run:/bin/sh}{words}", "Launch"),
        (r"\begin{Form}\PushButton[onclick={app.alert(1)}]{words}\end{Form}", "JS"),
        (r"\href{http://example.org/JavaScript}{words} Launch", ""),
    ],
)
def test_a_pdf_that_would_act_is_no_good_one(tmp_path: Path, sandbox: Sandbox, body: str, named: str) -> None:
    outcome = compiled(tmp_path, article(f"x {body}", "\\usepackage{hyperref}"), sandbox)
    assert (outcome.ok, (tmp_path / "report.pdf").exists()) == (not named, not named)
    assert [named in error.message for error in outcome.diagnosis.errors] == [True] * bool(named)
    assert kinds(outcome) == ["active-pdf"] * bool(named)


def test_files_that_configure_a_program_have_no_effect(tmp_path: Path, sandbox: Sandbox) -> None:
    for name in (".latexmkrc", "latexmkrc"):
        (tmp_path / name).write_text("system('touch mark');")
    (tmp_path / "texmf.cnf").write_text("shell_escape = t\nopenin_any = a\n")
    (tmp_path / "hyperref.sty").write_text("\\errmessage{OURS}")
    (tmp_path / "article.cfg").write_text("\\errmessage{OURS}")
    outcome = compiled(tmp_path, article("fine"), sandbox)
    assert outcome.ok, outcome.diagnosis
    assert "OURS" not in (tmp_path / "report.log").read_text()


def test_a_style_file_that_the_document_writes_itself_is_refused(tmp_path: Path, sandbox: Sandbox) -> None:
    own = "\\begin{filecontents}[overwrite]{own.sty}\n\\def\\own{x}\n\\end{filecontents}\n"
    outcome = compiled(tmp_path, own + article("\\own", "\\usepackage{own}"), sandbox)
    assert kinds(outcome)[0] == "forbidden-write"


@pytest.mark.parametrize("make", [lambda p: p.symlink_to("/etc/passwd"), lambda p: p.symlink_to("/etc"), os.mkfifo])
def test_links_and_pipes_in_the_folder_are_refused(tmp_path: Path, sandbox: Sandbox, make) -> None:
    (tmp_path / "figures").mkdir()
    make(tmp_path / "figures" / "a.png")
    assert kinds(compiled(tmp_path, article("x"), sandbox)) == ["refused-input"]


@pytest.mark.parametrize(
    ("body", "limits"),
    [
        ("\\def\\x{\\x}\\x", {"pass"}),
        ("\\loop a\\newpage\\iftrue\\repeat", {"pass", "output", "file", "disk"}),
        ("\\def\\x#1{\\x{#1#1}}\\x{aaaaaaaa}", {"", "pass", "memory"}),
    ],
)
def test_a_document_that_never_ends_is_stopped(tmp_path: Path, sandbox: Sandbox, body: str, limits: set[str]) -> None:
    outcome = compiled(tmp_path, article(body), sandbox, pass_s=8)
    assert not outcome.ok
    assert outcome.limit in limits
    assert outcome.diagnosis.errors
    assert not (tmp_path / "report.pdf").exists()


def test_a_huge_picture_stays_within_the_limits(tmp_path: Path, sandbox: Sandbox) -> None:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    side = 50_000
    packer = zlib.compressobj(1)
    row = bytes(side // 8 + 1)
    pixels = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    (tmp_path / "huge.png").write_bytes(png)
    outcome = compiled(tmp_path, article("\\includegraphics[width=5cm]{huge.png}"), sandbox, pass_s=60)
    assert outcome.ok == (tmp_path / "report.pdf").exists()
    assert outcome.ok or outcome.diagnosis.errors
    assert compiled(tmp_path, article("next"), sandbox).ok


def test_no_time_left_means_no_pass(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "report.tex").write_text(article("x"))
    outcome = compile_report(tmp_path, sandbox=sandbox, clock=FixedClock(), wall_s=0)
    assert (outcome.ok, outcome.limit) == (False, "wall")


def test_a_trial_leaves_the_folder_as_it_was(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "report.tex").write_text("untouched")
    undefined = article("\\ref{a}")
    assert trial(undefined, tmp_path, sandbox=sandbox, clock=SystemClock(), once=True).errors == ()
    whole = trial(undefined, tmp_path, sandbox=sandbox, clock=SystemClock())
    assert [e.kind for e in whole.errors] == ["undefined-reference"]
    broken = trial(article("\\nope"), tmp_path, sandbox=sandbox, clock=SystemClock(), once=True)
    assert [e.token for e in broken.errors] == ["\\nope"]
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"report.tex": "untouched"}


def test_the_tree_of_the_system_is_found_without_the_working_folder(sandbox: Sandbox) -> None:
    tree = tex_tree()
    assert Path(tree.xelatex).is_absolute()
    assert "." not in tree.configuration.split(":")
    assert tree.configuration
