"""Reads files of a scan: text formats here, binary ones in a child process. One bad file is one problem, never the end."""

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from agent.readers.boxed import Boxed, read_boxed
from agent.readers.delimited import tables_in
from agent.readers.encoding import decode
from agent.readers.grid import Row, Where, tables_of
from agent.readers.keyed import keyed
from agent.readers.nanonis import image, is_spectrum, spectrum
from agent.readers.notebook import notebook
from agent.readers.numbers import marks_of
from agent.readers.records import Entry, Grid, Picture, Readings, Table
from agent.records import FileKind, ReadText, Scan, ScannedFile
from agent.scan import READ_BYTES, suffix
from harness.files import decode_path
from harness.repo.guard import Guard, Unreadable
from harness.sandbox.base import Sandbox

MOST_TEXT = 400_000
"""Characters kept of one text."""
CLIP = 7000
"""Characters of one page of a text."""
_BOXED = {".xlsx": "workbook", ".xlsm": "workbook", ".pdf": "pdf", ".docx": "document"}
_RASTER = frozenset([".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp"])
_HDF, _NUMPY = "HDF5 is not read: export what matters as csv", "NumPy files are not read: export as csv"
_UNREAD = {
    ".xls": "an old Excel format: save it as xlsx",
    ".ods": "save it as xlsx or csv",
    ".doc": "an old Word format: save it as docx",
    ".odt": "save it as docx",
    ".h5": _HDF,
    ".hdf5": _HDF,
    ".nxs": _HDF.replace("HDF5", "HDF5 (NeXus)"),
    ".mat": "MATLAB files are not read: export as csv",
    ".npy": _NUMPY,
    ".npz": _NUMPY,
    ".3ds": "this format is not read",
    ".heic": "this format is not read: save it as png",
}
_NO_TABLES = frozenset(
    [".tex", ".bib", ".html", ".htm", ".svg", ".xml", ".rtf", ".md", ".rst", ".org", ".nb", ".py", ".log"]
)


class Unread(Exception):
    """A file gives nothing; the message says why, for a person."""


def read_all(folder: Path, scan: Scan, sandbox: Sandbox | None = None) -> Readings:
    """What can be read of a folder. Raises OSError when the folder itself is gone, SandboxUnavailable when it breaks."""
    return read_files(folder, scan.files, sandbox)


def read_text(folder: Path, file: ScannedFile, sandbox: Sandbox | None = None) -> ReadText:
    """The text of one file. Raises Unread."""
    found = read_files(folder, [file], sandbox)
    if not found.texts:
        raise Unread(found.problems.get(file.path, "there is no text in it"))
    return found.texts[0]


def tables(folder: Path, file: ScannedFile, sandbox: Sandbox | None = None) -> tuple[Table, ...]:
    """The tables of one file, also the ruled ones of a PDF; none when it has none. Raises Unread."""
    if suffix(file.path) == ".pdf":
        answer = _boxed_one(folder, file, "pdf-tables", sandbox)
        return tuple(t for one in _items(answer.get("tables")) for t in _listed_table(one, file.path))
    found = read_files(folder, [file], sandbox)
    if not found.tables and file.path in found.problems:
        raise Unread(found.problems[file.path])
    return found.tables


def read_image(folder: Path, file: ScannedFile, sandbox: Sandbox | None = None) -> ReadText:
    """Words and numbers that stand on an image, by local OCR. Raises Unread."""
    answer = _boxed_one(folder, file, "ocr", sandbox)
    lines = [str(one.get("text", "")) for one in _items(answer.get("lines"))]
    if not lines:
        raise Unread("no words were found on it")
    return ReadText(path=file.path, text="\n".join(lines)[:MOST_TEXT], how="OCR (rapidocr)")


def picture_png(folder: Path, file: ScannedFile, sandbox: Sandbox | None = None) -> bytes:
    """An image decoded and written anew as PNG of at most 2000 pixels a side. Raises Unread."""
    import base64

    answer = _boxed_one(folder, file, "picture-png", sandbox)
    try:
        made = base64.b64decode(str(answer.get("png", "")), validate=True)
    except ValueError as error:
        raise Unread("the reader's answer is damaged") from error
    if not made.startswith(b"\x89PNG\r\n\x1a\n"):
        raise Unread("it could not be decoded")
    return made


def clip(text: ReadText, *, offset: int = 0, limit: int = CLIP) -> str:
    """A page of a text for a model: at most `limit` (and never more than 7,000) characters from `offset`, and how to go on."""
    start = max(0, min(offset, len(text.text)))
    end = min(len(text.text), start + max(1, min(limit, CLIP)))
    page = text.text[start:end]
    if end < len(text.text):
        page += f"\n[characters {start} to {end} of {len(text.text)}; continue with offset={end}]"
    elif start:
        page += f"\n[characters {start} to {end} of {len(text.text)}; this is the end]"
    return page


