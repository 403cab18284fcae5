"""The section that says what the folder holds, and the summary of the whole report."""

from collections import Counter

from agent.data.rounding import significant
from agent.drafts.latex import escaped, name, number, short_path, shortened
from agent.drafts.page import Page, long_table
from agent.drafts.plots import drawn_maps
from agent.drafts.results import listed, parameters
from agent.records import FileKind, ScannedFile, Source

LISTED_FILES = 40


class Material(Page):
    """What is there."""

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
        return long_table([say["file"], say["holds"], say["size"]], rows, say["files_caption"], "tab:files")

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
        return long_table([say["file"], say["count"], say["size"]], rows, say["files_grouped"], "tab:files")

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


def _kilo(size: int) -> str:
    return significant(size / 1000, 3) if size >= 100 else f"{size / 1000:.2f}"
