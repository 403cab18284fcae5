"""The section of measurements: tables, plots and maps, file by file."""

from collections.abc import Iterable, Sequence

from agent.data.rounding import shortest
from agent.drafts.latex import breakable, escaped, name, quantity, short_path, shortened
from agent.drafts.page import Page
from agent.drafts.plots import drawn_maps, map_label
from agent.drafts.results import fit_sentence, lines_table, listed, spectrum_words
from agent.drafts.study import Studied
from agent.drafts.tables import beside, full, is_short, is_wide, shown, summarised, turned
from agent.readers.records import Column, Grid, Table
from agent.records import Figure, Source

MOST_FULL, MOST_TABLES = 12, 60


class Measurements(Page):
    """What was measured."""

    def data(self) -> str:
        """Tables and figures by file, then maps."""
        parts: list[str] = []
        given = told = 0
        headed: set[str] = set()
        for index, table in enumerate(self._study.tables):
            studied = self._study.of(table)
            if index in self._study.copies or not any(c.numeric for c in table.columns):
                continue
            if not studied and _nameless(table):
                continue
            told += 1
            if told > MOST_TABLES:
                self._untold += 1
                continue
            if table.path not in headed:
                headed.add(table.path)
                parts.append(rf"\subsection{{{name(short_path(table.path))}}}")
            in_full = (is_short(table) or is_wide(table)) and given < MOST_FULL
            given += in_full
            parts += self._table(index, table, studied, in_full=in_full)
        maps = list(enumerate(drawn_maps(self._readings), 1))
        for path in dict.fromkeys(g.path for _, g in maps):
            parts.append(rf"\subsection{{{name(short_path(path))}}}")
            parts += [self._map(grid, map_label(i)) for i, grid in maps if grid.path == path]
            shots = [f for i, grid in maps if grid.path == path and (f := self._figures.get(map_label(i)))]
            parts += [_pair(shots[i : i + 2]) for i in range(0, len(shots), 2)]
        return "\n\n".join(parts) if parts else self._say["nothing_read"]

    def _table(self, index: int, table: Table, studied: Sequence[Studied], *, in_full: bool) -> Iterable[str]:
        say = self._say
        where = escaped(table.name) if table.name else name(table.path.rpartition("/")[2])
        where = where[0].upper() + where[1:] + _area(table) if table.name else where
        label = f"tab:data-{index + 1}"
        caption_where = breakable(f"{table.path}, {table.name}" if table.name else table.path)
        kind = "full" if in_full else "summary"
        bare = bool(studied) and all(s.series.shape == "spectrum" for s in studied) and len(shown(table)) <= 3
        reasons = self._study.left_out.get(index, ())
        unnamed = all(c.name.startswith("column ") for c in table.columns)
        repeats = unnamed or any("the same values" in r for r in reasons)
        if bare or sum(1 for c in table.columns if c.numbers) < 2 or (not studied and repeats):
            kind, in_full = "plain", False
        text = [say[f"table_{kind}"].format(where=where, rows=self._rows(table), label=label)]
        above = [self._named(e, table) for e in table.entries[:8]]
        if table.caption:
            above.insert(0, rf"\emph{{{escaped(shortened(table.caption, 80).rstrip('.。;:,； '))}}}")
        if above:
            text.append(say["above"].format(list=say["comma"].join(above)))
        empty = [escaped(shortened(c.name, 30)) for c in table.columns if not c.numbers and not any(c.texts)]
        if kind == "plain" and not studied:
            text += [self._range(c, table) for c in table.columns if c.numbers][:3]
            text += [f"{escaped(self._words.told(r))}{say['stop']}" for r in reasons if "the same values" in r][:2]
        if empty:
            text.append(say["empty_columns"].format(list=listed(empty, self._words)))
        yield " ".join(text)
        drawn = [self._figures[s.label] for s in studied if s.label in self._figures]
        texts = [self._words_of(one) for one in studied]
        narrow = in_full and bool(drawn) and len(shown(table)) <= 4
        if in_full:
            caption = say["full_caption"].format(where=caption_where)
            if is_wide(table):
                given = turned(table, label, caption, self.register, self._words)
            else:
                given = full(table, label, caption, self.register)
            if not narrow:
                yield given
        elif kind == "summary":
            yield summarised(
                table, label, say["summary_caption"].format(where=caption_where), self.register, self._words
            )
        yield " ".join(t for t in texts if t)
        if narrow:
            yield beside(given, _figure(drawn[0]))
            drawn = drawn[1:]
        if len(drawn) == 1 and any(s.peaks for s in studied):
            yield _figure(drawn[0])
        else:
            for i in range(0, len(drawn), 2):
                yield _pair(drawn[i : i + 2])
        for one in studied:
            if one.peaks:
                yield lines_table(one, _lines_label(one), self.register, self._words)

    def _words_of(self, one: Studied) -> str:
        """What is said of a series."""
        say, series = self._say, one.series
        x, y = escaped(series.x.name), escaped(series.y.name)
        text = ""
        if one.label in self._figures:
            text += say["figure"].format(label=one.label, y=y, x=x)
            text += say["figure_log"] if series.log_y else ""
            text += say["figure_both"] if series.others else ""
            text += say["figure_error"].format(column=escaped(series.error.name)) if series.error else ""
        elif one.label in self._refused:
            text += say["not_drawn"].format(y=y, reason=escaped(shortened(self._refused[one.label], 120)))
        if series.shape == "spectrum":
            text += spectrum_words(one, self.register, self._words)
            count = self._count(len(one.peaks), "fitted lines", [Source(path=series.table.path)])
            text += say["lines"].format(n=count, label=_lines_label(one)) if one.peaks else say["no_lines"]
        return (text + fit_sentence(one, self.register, self._words)).strip()

    def _range(self, column: Column, table: Table) -> str:
        low, high = min(column.numbers), max(column.numbers)
        ends = [
            quantity(self.register.statistic(v, shortest(v), table, column, f))
            for v, f in ((low, "least value"), (high, "greatest value"))
        ]
        return self._say["range"].format(column=escaped(column.name), least=ends[0], most=ends[1])

    def _map(self, grid: Grid, label: str) -> str:
        source = [Source(path=grid.path, place=f"channel {grid.name}")]
        figure = self._figures.get(label)
        say = self._say["maps" if figure is not None else "maps_plain"]
        lengths = [
            self._scaled(v, "m", source, w)
            for v, w in ((grid.width_m, "width of the scan"), (grid.height_m, "height of the scan"))
        ]
        size = max(abs(grid.least), abs(grid.most))
        least = self._scaled(grid.least, grid.unit, source, "least value", size)
        most = self._scaled(grid.most, grid.unit, source, "greatest value", size)
        rough = self._scaled(
            grid.roughness, grid.unit, source, "root mean square deviation from the least-squares plane", digits=3
        )
        text = say.format(
            name=escaped(grid.name),
            file=name(grid.path.rpartition("/")[2])[len(r"\file{") : -1],
            width=lengths[0],
            height=lengths[1],
            lines=self._count(grid.shape[0], "lines", source),
            pixels=self._count(grid.shape[1], "pixels a line", source),
            least=least,
            most=most,
            rough=rough,
            label=label,
        )
        if label in self._refused:
            text += " " + self._say["not_drawn"].format(
                y=escaped(grid.name), reason=escaped(shortened(self._refused[label], 120))
            )
        return text