def read_files(folder: Path, files: Sequence[ScannedFile], sandbox: Sandbox | None = None) -> Readings:
    """As `read_all`, for some files."""
    gathered = _Gathered()
    boxed: list[Boxed] = []
    with Guard(folder) as guard:
        for file in files:
            if file.problem:
                gathered.problems[file.path] = file.problem
                continue
            ending = suffix(file.path)
            if ending in _UNREAD:
                gathered.problems[file.path] = _UNREAD[ending]
                continue
            try:
                content = guard.read(decode_path(file.path), READ_BYTES)
            except (Unreadable, ValueError) as error:
                gathered.problems[file.path] = str(error)
                continue
            if ending in _BOXED:
                boxed.append(Boxed(file.path, _BOXED[ending], content))
            elif ending in _RASTER:
                boxed.append(Boxed(file.path, "picture", content))
            else:
                gathered.plain(file, ending, content)
    for path, answer in read_boxed(boxed, sandbox).items():
        gathered.answer(path, answer)
    order = {file.path: i for i, file in enumerate(files)}
    return gathered.readings(order)


class _Gathered:
    """What has been read so far."""

    def __init__(self) -> None:
        self.texts: list[ReadText] = []
        self.tables: list[Table] = []
        self.grids: list[Grid] = []
        self.pictures: list[Picture] = []
        self.entries: dict[str, tuple[Entry, ...]] = {}
        self.problems: dict[str, str] = {}

    def plain(self, file: ScannedFile, ending: str, content: bytes) -> None:
        """A file that is no binary format of ours."""
        if ending == ".sxm":
            found = image(content, file.path)
            if found is None:
                self.problems[file.path] = "not a Nanonis image"
                return
            self.grids += found.grids
            self.entries[file.path] = found.entries
            words = "\n".join(f"{e.key} = {e.text} {e.unit}".rstrip() for e in found.entries)
            self.texts.append(ReadText(path=file.path, text=words[:MOST_TEXT], how="Nanonis header"))
            if found.remark:
                self.problems[file.path] = found.remark
            return
        decoded = decode(content)
        if decoded is None:
            self.problems[file.path] = "binary, in no format that is read"
            return
        text, how = decoded.text, f"text, {decoded.encoding}"
        if ending == ".ipynb":
            try:
                text, how = notebook(text), "notebook"
            except (ValueError, RecursionError):
                self.problems[file.path] = "not a notebook that can be read"
                return
        self.texts.append(ReadText(path=file.path, text=text[:MOST_TEXT], how=how, title=_title(text, ending)))
        if ending in (".json", ".yaml", ".yml", ".toml"):
            keys = keyed(text, ending, file.path)
            self._put(file.path, keys.tables, keys.entries)
            if keys.problem:
                self.problems[file.path] = keys.problem
        elif is_spectrum(text):
            self._put(file.path, *spectrum(text, file.path))
        elif file.kind is FileKind.DATA and ending not in _NO_TABLES:
            self._put(file.path, *tables_in(text, file.path))
            if file.path not in self.entries and not any(t.path == file.path for t in self.tables):
                self.problems[file.path] = "no table of numbers was recognised in it"

    def answer(self, path: str, answer: dict[str, JsonValue]) -> None:
        """What the child process says of a file: any JSON at all, since the file may have got hold of it."""
        problem = answer.get("problem")
        if isinstance(problem, str):
            self.problems[path] = problem
        elif isinstance(answer.get("sheets"), list):
            self._workbook(path, answer)
        elif isinstance(answer.get("pages"), list):
            pages = [str(p) for p in _list(answer.get("pages"))]
            count = answer.get("count")
            how = f"pypdfium2, {len(pages)} pages"
            if isinstance(count, int) and count > len(pages):
                how += f" of {count}"
            text = "\f".join(pages)[:MOST_TEXT]
            if text.strip():
                self.texts.append(ReadText(path=path, text=text, how=how, title=_line(answer.get("title"))))
            else:
                self.problems[path] = "its pages hold no text (scanned?)"
        elif isinstance(answer.get("text"), str):
            self.texts.append(
                ReadText(
                    path=path, text=str(answer["text"])[:MOST_TEXT], how="python-docx", title=_line(answer.get("title"))
                )
            )
            for number, rows in enumerate(_list(answer.get("tables")), 1):
                self.tables += _rows_table(rows, path, f"table {number}")
        elif isinstance(answer.get("width"), int) and isinstance(answer.get("height"), int):
            self.pictures.append(Picture(path=path, width=_int(answer["width"]), height=_int(answer["height"])))
        else:
            self.problems[path] = "its reader gave no answer"

    def readings(self, order: dict[str, int]) -> Readings:
        """All of it, in the order of the files."""
        return Readings(
            texts=tuple(sorted(self.texts, key=lambda t: order[t.path])),
            tables=tuple(sorted(self.tables, key=lambda t: order[t.path])),
            grids=tuple(sorted(self.grids, key=lambda g: order[g.path])),
            pictures=tuple(sorted(self.pictures, key=lambda p: order[p.path])),
            entries={p: self.entries[p] for p in sorted(self.entries, key=order.__getitem__)},
            problems={p: self.problems[p] for p in sorted(self.problems, key=order.__getitem__)},
        )

    def _put(self, path: str, found: tuple[Table, ...], entries: tuple[Entry, ...]) -> None:
        self.tables += found
        if entries:
            self.entries[path] = entries

    def _workbook(self, path: str, answer: dict[str, JsonValue]) -> None:
        words, bare, cut, empty = [], 0, False, True
        for sheet in _items(answer.get("sheets")):
            name = _line(sheet.get("name"))
            rows = [row for row in map(_row, _list(sheet.get("rows"))) if row is not None]
            empty = empty and not rows
            texts = [c for row in rows[:2000] for c in row.cells if isinstance(c, str)]
            found = tables_of(rows, Where(path, f"sheet {name}", letters=True, marks=marks_of(texts, delimiter=";")))
            self.tables += found
            bare += _int(sheet.get("bare"))
            cut = cut or sheet.get("cut") is True
            if rows:
                lines = ["\t".join("" if c is None else str(c) for c in row.cells) for row in rows[:5000]]
                words.append("\n".join([f"[sheet {name}]", *lines]))
        if words:
            self.texts.append(ReadText(path=path, text="\n\n".join(words)[:MOST_TEXT], how="openpyxl, stored values"))
        problems = []
        if bare:
            problems.append(f"{bare} formulas have no stored value and are not computed here")
        if cut:
            problems.append("only its first part is read")
        if empty:
            problems.append("it has no filled cell")
        if problems:
            self.problems[path] = "; ".join(problems)


