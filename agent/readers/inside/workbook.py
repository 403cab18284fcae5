"""Sheets of a workbook as cells, with stored results of formulas; formulas without one are counted."""

import datetime
import io
import math
import re
import zipfile
from typing import Any

MOST_BYTES, MOST_RATIO = 300_000_000, 400
MOST_ROWS, MOST_COLUMNS, MOST_CELLS, MOST_SHEETS = 200_000, 200, 600_000, 40
_MERGED = re.compile(rb'<mergeCell [^>]*ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')


def read(path: str, form: str) -> dict[str, Any]:
    """{"sheets": [{"name", "rows": [[row number, [cells]]], "bare": formulas without a value, "cut": bool}]}."""
    del form
    import openpyxl

    with zipfile.ZipFile(path) as parts:
        infos = parts.infolist()
        unpacked, packed = sum(i.file_size for i in infos), sum(i.compress_size for i in infos) + 1
        if unpacked > MOST_BYTES or (unpacked > 20_000_000 and unpacked / packed > MOST_RATIO):
            return {"problem": f"a workbook that unpacks to {unpacked // 1_000_000} MB is not read"}
        sheets_xml = [i.filename for i in infos if re.match(r"xl/worksheets/[^/]+\.xml$", i.filename)]
        formulas = any(b"<f" in parts.read(name) for name in sheets_xml)
    with open(path, "rb") as stream:  # as in the rest of this folder
        content = stream.read()
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
    raw = None
    if formulas:
        raw = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=False, keep_links=False)
    room = MOST_CELLS
    sheets = []
    for name in book.sheetnames[:MOST_SHEETS]:
        sheet = book[name]
        if not hasattr(sheet, "iter_rows"):  # a sheet that is a chart
            continue
        sheet.reset_dimensions()
        other = raw[name] if raw is not None else None
        if other is not None:
            other.reset_dimensions()
        rows, bare, cut = [], 0, False
        merged = _merged(path, getattr(sheet, "_worksheet_path", ""))
        given = other.iter_rows(values_only=True, max_col=MOST_COLUMNS) if other is not None else None
        for at, cells in enumerate(sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS + 1), 1):
            if at > MOST_ROWS or room <= 0:
                cut = True
                break
            written = next(given, ()) if given is not None else ()
            for i, formula in enumerate(written):
                if isinstance(formula, str) and formula.startswith("=") and (i >= len(cells) or cells[i] is None):
                    bare += 1
            cut = cut or (len(cells) > MOST_COLUMNS and cells[-1] is not None)
            kept = [_plain(c) for c in cells[:MOST_COLUMNS]]
            while kept and kept[-1] is None:
                kept.pop()
            if kept:
                room -= len(kept)
                rows.append([at, kept])
        _spread(rows, merged)
        sheets.append({"name": name, "rows": rows, "bare": bare, "cut": cut})
    return {"sheets": sheets}


def _merged(path: str, part: str) -> list[tuple[bytes, bytes, bytes, bytes]]:
    if not part:
        return []
    with zipfile.ZipFile(path) as parts:
        try:
            return _MERGED.findall(parts.read(part.lstrip("/")))[:2000]
        except KeyError:
            return []


def _spread(rows: list[Any], merged: list[tuple[bytes, bytes, bytes, bytes]]) -> None:
    """Words of a merged cell stand for all of it; a number stays where it is, or it would count more than once."""
    by_row: dict[int, list[Any]] = dict(rows)
    for left, top, right, bottom in merged:
        first, last = _index(left), min(_index(right), MOST_COLUMNS - 1)
        start, end = int(top), min(int(bottom), int(top) + 2000)
        above = by_row.get(start, [])
        word = above[first] if first < len(above) else None
        if not isinstance(word, str):
            continue
        for at in range(start, end + 1):
            cells = by_row.get(at)
            if cells is None:
                continue
            for i in range(first, last + 1):
                if i < len(cells) and cells[i] is None:
                    cells[i] = word


def _index(letters: bytes) -> int:
    value = 0
    for c in letters:
        value = value * 26 + c - 64
    return value - 1


def _plain(cell: object) -> str | int | float | None:
    if cell is None or isinstance(cell, str):
        return cell[:2000] if cell else None
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, int | float):
        return cell if math.isfinite(cell) and abs(cell) < 1e300 else None
    if isinstance(cell, datetime.datetime | datetime.date | datetime.time):
        return cell.isoformat()
    return str(cell)[:200]
