"""xelatex, bibtex, xelatex, xelatex in the sandbox, and whether the result is good by every sign.

Each compilation works on fresh copies in a folder of its own, so no remains of an earlier one count, TeX cannot change the
source, and what it writes is thrown away but for the PDF and the logs. Copied are the document, bibliographies, figures and
data files; links are refused, and files that configure a program (`.sty`, `.cfg`, `latexmkrc`, `texmf.cnf` ...) are not copied.
The last good source and its PDF are kept as one folder, which a failed compilation never touches.

It does not promise that the PDF says the same as before: `agent.tex.preserve` compares texts.
"""

import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pypdfium2

from agent.records import Compiled, Diagnosis, TexError
from agent.tex.active import active_in
from agent.tex.log import diagnose
from agent.tex.tree import TexTree, program, tex_tree
from harness.clock import Clock
from harness.files import sha256, write_atomic
from harness.sandbox.base import Execution, Limits, Mount, Sandbox

PASS_S = 180.0
WALL_S = 600.0
GOOD = "good"
"""Folder of the last good pair below the work folder; `GOOD/current` names the folder in it that holds the pair."""
_INSIDE = "/report"
_COPIED = {
    ".tex", ".bib", ".bst", ".csv", ".tsv", ".dat", ".txt", ".json", ".png", ".jpg", ".jpeg", ".pdf", ".eps",
}  # fmt: skip
_KEYS = ("undefined-citation", "undefined-reference")
_NEVER = {"texmf.cnf"}
_MAX_FILES, _MAX_BYTES = 2000, 256 << 20
_MAX_LOG = 4 << 20
_MAX_PDF = 128 << 20
_LIMITS = Limits(memory_bytes=2 << 30, processes=16, output_bytes=2 << 20, file_bytes=_MAX_PDF, disk_bytes=256 << 20)
_OPTIONS = ("-interaction=nonstopmode", "-file-line-error", "-no-shell-escape")
_EXTRA_PASSES = 2
_ACTS = "The PDF would act on the machine of its reader, by {}: a report is only read"
_RERUN = re.compile(
    r"Rerun to get|Label\(s\) may have changed|Table widths have changed|has changed\. Rerun|\(rerunfilecheck\)"
)


class Good(NamedTuple):
    """The last source that compiled clean, and its PDF."""

    tex: Path
    """The source."""
    pdf: Path
    """What it became."""