def _boxed_one(folder: Path, file: ScannedFile, form: str, sandbox: Sandbox | None) -> dict[str, JsonValue]:
    if file.problem:
        raise Unread(file.problem)
    try:
        with Guard(folder) as guard:
            content = guard.read(decode_path(file.path), READ_BYTES)
    except (Unreadable, ValueError, OSError) as error:
        raise Unread(str(error)) from error
    answer = read_boxed([Boxed(file.path, form, content)], sandbox).get(file.path, {})
    problem = answer.get("problem")
    if isinstance(problem, str):
        raise Unread(problem)
    return answer


def _listed_table(one: dict[str, JsonValue], path: str) -> list[Table]:
    return _rows_table(one.get("rows"), path, f"page {_int(one.get('page'))}")


def _rows_table(rows: JsonValue, path: str, name: str) -> list[Table]:
    lines = [Row(at, [str(c) or None for c in _list(cells)]) for at, cells in enumerate(_list(rows), 1)]
    marks = marks_of([c for r in lines for c in r.cells if isinstance(c, str)], delimiter="\t")
    return list(tables_of(lines, Where(path, name, marks=marks)))


def _row(given: JsonValue) -> Row | None:
    if not (isinstance(given, list) and len(given) == 2 and isinstance(given[0], int) and isinstance(given[1], list)):
        return None
    return Row(given[0], [c if isinstance(c, str) or c is None else _float(c) for c in given[1]])


def _float(value: JsonValue) -> float | int | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _items(value: JsonValue) -> list[dict[str, JsonValue]]:
    return [one for one in _list(value) if isinstance(one, dict)]


def _int(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0


def _line(value: JsonValue) -> str:
    return " ".join(str(value or "").split())[:200]


def _title(text: str, ending: str) -> str:
    """What a text calls itself: the title of LaTeX, the first heading of Markdown."""
    pattern = {
        ".tex": r"\\title\{([^{}]{1,200})\}",
        ".md": r"^#\s+(.{1,200})$",
        ".html": r"<title>([^<]{1,200})</title>",
    }.get(ending)
    found = re.search(pattern, text[:20_000], re.MULTILINE) if pattern else None
    return " ".join(re.sub(r"\\\\|[\\\\{}$]", " ", found[1]).split()) if found else ""
