"""The register of numbers that a report may print: nothing gets into a draft of ours but through here."""

from collections.abc import Sequence
from typing import Literal

from agent.data.rounding import measured, shortest, significant
from agent.readers.records import Column, Table, place_of
from agent.records import Quantity, Source

Kind = Literal["cell", "statistic", "count", "fit", "figure", "text", "configuration"]
MOST_SOURCES = 3


class Register:
    """Quantities in the order they were asked for; the same request gives the same one."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str, str, str, tuple[Source, ...]], Quantity] = {}

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """All of them."""
        return tuple(self._made.values())

    def add(
        self, value: float, text: str, *, kind: Kind, sources: Sequence[Source], unit: str = "", formula: str = ""
    ) -> Quantity:
        """A number as it is to be printed."""
        key = (text, unit, kind, formula, tuple(sources))
        if key not in self._made:
            number = len(self._made) + 1
            self._made[key] = Quantity(
                id=f"q{number}", text=text, value=value, unit=unit, kind=kind, sources=tuple(sources), formula=formula
            )
        return self._made[key]

    def count(self, value: int, what: str, sources: Sequence[Source] = ()) -> Quantity:
        """Something counted."""
        return self.add(value, str(value), kind="count", sources=sources, formula=f"number of {what}")

    def cell(self, table: Table, column: Column, row: int, *, text: str = "") -> Quantity:
        """A cell of a table; `row` counts from 0. Raises ValueError when it holds no number."""
        value = column.values[row]
        if value is None:
            raise ValueError("an empty cell has no value")
        source = Source(path=table.path, place=place_of(table, column, table.rows[row]))
        return self.add(value, text or shortest(value), kind="cell", sources=[source], unit=column.unit)

    def statistic(
        self, value: float, text: str, table: Table, column: Column, formula: str, unit: str | None = None
    ) -> Quantity:
        """Computed from the numbers of a column, in its unit if none is given."""
        return self.add(
            value,
            text,
            kind="statistic",
            sources=[column_source(table, column)],
            unit=column.unit if unit is None else unit,
            formula=formula,
        )

    def fitted(self, value: float, error: float, unit: str, sources: Sequence[Source], formula: str) -> Quantity:
        """A parameter of a fit with its standard error; the error is a quantity as well."""
        self.add(
            error, significant(error, 2), kind="fit", sources=sources, unit=unit, formula=f"standard error, {formula}"
        )
        return self.add(value, measured(value, error), kind="fit", sources=sources, unit=unit, formula=formula)


def column_source(table: Table, column: Column) -> Source:
    """The whole column of a table."""
    first, last = table.rows[0], table.rows[-1]
    if column.letter:
        place = f"cells {column.letter}{first}:{column.letter}{last}"
    else:
        place = f"lines {first} to {last}, column {column.name}"
    return Source(path=table.path, place=f"{table.name}, {place}" if table.name else place)