def _area(table: Table) -> str:
    """Which cells of a sheet, since there may be several tables on one."""
    letters = [c.letter for c in table.columns if c.letter]
    return f", {letters[0]}{table.rows[0]}:{letters[-1]}{table.rows[-1]}," if letters else ""


def _lines_label(one: Studied) -> str:
    return one.label.replace("fig:", "tab:lines-")


def _nameless(table: Table) -> bool:
    """Numbers beside a table, without a name: worked out there, and for nobody else."""
    return all(c.name.startswith("column ") for c in table.columns) and len(shown(table)) < 2


def _figure(figure: Figure) -> str:
    return "\n".join(
        [
            r"\begin{figure}[H]",
            r"\centering",
            rf"\includegraphics[width={_width(figure)}\linewidth]{{{figure.path}}}",
            rf"\caption{{{breakable(figure.caption)}}}\label{{{figure.label}}}",
            r"\end{figure}",
        ]
    )


def _pair(figures: Sequence[Figure]) -> str:
    """Maps side by side, each with its caption."""
    if len(figures) == 1:
        return _figure(figures[0])
    parts = [r"\begin{figure}[H]"]
    for figure in figures:
        parts += [
            r"\begin{minipage}[t]{0.485\linewidth}\centering",
            rf"\includegraphics[width=\linewidth]{{{figure.path}}}",
            rf"\caption{{{breakable(figure.caption)}}}\label{{{figure.label}}}",
            r"\end{minipage}\hfill",
        ]
    return "\n".join([*parts, r"\end{figure}"])


def _width(figure: Figure) -> str:
    return "0.6" if figure.label.startswith("fig:map") else "0.74"