def probe() -> str:
    """The version line of xelatex, '' when it is not there or does not start. Runs it once; ask once, and keep the answer."""
    found = program("xelatex")
    if not found:
        return ""
    try:
        done = subprocess.run(
            [found, "--version"], capture_output=True, timeout=20, env={"PATH": "/usr/bin:/bin"}, cwd="/", check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace").split("\n", 1)[0].strip()


def compile_report(
    work: Path,
    *,
    sandbox: Sandbox,
    clock: Clock,
    main: str = "report.tex",
    pass_s: float = PASS_S,
    wall_s: float = WALL_S,
) -> Compiled:
    """Compile `work/main` and judge it. Writes `<stem>.pdf` only when every sign is good, `<stem>.log` always, and nothing else but
    the good pair.

    Wall clock is bounded by `pass_s` a pass and `wall_s` in all. Raises SandboxUnavailable, and OSError when `work` or
    `main` cannot be read.
    """
    started = clock.monotonic()
    tex = (work / main).read_text("utf-8", "replace")
    stem = Path(main).stem
    with tempfile.TemporaryDirectory(dir=work, prefix=".compile-") as name:
        build = Path(name)
        refused = _gather(work, main, build)
        if refused:
            return Compiled(ok=False, diagnosis=_refusal(refused), seconds=clock.monotonic() - started)
        outcome = _passes(build, stem, sandbox, clock, started + wall_s, pass_s)
        log = _read(build / f"{stem}.log", _MAX_LOG).decode("utf-8", "replace")
        blg = _read(build / f"{stem}.blg", _MAX_LOG).decode("utf-8", "replace")
        pdf = _read(build / f"{stem}.pdf", _MAX_PDF) if outcome.clean else b""
    write_atomic(work / f"{stem}.log", log + (f"\n\n{blg}" if blg else ""))
    diagnosis = diagnose(log, tex, blg=blg, work=work)
    pages = _pages(pdf) if outcome.clean else 0
    if pages and not diagnosis.errors and (acts := active_in(pdf)):
        diagnosis = _one_error("active-pdf", _ACTS.format(", ".join(acts)))
    if pages and not diagnosis.errors:
        write_atomic(work / f"{stem}.pdf", pdf)
        _keep(work, tex, pdf)
        return Compiled(ok=True, pdf=f"{stem}.pdf", pages=pages, seconds=clock.monotonic() - started)
    if not diagnosis.errors:
        diagnosis = _unexplained(outcome)
    return Compiled(ok=False, diagnosis=diagnosis, limit=outcome.limit, seconds=clock.monotonic() - started)


def last_good(work: Path) -> Good | None:
    """The last pair that compiled clean in `work`, None when there was none."""
    try:
        folder = work / GOOD / (work / GOOD / "current").read_text("ascii").strip()
    except OSError:
        return None
    pair = Good(folder / "report.tex", folder / "report.pdf")
    return pair if pair.tex.is_file() and pair.pdf.is_file() else None


def trial(
    tex: str,
    work: Path,
    *,
    sandbox: Sandbox,
    clock: Clock,
    once: bool = False,
    pass_s: float = PASS_S,
    wall_s: float = WALL_S,
    main: str = "report.tex",
) -> Diagnosis:
    """What would be wrong with `tex` in the place of `work/main`, nothing of `work` touched: for loops that try repairs.

    `once` makes a single pass without a PDF, in which keys are not resolved: undefined ones are then not among the errors.
    """
    stem = Path(main).stem
    with tempfile.TemporaryDirectory(dir=work, prefix=".compile-") as name:
        build = Path(name)
        refused = _gather(work, main, build)
        if refused:
            return _refusal(refused)
        (build / main).write_text(tex, "utf-8")
        outcome = _passes(build, stem, sandbox, clock, clock.monotonic() + wall_s, pass_s, once=once)
        log = _read(build / f"{stem}.log", _MAX_LOG).decode("utf-8", "replace")
        blg = _read(build / f"{stem}.blg", _MAX_LOG).decode("utf-8", "replace")
        pdf = b"" if once else _read(build / f"{stem}.pdf", _MAX_PDF)
        pages = once or _pages(pdf)
    found = diagnose(log, tex, blg=blg, work=work)
    kept = tuple(e for e in found.errors if not (once and e.kind in _KEYS))
    if not kept and (acts := active_in(pdf)):
        return _one_error("active-pdf", _ACTS.format(", ".join(acts)))
    if not kept:
        return Diagnosis() if outcome.clean and pages else _unexplained(outcome)
    return found.model_copy(update={"errors": kept})


class _Outcome(NamedTuple):
    clean: bool
    """Every program returned 0 within its limits."""
    limit: str
    """The limit that ended it."""
    said: str
    """The last words of the program that failed."""


def _passes(
    build: Path, stem: str, sandbox: Sandbox, clock: Clock, deadline: float, pass_s: float, *, once: bool = False
) -> _Outcome:
    """The fixed sequence, cut short by the first program that fails; up to two passes more while references still move."""
    tree = tex_tree()
    steps: list[tuple[str, ...]] = [(tree.xelatex, *_OPTIONS, "-no-pdf", f"{stem}.tex")]
    passes = 0
    while steps:
        argv = steps.pop(0)
        left = min(pass_s, deadline - clock.monotonic())
        if left <= 0:
            return _Outcome(False, "wall", "")
        done = _run(sandbox, argv, build, tree, left)
        is_bibtex = argv[0] == tree.bibtex
        if done.limit or (done.returncode != 0 and not (is_bibtex and done.returncode == 1)):
            limit = "pass" if done.limit == "wall" and left == pass_s else done.limit or ""
            return _Outcome(False, limit, _last_words(done))
        if is_bibtex or once:
            continue
        passes += 1
        if passes == 1:
            aux = _read(build / f"{stem}.aux", _MAX_LOG)
            if b"\\bibdata" in aux and tree.bibtex:
                steps.append((tree.bibtex, stem))
            steps += [(tree.xelatex, *_OPTIONS, "-no-pdf", f"{stem}.tex"), (tree.xelatex, *_OPTIONS[:3], f"{stem}.tex")]
        elif not steps and passes < 3 + _EXTRA_PASSES:
            log = _read(build / f"{stem}.log", _MAX_LOG).decode("utf-8", "replace")
            if _RERUN.search(log):
                steps.append((tree.xelatex, *_OPTIONS, f"{stem}.tex"))
    return _Outcome(True, "", "")


def _run(sandbox: Sandbox, argv: tuple[str, ...], build: Path, tree: TexTree, wall_s: float) -> Execution:
    environment = {
        "PATH": f"{Path(tree.xelatex).parent}:/usr/bin:/bin",
        "TEXMFCNF": tree.configuration,
        "max_print_line": "10000",
        "error_line": "254",
        "half_error_line": "238",
        "openin_any": "p",
        "openout_any": "p",
        "shell_escape": "f",
        "TEXMFHOME": "/nowhere",
        "SOURCE_DATE_EPOCH": "0",
    }
    return sandbox.run(
        argv,
        writable=Mount(build, _INSIDE),
        readable=tree.readable,
        environment=environment,
        limits=_LIMITS._replace(wall_s=wall_s),
    )


def _gather(work: Path, main: str, build: Path) -> str:
    """Copy what a report is made of; the reason when something must not be copied."""
    files = size = 0
    for path in _inputs(work):
        name = path.relative_to(work).as_posix()
        state = path.lstat()
        if stat.S_ISLNK(state.st_mode):
            return f"{name} is a link"
        if not stat.S_ISREG(state.st_mode):
            return f"{name} is no plain file"
        if name != main and (path.suffix.lower() not in _COPIED or path.name in _NEVER):
            continue
        files, size = files + 1, size + state.st_size
        if files > _MAX_FILES or size > _MAX_BYTES:
            return "the folder of the report is too large to compile"
        target = build / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target, follow_symlinks=False)
    return ""


