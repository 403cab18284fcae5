"""The sections of a draft: what is there, under which conditions, what was measured, what follows, what is left open."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from agent.data.quantities import Register
from agent.data.rounding import shortest, significant
from agent.drafts.latex import breakable, escaped, name, number, quantity, short_path, shortened
from agent.drafts.plots import drawn_maps, map_label
from agent.drafts.results import (
    fit_sentence,
    fits_table,
    lines_table,
    listed,
    parameters,
    spectra_table,
    spectrum_words,
)
from agent.drafts.study import Studied, Study
from agent.drafts.tables import beside, full, is_short, shown, summarised
from agent.drafts.words import Words
from agent.readers.records import Column, Entry, Grid, Readings, Table
from agent.readers.units import known, latex_unit, scaled
from agent.records import Figure, FileKind, Scan, ScannedFile, Source

LISTED_FILES, LISTED_ENTRIES, MOST_SETTINGS, MOST_FULL, MOST_TABLES = 40, 14, 6, 12, 60
_USUAL = (
    "experiment", "technique", "sample", "name", "bias", "setpoint", "current", "temperature", "temp", "range", "pixel", "angle",
    "date", "time", "frequency", "amplitude", "sweep", "scan", "pressure", "comment", "model", "mode", "gain", "field", "voltage",
    "power", "distance", "resistance", "chemical", "description", "number of",
)  # fmt: skip
_DULL = (
    "path", "release", "version", "file", "email", "@", "config", "calib", "animation", "indicator", "measurements period", "cutoff",
    "order", "demod", "oscillation", "excitation", "pll", "phase", "piezo", "hv", "user output", "output mode", "limit", "slope",
    "identifier", "kelvin", "ext.", "series name", "setpoint unit", "z-controller>setpoint", "settling", "slew", "current>offset", "drift",
)  # fmt: skip


class Writer:
    """One draft in the making: everything it prints goes through the register."""

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

    # what is there

    def material(self) -> str:
        """Counts and the list of files."""
        say, files = self._say, self._scan.files
        kinds = Counter(f.kind for f in files)
        parts = [
            say[f"kind_{k.value}"].format(n=self._count(kinds[k], f"entries of kind {k.value}"))
            for k in FileKind
            if kinds[k]
        ]
        text = [say["counts"].format(total=self._count(len(files), "entries"), parts=listed(parts, self._words))]
        if self._unused:
            text.append(say["unread"].format(n=self._count(len(self._unused), "entries not used or used in part")))
        text.append(say["files_listed"].format())
        body = [" ".join(text), self._listing() if len(files) <= LISTED_FILES else self._grouped()]
        titles = [
            rf"{name(t.path)} (\emph{{{escaped(shortened(t.title, 90))}}})" for t in self._readings.texts if t.title
        ]
        if titles:
            body.append(say["documents"].format(list=listed(titles[:8], self._words)))
        if self._readings.pictures:
            body.append(say["pictures"])
        return "\n\n".join(body)

    def _listing(self) -> str:
        say = self._say
        rows = []
        for file in self._scan.files:
            if not file.size:
                rows.append(rf"{name(short_path(file.path))} & {self._holds(file)} & \\")
                continue
            size = self.register.add(
                file.size / 1000,
                _kilo(file.size),
                kind="count",
                sources=[Source(path=file.path)],
                unit="kB",
                formula="size",
            )
            rows.append(rf"{name(short_path(file.path))} & {self._holds(file)} & {number(size)} \\")
        return _long(
            [say["file"], say["holds"], say["size"]], rows, say["files_caption"], "tab:files", self._say["continued"]
        )

    def _grouped(self) -> str:
        say = self._say
        groups: dict[tuple[str, str], list[ScannedFile]] = {}
        for file in self._scan.files:
            stem = file.path.rpartition("/")[2]
            ending = "." + stem.rpartition(".")[2] if "." in stem[1:] else ""
            groups.setdefault((file.kind.value, ending.lower()), []).append(file)
        rows = []
        for (kind, ending), members in sorted(groups.items()):
            total = sum(f.size for f in members)
            size = self.register.add(
                total / 1000,
                _kilo(total),
                kind="count",
                sources=[Source(path=members[0].path)],
                unit="kB",
                formula="size of all",
            )
            count = self._count(len(members), f"files {ending}")
            rows.append(rf"{escaped(self._words.kinds[kind])} {name(ending)} & {count} & {number(size)} \\")
        return _long(
            [say["file"], say["count"], say["size"]], rows, say["files_grouped"], "tab:files", self._say["continued"]
        )

    def _holds(self, file: ScannedFile) -> str:
        say = self._say
        tables = [(i, t) for i, t in enumerate(self._readings.tables) if t.path == file.path]
        copies = {self._readings.tables[self._study.copies[i]].path for i, _ in tables if i in self._study.copies} - {
            file.path
        }
        if tables and copies and all(i in self._study.copies for i, _ in tables):
            return say["copy"].format(other=", ".join(name(c) for c in sorted(copies)))
        if len(tables) == 1:
            table = tables[0][1]
            return say["rows"].format(
                rows=self._rows(table),
                columns=self._count(len(table.columns), "columns", [Source(path=file.path)]),
            )
        if tables:
            total = sum(len(t.rows) for _, t in tables)
            return say["tables"].format(
                n=self._count(len(tables), "tables", [Source(path=file.path)]),
                rows=self._count(total, "rows of all tables", [Source(path=file.path)]),
            )
        grids = [g for g in self._readings.grids if g.path == file.path]
        if grids:
            return say["map"].format(names=escaped(", ".join(g.name for g in grids)))
        for picture in self._readings.pictures:
            if picture.path == file.path:
                source = [Source(path=file.path)]
                return say["picture"].format(
                    w=self._count(picture.width, "pixels across", source),
                    h=self._count(picture.height, "pixels down", source),
                )
        entries = self._readings.entries.get(file.path)
        if entries:
            return say["keys"].format(n=self._count(len(entries), "named values", [Source(path=file.path)]))
        if any(t.path == file.path for t in self._readings.texts):
            return say["text"]
        return say["nothing"]

    # under which conditions

    def settings(self) -> str:
        """Tables of header entries that are usually needed."""
        parts = []
        seen: list[set[tuple[str, str]]] = []
        for path, entries in self._readings.entries.items():
            if path.rpartition("/")[2].lower() in ("config.json", "package.json", "settings.json"):
                continue
            chosen = _usual(entries)
            told = {(e.key, e.text) for e in chosen}
            if (
                not chosen
                or len(parts) >= MOST_SETTINGS
                or any(len(told & other) * 10 >= 7 * len(told) for other in seen)
            ):
                continue
            seen.append(told)
            label = f"tab:settings-{len(parts) + 1}"
            say = self._say
            source = [Source(path=path)]
            parts.append(
                say["settings_text"].format(
                    label=label,
                    file=name(path),
                    n=self._count(len(chosen), "entries shown", source),
                    all=self._count(len(entries), "entries", source),
                )
                + "\n\n"
                + self._entries(chosen, path, label)
            )
        return "\n\n".join(parts)

    def _entries(self, entries: Sequence[Entry], path: str, label: str) -> str:
        rows = [rf"{breakable(shortened(e.key, 44))} & {self._value(e, path)} \\" for e in entries]
        say = self._say
        caption = say["settings_caption"].format(file=name(path))
        spec = r"@{}l>{\raggedright\arraybackslash}p{0.5\linewidth}@{}"
        return "\n".join(
            [
                r"\begin{table}[H]",
                r"\centering",
                rf"\caption{{{caption}}}\label{{{label}}}",
                r"\small",
                rf"\begin{{tabular}}{{{spec}}}",
            ]
            + [
                r"\toprule",
                rf"{say['key']} & {say['value']} \\",
                r"\midrule",
                *rows,
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
            ]
        )

    def _value(self, entry: Entry, path: str) -> str:
        if entry.value is None:
            unit = f" \\unit{{{latex_unit(entry.unit)}}}" if known(entry.unit) else ""
            return breakable(shortened(re.sub(r"<[^<>]{1,20}>|&nbsp;", " ", entry.text), 90)) + unit
        unit, exponent = scaled(entry.unit, abs(entry.value))
        value = entry.value / 10.0**exponent
        q = self.register.add(
            entry.value, significant(value, 5).rstrip("0").rstrip(".") if "." in significant(value, 5) and "e" not in significant(value, 5) else significant(value, 5),
            kind="text", sources=[Source(path=path, place=entry.place)], unit=unit,
        )  # fmt: skip
        return quantity(q)

    # what was measured

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
            in_full = is_short(table) and given < MOST_FULL
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
            above.insert(0, rf"\emph{{{escaped(shortened(table.caption, 80))}}}")
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
            given = full(table, label, say["full_caption"].format(where=caption_where), self.register)
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

    # what follows

    def results(self) -> str:
        """Fits and lines, or that there are none."""
        say = self._say
        fits = [s for s in self._study.studied if s.fit is not None]
        lines = sum(len(s.peaks) for s in self._study.studied)
        parts = []
        if fits:
            parts += [say["results_fits"].format(), fits_table(fits, self.register, self._words)]
        spectra = [s for s in self._study.studied if s.peaks]
        if len(spectra) > 1:
            parts += [say["results_spectra"].format(), spectra_table(spectra, self.register, self._words)]
        if lines:
            parts.append(say["results_lines"].format(n=self._count(lines, "fitted lines in all")))
        return "\n\n".join(parts or [say["no_results"]])

    def abstract(self) -> str:
        """The report in three sentences."""
        say, files = self._say, self._scan.files
        tables = [t for i, t in enumerate(self._readings.tables) if i not in self._study.copies]
        numbers = sum(len(c.numbers) for t in tables for c in t.columns)
        text = self._words.abstract.format(
            files=self._count(len(files), "entries"),
            data=self._count(sum(1 for f in files if f.kind is FileKind.DATA), "entries of kind data"),
            tables=self._count(len(tables), "different tables"),
            numbers=self._count(numbers, "numbers in different tables"),
        )
        spectra = [s for s in self._study.studied if s.peaks]
        if spectra:
            text += say["abstract_lines"].format(
                n=self._count(sum(len(s.peaks) for s in spectra), "fitted lines in all"),
                m=self._count(len(spectra), "spectra"),
            )
        maps = drawn_maps(self._readings)
        if maps:
            text += say["abstract_maps"].format(n=self._count(len(maps), "maps"))
        return text + self._main_fits()

    def _main_fits(self) -> str:
        """Fits of a report that has few."""
        fits = [s for s in self._study.studied if s.fit is not None]
        if not 0 < len(fits) <= 3:
            return ""
        return "".join(
            self._say["abstract_fit"].format(
                y=escaped(s.series.y.name), x=escaped(s.series.x.name), where=name(short_path(s.series.table.path)),
                model=self._words.model[s.fit.model], parameters=parameters(s, self.register, self._words),
            )
            for s in fits if s.fit is not None
        )  # fmt: skip

    def limits(self) -> str:
        """What is not in the report, and why."""
        say = self._say
        parts = [say["limit_model"]]
        if self._study.tables:
            parts.append(say["limit_mean"])
        if not self._scan.complete:
            parts.append(say["limit_incomplete"])
        if self._untold:
            parts.append(say["limit_tables"].format(n=self._count(self._untold, "tables beyond the limit")))
        if self._study.beyond:
            parts.append(
                say["limit_beyond"].format(n=self._count(self._study.beyond, "series beyond the limit of plots"))
            )
        groups = (
            ("limit_files", [(p, r) for p, r in self._unused.items()]),
            (
                "limit_columns",
                [(t.path, r) for i, t in enumerate(self._study.tables) for r in self._study.left_out.get(i, ())],
            ),
            ("limit_remarks", [(t.path, r) for t in self._study.tables for r in t.remarks]),
        )
        body = [" ".join(parts)]
        for heading_of, items in groups:
            if items:
                body.append(say[heading_of] + "\n" + self._items(items))
        return "\n\n".join(body)

    def _items(self, items: Sequence[tuple[str, str]]) -> str:
        say = self._say
        merged: dict[str, list[str]] = {}
        for path, reason in items:
            merged.setdefault(reason, []).append(path)
        lines = []
        for reason, paths in list(merged.items())[:20]:
            names = [name(short_path(p)) for p in dict.fromkeys(paths)]
            if len(names) > 6:
                rest = self._count(len(names) - 6, "files more")
                names = [*names[:6], say["more"].format(n=rest)]
            text = say["limit_file"].format(
                file=say["comma"].join(names), reason=escaped(shortened(self._words.told(reason), 160))
            )
            lines.append(rf"\item {self._traced(text, reason)}")
        if len(merged) > 20:
            lines.append(rf"\item {say['more'].format(n=self._count(len(merged) - 20, 'more of these'))}{say['stop']}")
        return "\n".join([r"\begin{itemize}\small\setlength{\itemsep}{0pt}", *lines, r"\end{itemize}"])

    def _traced(self, text: str, reason: str) -> str:
        """Numbers in a reader's own remark are counts of its making."""
        for found in re.findall(r"\d+(?:\.\d+)?", reason):
            self.register.add(
                float(found), found, kind="count", sources=[], formula="counted by the reader of the file"
            )
        return text

    # numbers

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


