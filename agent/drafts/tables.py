"""Tables of a draft: values in full where they are few, else a summary of the columns."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from agent.data.quantities import Register
from agent.data.rounding import shortest, significant
from agent.data.statistics import mean_text, rescaled, summary
from agent.drafts.latex import escaped, heading, number, shortened
from agent.drafts.words import Words
from agent.readers.records import Column, Table
from agent.readers.units import latex_unit, scaled
from agent.records import Quantity

FULL_ROWS, FULL_COLUMNS, SUMMARY_COLUMNS, WIDE_ROWS = 26, 7, 24, 6


class Cell(NamedTuple):
    """LaTeX of a cell; numbers may stand in a column that is aligned at the decimal mark."""

    tex: str
    q: Quantity | None = None


def is_short(table: Table) -> bool:
    """Whether it can be given in full: few rows, and more than one column that is filled."""
    return len(table.rows) <= FULL_ROWS and 2 <= len(shown(table)) <= FULL_COLUMNS


def shown(table: Table) -> tuple[Column, ...]:
    """Columns that hold anything."""
    return tuple(c for c in table.columns if c.numbers or any(c.texts))


def full(table: Table, label: str, caption: str, register: Register) -> str:
    """All values, as written."""
    columns = shown(table)
    body: list[list[Cell]] = [[] for _ in table.rows]
    for column in columns:
        if column.numeric:
            texts = _written(column)
            for row, text in enumerate(texts):
                if text:
                    q = register.cell(table, column, row, text=text)
                    body[row].append(Cell(q.text, q))
                else:
                    body[row].append(Cell(""))
        else:
            for row in range(len(table.rows)):
                cell = column.texts[row] if row < len(column.texts) else ""
                body[row].append(Cell(escaped(shortened(cell, 24))))
    heads = [heading(shortened(c.name, 22), c.unit) for c in columns]
    return floated(heads, body, label, caption, numeric=[c.numeric for c in columns])


def is_wide(table: Table) -> bool:
    """Whether it can be given in full with its columns as lines: a few rows of many columns."""
    return len(table.rows) <= WIDE_ROWS and FULL_COLUMNS < len(shown(table)) <= 40


def turned(table: Table, label: str, caption: str, register: Register, words: Words) -> str:
    """All values of a few rows, a line a column."""
    body = []
    for column in shown(table):
        cells = [Cell(heading(shortened(column.name, 40), column.unit))]
        texts = _written(column) if column.numeric else [escaped(shortened(t, 24)) for t in column.texts]
        for row, text in enumerate(texts):
            value = column.values[row]
            q = register.cell(table, column, row, text=text) if column.numeric and value is not None else None
            cells.append(Cell(number(q)) if q is not None else Cell(text))
        body.append(cells)
    heads = [words.say["column"], *([""] * len(table.rows))]
    align = "l" + "r" * len(table.rows)
    return floated(heads, body, label, caption, numeric=[False] * len(heads), align=align)


def summarised(table: Table, label: str, caption: str, register: Register, words: Words) -> str:
    """One line a column."""
    say = words.say
    columns = [c for c in shown(table) if c.numeric][:SUMMARY_COLUMNS]
    body = []
    for column in columns:
        found = summary(column)
        if found is None:
            continue
        unit, exponent = scaled(column.unit, max(abs(found.least), abs(found.most)))
        found = rescaled(found, 10.0**exponent)
        mean, sd = mean_text(found)
        cells = [Cell(heading(shortened(column.name, 34), unit))]
        formulas = (
            (float(found.n), str(found.n), "number of values", ""),
            (found.least, shortest(found.least), "least value", unit),
            (found.most, shortest(found.most), "greatest value", unit),
            (found.mean, mean, f"mean of {found.n} values", unit),
            (found.sd or 0.0, sd, f"standard deviation of {found.n} values (n - 1)", unit),
        )
        for value, text, formula, of in formulas:
            if not text:
                cells.append(Cell("--"))
                continue
            q = register.statistic(value, text, table, column, formula, of)
            cells.append(Cell(number(q), None))
        body.append(cells)
    heads = [say["column"], say["n"], say["least"], say["most"], say["mean"], say["sd"]]
    return floated(heads, body, label, caption, numeric=[False] * 6, align="lrrrrr")


def floated(
    heads: Sequence[str],
    body: Sequence[Sequence[Cell]],
    label: str,
    caption: str,
    *,
    numeric: Sequence[bool],
    align: str = "",
) -> str:
    """A table with booktabs rules; wide ones are scaled to the line, long ones run over pages."""
    spec = align or "".join(_aligned([row[i].q for row in body]) if n else "l" for i, n in enumerate(numeric))
    first = " & ".join(f"{{{h}}}" for h in heads)
    rows = "\n".join(" & ".join(c.tex for c in row) + r" \\" for row in body)
    tabular = f"\\begin{{tabular}}{{@{{}}{spec}@{{}}}}\n\\toprule\n{first} \\\\\n\\midrule\n{rows}\n\\bottomrule\n\\end{{tabular}}"
    fitted = f"\\fitted{{%\n{tabular}}}"
    return "\n".join(
        [
            r"\begin{table}[H]",
            r"\centering",
            rf"\caption{{{caption}}}\label{{{label}}}",
            r"\small",
            fitted,
            r"\end{table}",
        ]
    )


def beside(table: str, figure: str) -> str:
    """A narrow table and a figure in one float, which spares half a page."""
    inner = (
        table.replace(r"\begin{table}[H]", "")
        .replace(r"\end{table}", "")
        .replace(r"\caption{", r"\captionof{table}{", 1)
    )
    drawn = (
        figure.replace(r"\begin{figure}[H]", "")
        .replace(r"\end{figure}", "")
        .replace(r"\caption{", r"\captionof{figure}{", 1)
    )
    drawn = re.sub(r"width=[\d.]+\\linewidth", r"width=\\linewidth", drawn)
    lines = [
        r"\begin{figure}[H]",
        r"\begin{minipage}[c]{0.37\linewidth}",
        inner.strip(),
        r"\end{minipage}\hfill",
        r"\begin{minipage}[c]{0.59\linewidth}",
        drawn.strip(),
        r"\end{minipage}",
        r"\end{figure}",
    ]
    return "\n".join(lines)


def _aligned(numbers: Sequence[Quantity | None]) -> str:
    """A column of siunitx wide enough for its numbers."""
    whole = fraction = exponent = 0
    sign = ""
    for q in numbers:
        if q is None:
            continue
        mantissa, _, power = q.text.partition("e")
        if mantissa.startswith("-"):
            sign, mantissa = "-", mantissa[1:]
        before, _, after = mantissa.partition(".")
        whole, fraction = max(whole, len(before)), max(fraction, len(after.partition("(")[0]))
        exponent = max(exponent, len(power))
    form = f"{sign}{max(1, whole)}.{fraction}" + (f"e-{max(1, exponent - 1)}" if exponent else "")
    return f"S[table-format={form}]"


def _written(column: Column) -> list[str]:
    """Values of a column with the same number of decimals: as many as were written, at most what four digits need."""
    numbers = column.numbers
    plain = [shortest(v, 7) for v in numbers]
    if any("e" in t for t in plain):
        return [significant(v) if v is not None else "" for v in column.values]
    places = [len(t.partition(".")[2]) for t in plain]
    size = max(len(t.partition(".")[0].lstrip("-")) for t in plain)
    count = min(max(places), max(0, 5 - size)) if max(places) > 4 else max(places)
    if count == 0:
        return ["" if v is None else str(round(v)) for v in column.values]
    return ["" if v is None else f"{v:.{count}f}" for v in column.values]


def unit_tex(unit: str) -> str:
    """In text."""
    return rf"\unit{{{latex_unit(unit)}}}" if unit else ""
