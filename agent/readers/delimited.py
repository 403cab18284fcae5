"""Text files that are tables: CSV of any kind, TSV, columns of white space, with or without words around."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from agent.readers.grid import Row, Where, entry_of, tables_of
from agent.readers.numbers import absent, marks_of, number
from agent.readers.records import Entry, Table

MOST_ROWS = 250_000
_COMMENT = re.compile(r"\s*(?:#|%|//|!|;(?=\s))+\s?")
_KEYED = re.compile(r"([^\d\s,;\t:=][^:=,;\t]{0,60}?)\s*[:=]\s*(\S.{0,200})$")
_SPACED = re.compile(r"\t+|\s{2,}| ")
_NUMERIC = re.compile(r"[+\-−–]?[\d.,'’  ]*\d[\d.,]*(?:[eEdD][+-]?\d+|\s*[x×·*]\s*10\^?\S+)?\s*%?$")
"""What may be a number, whatever its marks."""
_TELLING = 30


def tables_in(text: str, path: str) -> tuple[tuple[Table, ...], tuple[Entry, ...]]:
    """Tables of a text, and the named values around them. Nothing where no lines of numbers are."""
    lines = text.split("\n")
    cut = len(lines) > MOST_ROWS
    lines = lines[:MOST_ROWS]
    bare = [_COMMENT.sub("", line) if _COMMENT.match(line) else line for line in lines]
    delimiter = _delimiter(bare)
    if delimiter is None:
        return (), ()
    entries: list[Entry] = []
    rows: list[Row] = []
    for at, cells in _split(bare, delimiter):
        line = bare[at - 1]
        keyed = _KEYED.match(line) if line[:1] not in "0123456789+-." else None
        if keyed and (line is not lines[at - 1] or len([c for c in cells if c]) <= 2):
            entries.append(entry_of(keyed[1].strip(), keyed[2].strip(" \t,;"), f"line {at}"))
            continue
        rows.append(Row(at, [c or None for c in cells]))
    sample = [c for row in _sample(rows) for c in row.cells if isinstance(c, str)]
    marks = marks_of(sample, delimiter=delimiter)
    rows = [r for r in rows if any(r.cells)]
    found = tables_of(_even(rows), Where(path, marks=marks))
    if not found:
        pairs = [r for r in rows if len(r.cells) == 2 and all(isinstance(c, str) for c in r.cells)]
        entries += [entry_of(str(r.cells[0]), str(r.cells[1]), f"line {r.at}") for r in pairs[:500]]
    if cut:
        found = tuple(
            t.model_copy(update={"remarks": (*t.remarks, f"only the first {MOST_ROWS} lines of the file are read")})
            for t in found
        )
    return found, tuple(entries)


def _even(rows: Sequence[Row]) -> Sequence[Row]:
    """A column that is empty in every row would part the table in two: put nothing there that is looked for."""
    width = Counter(len(r.cells) for r in rows).most_common(1)
    if not width:
        return rows
    empty = [i for i in range(width[0][0]) if all(i >= len(r.cells) or not r.cells[i] for r in rows)]
    if not empty:
        return rows
    gone = set(empty)
    kept = [i for i in range(max(len(r.cells) for r in rows)) if i not in gone]
    return [Row(r.at, [r.cells[i] for i in kept if i < len(r.cells)]) for r in rows]


def _sample(rows: Sequence[Row]) -> Sequence[Row]:
    return [*rows[:500], *rows[500 :: max(1, len(rows) // 500)]]


def _delimiter(lines: Sequence[str]) -> str | None:
    """What parts the cells of most lines with numbers: their count must be the same on most; None for plain text."""
    telling = [line for line in lines if any(c.isdigit() for c in line)]
    telling = [*telling[:_TELLING], *telling[_TELLING :: max(1, len(telling) // _TELLING)]][: 2 * _TELLING]
    best: tuple[float, int, str] | None = None
    for order, mark in enumerate(("\t", ";", ",", "|", " ")):
        counts: Counter[int] = Counter()
        for line in telling:
            cells = _cells(line, mark)
            numbers = sum(1 for c in cells if _NUMERIC.match(c))
            words = sum(1 for c in cells if c and not _NUMERIC.match(c) and not absent(c))
            if numbers and numbers >= words - 1 and (mark != " " or numbers > words):
                counts[len(cells)] += 1
        if not counts:
            continue
        agreeing = max(counts.values())
        several = sum(n for width, n in counts.items() if width > 1)
        share = several / len(telling)
        if (several >= 2 or several == len(telling)) and share > (0.5 if mark == " " else 0.4):
            score = (agreeing / len(telling) + 0.1 * share, -order, mark)
            best = max(best, score) if best else score
    if best:
        return best[2]
    single = [line for line in telling if number(line.strip(), marks_of([line])) is not None]
    return "\t" if len(single) >= 3 and len(single) * 2 > len(telling) else None


def _cells(line: str, mark: str) -> list[str]:
    if mark == " ":
        return line.split()
    if '"' in line:
        return [c.strip() for c in next(csv.reader([line], delimiter=mark), [])]
    return [c.strip() for c in line.strip("|" if mark == "|" else "\n").split(mark)]


def _split(lines: Sequence[str], mark: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells. A quoted cell may hold line ends; the number is that of its first line."""
    if mark != " " and mark != "|" and any(line.count('"') % 2 for line in lines):
        reader = csv.reader(iter(line + "\n" for line in lines), delimiter=mark)
        at = 1
        try:
            for cells in reader:
                yield at, [" ".join(c.split()) for c in cells]
                at = reader.line_num + 1
        except csv.Error:
            return
        return
    for at, line in enumerate(lines, 1):
        if mark == " " and not any(number(c) is not None for c in line.split()):
            cells = [c for c in re.split(r"\t+|\s{2,}", line.strip()) if c]
            yield at, cells if len(cells) > 1 else line.split()
        else:
            yield at, _cells(line, mark)