def _usual(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Entries that are usually needed; all where there are few."""
    told = [
        e
        for e in entries
        if e.text
        and not re.search(r"[\\\\'%/]{2}", e.text)
        and e.text.lower() not in ("true", "false", "n/a", "inf", "0", "0e+0")
    ]
    if len(told) <= LISTED_ENTRIES:
        return tuple(told)
    scored = []
    for i, entry in enumerate(told):
        key = entry.key.lower()
        if any(d in key for d in _DULL):
            continue
        rank = next((r for r, word in enumerate(_USUAL) if word in key), None)
        if rank is not None:
            scored.append((rank + 3 * key.count(">"), i, entry))
    chosen = sorted(scored, key=lambda s: s[:2])[:LISTED_ENTRIES]
    return tuple(e for _, _, e in sorted(chosen, key=lambda s: s[1]))


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


def _kilo(size: int) -> str:
    return significant(size / 1000, 3) if size >= 100 else f"{size / 1000:.2f}"


def _long(heads: Sequence[str], rows: Sequence[str], caption: str, label: str, continued: str) -> str:
    del continued
    spec = r"@{}>{\raggedright\arraybackslash}p{0.5\linewidth}>{\raggedright\arraybackslash}p{0.34\linewidth}r@{}"
    first = " & ".join(heads) + r" \\"
    return "\n".join(
        [
            r"{\small",
            rf"\begin{{longtable}}{{{spec}}}",
            rf"\caption{{{caption}}}\label{{{label}}}\\",
            r"\toprule",
            first,
            r"\midrule",
        ]
        + [
            r"\endfirsthead",
            r"\toprule",
            first,
            r"\midrule",
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *rows,
            r"\end{longtable}",
            "}",
        ]
    )