def _inputs(work: Path) -> Iterator[Path]:
    """Everything below `work` but hidden names and the good pair, in order; links to folders are given, not entered."""
    for folder, folders, names in os.walk(work):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and not (f == GOOD and Path(folder) == work))
        links = [f for f in folders if (Path(folder) / f).is_symlink()]
        yield from (Path(folder) / name for name in sorted([*names, *links]) if not name.startswith("."))


def _read(path: Path, bound: int) -> bytes:
    """The content of a plain file that TeX made, b'' when it is none or larger than `bound` (logs are cut)."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        data = stream.read(bound + 1)
        if len(data) <= bound:
            return data
        if path.suffix == ".pdf":
            return b""
        stream.seek(-(bound // 2), os.SEEK_END)
        return data[: bound // 2] + b"\n" + stream.read()


def _pages(pdf: bytes) -> int:
    try:
        document = pypdfium2.PdfDocument(pdf)
    except pypdfium2.PdfiumError:
        return 0
    try:
        return len(document)
    finally:
        document.close()


def _keep(work: Path, tex: str, pdf: bytes) -> None:
    """Make the pair the last good one: its folder first, then the name that points to it, then the old one goes."""
    name = sha256(tex.encode("utf-8", "replace") + b"\0" + pdf)[:16]
    write_atomic(work / GOOD / name / "report.tex", tex)
    write_atomic(work / GOOD / name / "report.pdf", pdf)
    write_atomic(work / GOOD / "current", name)
    for other in (work / GOOD).iterdir():
        if other.is_dir() and not other.is_symlink() and other.name != name:
            shutil.rmtree(other, ignore_errors=True)


def _refusal(reason: str) -> Diagnosis:
    return _one_error("refused-input", f"Not compiled: {reason}")


def _one_error(kind: str, message: str) -> Diagnosis:
    error = TexError(kind=kind, message=message)
    return Diagnosis(errors=(error,), excerpt=message, fingerprint=message[:120])


def _unexplained(outcome: _Outcome) -> Diagnosis:
    """A failure of which the logs say nothing."""
    said = f"Stopped at the limit of {outcome.limit}" if outcome.limit else outcome.said or "No PDF with pages came out"
    error = TexError(kind="unfinished" if outcome.limit else "no-output", message=said)
    return Diagnosis(errors=(error,), excerpt=said, fingerprint=said[:120])


def _last_words(done: Execution) -> str:
    lines = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else f"exit code {done.returncode}"
