"""From a grid of cells, wherever it came from, to tables: which block is one, what its header is, what stands above it.

A block is a run of rows whose cells hold numbers in the same columns. Right above it stand its header, perhaps a row of
units, and above those words and values that belong to it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from agent.readers.numbers import Marks, absent, leading, number
from agent.readers.records import Column, Entry, Table
from agent.readers.units import known, split_unit

Cell = str | float | None
SHORT = 200
"""Tables up to this many rows keep their cells as written."""
MOST_COLUMNS = 200


class Row(NamedTuple):
    """One row of cells and its number in the file, 1-based."""

    at: int
    cells: Sequence[Cell]
    values: Sequence[float | None] = ()
    """The numbers among them, None elsewhere; filled by `tables_of`."""


class Where(NamedTuple):
    """What a grid is part of."""

    path: str
    name: str = ""
    """`sheet Run 1`, '' when the file is one grid."""
    letters: bool = False
    """Whether columns have spreadsheet letters."""
    marks: Marks = Marks()
    """Decimal mark and grouping of its texts."""


def tables_of(rows: Sequence[Row], where: Where) -> tuple[Table, ...]:
    """Tables of a sheet: blocks apart from each other by empty rows or columns, or by words between numbers."""
    found: list[Table] = []
    valued = [Row(r.at, r.cells, [_value(c, where.marks) for c in r.cells]) for r in rows]
    for first, last in _bands(rows):
        part = [Row(r.at, r.cells[first:last], r.values[first:last]) for r in valued]
        found += _stacked(part, where, first)
    wanted = max((len(r.cells) for r in rows), default=0)
    if found and wanted > MOST_COLUMNS:
        found[-1] = found[-1].model_copy(update={"remarks": (*found[-1].remarks, _narrowed(wanted))})
    return tuple(sorted(found, key=lambda t: (t.rows[0], t.columns[0].letter.rjust(4))))


def _narrowed(wanted: int) -> str:
    return f"only the first {MOST_COLUMNS} of {wanted} columns are read"


def one_table(header: Sequence[str], body: Sequence[Row], where: Where, *, offset: int = 0) -> Table | None:
    """A table with a known header. None when it holds no number."""
    wanted = max([len(header), *(len(r.cells) for r in body)])
    width = min(wanted, MOST_COLUMNS)
    names = [*header, *([""] * width)][:width]
    remarks = [_narrowed(wanted)] if wanted > width else []
    columns = []
    keep = len(body) <= SHORT
    for i in range(width):
        named = split_unit(names[i])
        letter = letter_of(offset + i) if where.letters else ""
        cells = [r.cells[i] if i < len(r.cells) else None for r in body]
        values = tuple(r.values[i] if i < len(r.values) else None for r in body)
        if keep or None in values:
            texts = tuple(_written(c) for c in cells)
        else:
            texts = ()
        if not named.name and not any(texts) and not any(v is not None for v in values):
            continue
        label = named.name or (f"column {letter}" if letter else f"column {i + 1}")
        odd = sum(1 for v, t in zip(values, texts, strict=False) if v is None and t and not absent(t))
        column = Column(name=label, unit=named.unit, letter=letter, values=values, texts=texts)
        if column.numeric:
            if odd:
                remarks.append(f"{odd} cells of {label} are no numbers and are left out of its statistics")
            if not keep:
                column = column.model_copy(update={"texts": ()})
        columns.append(column)
    if not any(c.numeric for c in columns):
        return None
    longest = max(len(r.cells) for r in body)
    short = sum(1 for r in body if len(r.cells) < longest)
    if short and not where.letters:
        remarks.append(f"{short} of {len(body)} rows are shorter than the others")
    return Table(
        path=where.path,
        name=where.name,
        columns=_distinct(columns),
        rows=tuple(r.at for r in body),
        remarks=tuple(remarks),
    )


def letter_of(index: int) -> str:
    """0 -> A, 26 -> AA."""
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(65 + rest) + text
    return text


def _bands(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Runs of columns between columns that are empty."""
    width = min(max((len(r.cells) for r in rows), default=0), MOST_COLUMNS)
    used = [False] * (width + 1)
    for row in rows:
        for i, cell in enumerate(row.cells[:width]):
            if cell is not None and cell != "":
                used[i] = True
    bands, start = [], -1
    for i, filled in enumerate(used):
        if filled and start < 0:
            start = i
        elif not filled and start >= 0:
            bands.append((start, i))
            start = -1
    return bands


