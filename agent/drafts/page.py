"""What all sections of a draft share: the material, the words, the register that every printed number goes through."""

from collections.abc import Sequence

from agent.data.quantities import Register
from agent.data.rounding import significant
from agent.drafts.latex import escaped, number, quantity, shortened
from agent.drafts.study import Study
from agent.drafts.words import Words
from agent.readers.records import Entry, Readings, Table
from agent.readers.units import scaled
from agent.records import Figure, Scan, Source


class Page:
    """One draft in the making."""

    def __init__(
        self,
        scan: Scan,
        readings: Readings,
        study: Study,
        figures: Sequence[Figure],
        refused: dict[str, str],
        words: Words,
    ) -> None:
        self._scan = scan
        self._readings = readings
        self._study = study
        self._figures = {f.label: f for f in figures}
        self._refused = refused
        self._words = words
        self._say = words.say
        self.register = Register()
        self._untold = 0
        self._unused = {f.path: f.problem for f in scan.files if f.problem} | dict(readings.problems)

    def _count(self, value: int, what: str, sources: Sequence[Source] = ()) -> str:
        return number(self.register.count(value, what, sources))

    def _rows(self, table: Table) -> str:
        return self._count(len(table.rows), "rows", [Source(path=table.path, place=table.name)])

    def _scaled(
        self, value: float, unit: str, source: list[Source], formula: str, size: float = 0.0, digits: int = 4
    ) -> str:
        new, exponent = scaled(unit, size or abs(value))
        text = significant(value / 10.0**exponent, digits)
        return quantity(
            self.register.add(value / 10.0**exponent, text, kind="statistic", sources=source, unit=new, formula=formula)
        )

    def _named(self, entry: Entry, table: Table) -> str:
        if entry.value is None:
            return escaped(f"{entry.key} = {shortened(entry.text, 40)}")
        text = significant(entry.value, 6)
        if "." in text and "e" not in text:
            text = text.rstrip("0").rstrip(".")
        q = self.register.add(
            entry.value, text, kind="text", sources=[Source(path=table.path, place=entry.place)], unit=entry.unit
        )
        return f"{escaped(shortened(entry.key, 30))} $=$ {quantity(q)}"


def long_table(heads: Sequence[str], rows: Sequence[str], caption: str, label: str) -> str:
    """A table of three columns that may run over pages."""
    spec = r"@{}>{\raggedright\arraybackslash}p{0.5\linewidth}>{\raggedright\arraybackslash}p{0.34\linewidth}r@{}"
    first = " & ".join(heads) + r" \\"
    lines = [
        r"{\small",
        rf"\begin{{longtable}}{{{spec}}}",
        rf"\caption{{{caption}}}\label{{{label}}}\\",
        *(r"\toprule", first, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", first, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"),
        *rows,
        r"\end{longtable}",
        "}",
    ]
    return "\n".join(lines)
