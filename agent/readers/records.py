"""What the readers give. Rows and cells keep where they stand, so that a number can be looked up by a person."""

from pydantic import Field

from agent.records import ReadText
from harness.schema.base import Record


class Entry(Record):
    """One named value: a header key, a leaf of a YAML file, `R = 10 kΩ` above a table."""

    key: str
    """Its name, with the names above it: `Bias>Bias`, `Sample.name`."""
    text: str
    """Its value as written, without its unit."""
    value: float | None = None
    """As a number, None when it is none."""
    unit: str = ""
    """Its unit, '' when it says none."""
    place: str = ""
    """Where it stands: `line 12`, `sheet Run 1, cell B2`."""


class Column(Record):
    """One column of a table."""

    name: str
    """Without the unit."""
    unit: str = ""
    """As the material writes it, '' when it says none."""
    letter: str = ""
    """Of a spreadsheet column, '' elsewhere."""
    values: tuple[float | None, ...]
    """Numbers, None where a cell is empty or no number; one for each row."""
    texts: tuple[str, ...] = ()
    """Cells as written; empty for long columns of numbers."""

    @property
    def numbers(self) -> tuple[float, ...]:
        """The numbers without gaps."""
        return tuple(v for v in self.values if v is not None)

    @property
    def numeric(self) -> bool:
        """Whether it holds more numbers than anything else."""
        filled = len(self.numbers)
        other = sum(1 for v, t in zip(self.values, self.texts, strict=False) if v is None and t)
        return filled > 0 and filled > other


class Table(Record):
    """A block of rows below one header."""

    path: str
    """File of the data folder."""
    name: str = ""
    """Sheet or other part of the file, '' when there is one."""
    caption: str = ""
    """Words that stand right above it, '' for none."""
    columns: tuple[Column, ...]
    """Left to right."""
    rows: tuple[int, ...]
    """Line or sheet row of each row, 1-based."""
    entries: tuple[Entry, ...] = ()
    """Named values that stand above it."""
    remarks: tuple[str, ...] = ()
    """What a reader of the report should know: rows left out, cells that are no numbers, formulas without a value."""

    def place(self, column: int, row: int) -> str:
        """Where a cell stands, in a person's words."""
        return place_of(self, self.columns[column], self.rows[row])


def place_of(table: Table, column: Column, row: int) -> str:
    """`sheet Run 1, cell B4`, or `line 12, column U`."""
    if column.letter:
        return f"{table.name}, cell {column.letter}{row}" if table.name else f"cell {column.letter}{row}"
    where = f"line {row}, column {column.name}"
    return f"{table.name}, {where}" if table.name else where


class Grid(Record):
    """A measured map: one value for each pixel."""

    path: str
    """File of the data folder."""
    name: str
    """Channel: `Z forward`."""
    unit: str
    """Of the values."""
    width_m: float
    """Extent along the fast axis, metres."""
    height_m: float
    """Extent along the slow axis, metres."""
    shape: tuple[int, int]
    """Lines and pixels a line, as measured."""
    step: int = 1
    """Every `step`-th pixel of either axis is in `values`."""
    values: tuple[tuple[float | None, ...], ...]
    """Lines from top to bottom."""
    least: float
    """Smallest measured value."""
    most: float
    """Largest measured value."""
    mean: float
    """Of all measured values."""
    roughness: float
    """Root mean square deviation from the least-squares plane."""


class Picture(Record):
    """An image of the material."""

    path: str
    """File of the data folder."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""


class Readings(Record):
    """All that could be read of a folder."""

    texts: tuple[ReadText, ...] = ()
    """Documents and other texts."""
    tables: tuple[Table, ...] = ()
    """In order of files and place."""
    grids: tuple[Grid, ...] = ()
    """Measured maps."""
    pictures: tuple[Picture, ...] = ()
    """Images."""
    entries: dict[str, tuple[Entry, ...]] = Field(default={})
    """Header and notebook entries by file."""
    problems: dict[str, str] = Field(default={})
    """Why a file was not read or only partly, by path."""