def _stacked(rows: Sequence[Row], where: Where, offset: int) -> list[Table]:
    found: list[Table] = []
    above: list[Row] = []
    i = 0
    while i < len(rows):
        if not _numeric(rows[i]):
            above.append(rows[i])
            i += 1
            continue
        end = i + 1
        while (
            end < len(rows)
            and (_numeric(rows[end]) or _continues(rows[end], rows[i]))
            and not (where.letters and rows[end].at > rows[end - 1].at + 1)
        ):
            end += 1
        body = rows[i:end]
        i = end
        parts = _parted(above, body) if where.letters else [(0, max(len(r.cells) for r in body))]
        made = [
            t
            for first, last in parts
            if (t := _made(_part(above, first, last), _part(body, first, last), where, offset + first))
        ]
        if made:
            found += made
            above = []
        else:
            above += body
    return found


def _made(above: Sequence[Row], body: Sequence[Row], where: Where, offset: int) -> Table | None:
    body = [r for r in body if any(v is not None for v in r.values)]
    if not body:
        return None
    header, units, rest = _head(above, body)
    if len(body) < 2 and not (header and sum(v is not None for v in body[0].values) >= 2):
        return None
    table = one_table(_joined(header, units), body, where, offset=offset)
    return _with_above(table, rest, where, offset) if table else None


def _part(rows: Sequence[Row], first: int, last: int) -> list[Row]:
    return [Row(r.at, r.cells[first:last], r.values[first:last]) for r in rows]


def _parted(above: Sequence[Row], body: Sequence[Row]) -> list[tuple[int, int]]:
    """Tables side by side: columns that are empty in the block and in the row right above part them."""
    return _bands([*body, *above[-1:]])


def _numeric(row: Row) -> bool:
    """Whether a row is one of numbers: at least one, and no fewer than words (a first cell may name the row)."""
    numbers = sum(1 for v in row.values if v is not None)
    if not numbers:
        return False
    if numbers == len(row.cells):
        return True
    words = sum(
        1 for c, v in zip(row.cells, row.values, strict=True) if v is None and isinstance(c, str) and not absent(c)
    )
    return (words <= 1 or numbers >= words) and not (numbers == 1 and words == 1 and _pair(row))


def _continues(row: Row, first: Row) -> bool:
    """A name and one number right below a row of several: the row of a table that has gaps."""
    numbers = [i for i, v in enumerate(row.values) if v is not None]
    known_ones = [i for i, v in enumerate(first.values) if v is not None]
    return _pair(row) and len(known_ones) > 1 and bool(numbers) and set(numbers) <= set(known_ones)


def _pair(row: Row) -> bool:
    """A name and its value in the first two filled cells: an entry, no row of a table."""
    filled = [c for c in row.cells if c not in (None, "")]
    return len(filled) == 2 and isinstance(filled[0], str) and not filled[0][:1].isdigit()


def _head(above: Sequence[Row], body: Sequence[Row]) -> tuple[Sequence[Cell], Sequence[Cell], list[Row]]:
    """Header row, row of units below it, and what stands above both. A header names most columns of numbers."""
    rest = list(above)
    units: Sequence[Cell] = ()
    if not rest:
        return (), (), rest
    filled = [
        i for i in range(len(body[0].cells)) if any(i < len(r.values) and r.values[i] is not None for r in body[:20])
    ]
    if _is_units(rest[-1], filled) and len(rest) > 1 and _names(rest[-2], filled):
        units = rest.pop().cells
    if rest and _names(rest[-1], filled):
        header = rest.pop().cells
        if rest and not units and _names_above(rest[-1], header):
            upper = _spread(rest.pop().cells, len(header))
            header = [
                " ".join(str(p) for p in (a, b) if p not in (None, "")) for a, b in zip(upper, header, strict=True)
            ]
        return header, units, rest
    return (), (), rest


