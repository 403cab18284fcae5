"""The zip that compiles elsewhere: source, bibliography, figures, the PDF when there is one, and how to build it.

Entries are sorted and carry a fixed time, so the same report gives the same bytes. Links are left out.
"""

import io
import zipfile
from collections.abc import Iterable
from pathlib import Path

from agent.records import Diagnosis
from agent.tex.figures import graphics
from agent.tex.source import mask
from harness.files import write_atomic

_TIME = (1980, 1, 1, 0, 0, 0)
_TAKEN = {".bib", ".bst", ".cls", ".csv", ".tsv", ".dat", ".png", ".jpg", ".jpeg", ".pdf", ".eps", ".tex"}
_MAX_BYTES = 512 << 20
_README = """How to compile this report

    latexmk -xelatex {main}

or, without latexmk:

    xelatex {stem}
    {bibtex}xelatex {stem}
    xelatex {stem}

It needs a TeX with xelatex (TeX Live, MiKTeX or MacTeX); fonts it names must be installed.
"""


def export(
    work: Path, target: Path, *, main: str = "report.tex", diagnosis: Diagnosis | None = None, more: Iterable[Path] = ()
) -> Path:
    """Write the zip of the report in `work` to `target`, whole or not at all, and return `target`.

    In it: `main`, its PDF, all figures and data files below `work` outside of hidden folders and the last good pair, `more`
    files of `work`, and README.txt. With a `diagnosis` that has errors, `errors.txt` lists them. Raises OSError.
    """
    tex = (work / main).read_text("utf-8", "replace")
    stem = Path(main).stem
    bibtex = f"bibtex {stem}\n    " if "\\bibliography{" in mask(tex) else ""
    content = {"README.txt": _README.format(main=main, stem=stem, bibtex=bibtex).encode()}
    if diagnosis is not None and diagnosis.errors:
        content["errors.txt"] = _errors(diagnosis).encode()
    size = 0
    for path in [*_files(work), *more]:
        if path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        size += len(data)
        if size <= _MAX_BYTES:
            content[path.relative_to(work).as_posix()] = data
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in sorted(content):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content[name])
    write_atomic(target, archive.getvalue())
    return target


def unresolved(work: Path, main: str = "report.tex") -> tuple[str, ...]:
    """Figures that the source names and the zip would lack."""
    tex = (work / main).read_text("utf-8", "replace")
    names = {path.relative_to(work).with_suffix("").as_posix() for path in _files(work)}
    return tuple(
        g.path for g in graphics(tex) if Path(g.path).with_suffix("").as_posix() not in names and g.path not in names
    )


def _files(work: Path) -> list[Path]:
    """In order; nothing hidden, nothing of the good pair, no links to folders."""
    found = []
    for path in sorted(work.rglob("*")):
        parts = path.relative_to(work).parts
        linked = any((work.joinpath(*parts[:n])).is_symlink() for n in range(1, len(parts)))
        if (
            path.suffix.lower() in _TAKEN
            and parts[0] != "good"
            and not linked
            and not any(p.startswith(".") for p in parts)
        ):
            found.append(path)
    return found


def _errors(diagnosis: Diagnosis) -> str:
    lines = [f"{e.file or 'report'}:{e.line or '?'}: {e.kind}: {e.message}" for e in diagnosis.errors]
    return "\n".join(["What is wrong with this report:", *lines, "", diagnosis.excerpt, ""])