def _names(row: Row, filled: Sequence[int]) -> bool:
    named = sum(1 for i in filled if isinstance(_at(row, i), str) and _at(row, i))
    return named * 2 > len(filled) or (named > 0 and named * 2 == len(filled))


def _names_above(row: Row, header: Sequence[Cell]) -> bool:
    """A first row of a header of two: words over several columns whose names below repeat (`U` over `up`, `down`)."""
    words = [c for c in row.cells if isinstance(c, str) and c]
    below = [c for c in header if isinstance(c, str) and c]
    return len(words) > 1 and len(set(below)) < len(below) and not any("=" in w for w in words)


def _spread(cells: Sequence[Cell], width: int) -> list[Cell]:
    spread: list[Cell] = []
    for cell in cells[:width]:
        spread.append(cell if cell not in (None, "") or not spread else spread[-1])
    return [*spread, *([None] * (width - len(spread)))]


def _is_units(row: Row, filled: Sequence[int]) -> bool:
    words = [str(_at(row, i)).strip("()[] ") for i in filled if isinstance(_at(row, i), str) and _at(row, i)]
    return bool(words) and sum(1 for w in words if known(w)) * 2 > len(words) and not any(len(w) > 12 for w in words)


def _joined(header: Sequence[Cell], units: Sequence[Cell]) -> list[str]:
    names = ["" if h is None else str(h).strip() for h in header]
    for i, unit in enumerate(units[: len(names)]):
        word = str(unit or "").strip("()[] ")
        if word and known(word):
            names[i] = f"{names[i]} ({word})"
    return names


def _with_above(table: Table, above: Sequence[Row], where: Where, offset: int) -> Table:
    """Words and values of the rows above, back to the last table."""
    words: list[str] = []
    entries: list[Entry] = []
    for row in above[-12:]:
        filled = [(i, c) for i, c in enumerate(row.cells) if c not in (None, "")]
        if len(filled) >= 2 and isinstance(filled[0][1], str) and all(leading(str(c)) for _, c in filled[1:]):
            for i, cell in filled[1:]:
                entries.append(entry_of(filled[0][1], str(cell), _beside(where, offset + i, row.at)))
            continue
        for i, cell in filled:
            key, mark, value = str(cell).partition("=")
            if mark and leading(value):
                entries.append(entry_of(key.strip(), value.strip(), _beside(where, offset + i, row.at)))
            elif isinstance(cell, str) and len(cell) < 120:
                words.append(cell.strip())
    return table.model_copy(update={"caption": "; ".join(words[-2:]), "entries": tuple(entries)})


def _beside(where: Where, column: int, at: int) -> str:
    return f"{where.name}, cell {letter_of(column)}{at}" if where.letters else f"line {at}"


def entry_of(key: str, text: str, place: str) -> Entry:
    """A named value taken apart: number and unit where it has them, the unit also from the key (`Bias (V)`)."""
    named = split_unit(key)
    found = leading(text)
    if found is None:
        return Entry(key=named.name, text=text, unit=named.unit, place=place)
    value, rest = found
    if not rest:
        return Entry(key=named.name, text=text, value=value, unit=named.unit, place=place)
    if known(rest):
        return Entry(key=named.name, text=text[: len(text) - len(rest)].strip(), value=value, unit=rest, place=place)
    return Entry(key=named.name, text=text, place=place)


def _distinct(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Columns with the same name get a number."""
    seen: dict[str, int] = {}
    result = []
    for column in columns:
        seen[column.name] = seen.get(column.name, 0) + 1
        again = seen[column.name]
        result.append(column if again == 1 else column.model_copy(update={"name": f"{column.name} ({again})"}))
    return tuple(result)


def _at(row: Row, i: int) -> Cell:
    return row.cells[i] if i < len(row.cells) else None


def _value(cell: Cell, marks: Marks) -> float | None:
    if cell is None or isinstance(cell, float | int):
        return cell
    value = number(cell, marks)
    if value is None and cell.endswith("%"):
        return number(cell[:-1], marks)
    return value


def _written(cell: Cell) -> str:
    if cell is None:
        return ""
    return re.sub(r"\s+", " ", cell).strip() if isinstance(cell, str) else repr(cell)
