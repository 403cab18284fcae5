"""What stands in the folder, read without a model: texts, tables, sources that may be cited; and one file at a time for a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from agent.drafts.study import Study, study
from agent.figures.draw import draw
from agent.readers import reading as readers
from agent.readers.reading import Unread
from agent.readers.records import Readings, Table
from agent.records import BibEntry, Exploration, Figure, FileKind, ReadText, Scan, ScannedFile, Settings, Source
from agent.tex.bib import parse
from harness.sandbox.base import Sandbox

TABLE_ROWS = 2_000
"""Rows of one table that a text for a model holds."""
_WORDS = {
    "en": ("the data in the folder", "describe what is there", "{files} files, {tables} tables, {series} series of measurements"),
    "zh": ("文件夹中的数据", "说明其中有什么", "共 {files} 个文件、{tables} 个表格、{series} 组测量序列"),
}  # fmt: skip


class Reading(NamedTuple):
    """The folder, as read."""

    readings: Readings
    """Everything by file."""
    study: Study
    """Series and what describes them."""
    sources: tuple[BibEntry, ...]
    """What may be cited: entries of the material, and those the user vouches for."""
    bib_problems: tuple[str, ...]
    """Entries that cannot be used."""
    summary: Exploration
    """What can be said without a model."""

    @property
    def used(self) -> tuple[str, ...]:
        """Files of which something was read."""
        read = self.readings
        paths = (t.path for group in (read.texts, read.tables, read.grids, read.pictures) for t in group)
        return tuple(dict.fromkeys((*paths, *read.entries)))

    @property
    def words(self) -> tuple[str, ...]:
        """Texts in which a number of the report may stand."""
        return tuple(t.text for t in self.readings.texts)


def read_folder(folder: Path, scan: Scan, bibliography: str, settings: Settings, sandbox: Sandbox | None) -> Reading:
    """Read all that can be read. Raises OSError, SandboxUnavailable."""
    readings = readers.read_all(folder, scan, sandbox)
    found = study(readings)
    sources, problems = _sources(readings.texts, bibliography)
    return Reading(readings, found, sources, problems, _summary(scan, readings, found, settings))


class FileReader:
    """Reads single files for a model."""

    def __init__(self, folder: Path, sandbox: Sandbox | None) -> None:
        self._folder = folder
        self._sandbox = sandbox

    def text(self, file: ScannedFile) -> ReadText:
        """Its text; of a file with tables only, these as text. Raises Unread."""
        if file.kind is FileKind.IMAGE and not file.path.lower().endswith(".svg"):
            raise Unread("an image: use read_image")
        try:
            return readers.read_text(self._folder, file, self._sandbox)
        except Unread:
            tables = self.tables(file)
            if not tables:
                raise
            return ReadText(path=file.path, text="\n\n".join(map(_as_text, tables)), how="tables")

    def image(self, file: ScannedFile) -> ReadText:
        """What stands on an image. Raises Unread."""
        return readers.read_image(self._folder, file, self._sandbox)

    def tables(self, file: ScannedFile) -> tuple[Table, ...]:
        """Its tables. Raises Unread."""
        return readers.tables(self._folder, file, self._sandbox)


class Plotter:
    """Draws what a model wrote, from tables of the folder and from nothing else."""

    def __init__(self, reader: FileReader, work: Path, sandbox: Sandbox) -> None:
        self._reader = reader
        self._work = work
        self._sandbox = sandbox

    def draw(self, code: str, inputs: Sequence[ScannedFile], caption: str, number: int) -> Figure | str:
        """The figure, or why there is none."""
        data: dict[str, JsonValue] = {}
        for file in inputs:
            try:
                data[file.path] = [_as_json(table) for table in self._reader.tables(file)]
            except Unread as error:
                return f"{file.path}: {error}"
            if not data[file.path]:
                return f"{file.path} holds no table"
        sources = [Source(path=file.path) for file in inputs]
        return draw(
            code, data, self._work, self._sandbox, label=f"fig:model-{number}", caption=caption, sources=sources
        )  # fmt: skip


def _summary(scan: Scan, readings: Readings, found: Study, settings: Settings) -> Exploration:
    experiment, goal, counted = _WORDS[settings.language]
    said = counted.format(files=len(scan.files), tables=len(readings.tables), series=len(found.studied) + found.beyond)
    return Exploration(experiment=experiment, goal=goal, key_findings=(said,), texts=readings.texts)


def _sources(texts: Sequence[ReadText], bibliography: str) -> tuple[tuple[BibEntry, ...], tuple[str, ...]]:
    """Entries, and what is wrong with others. Those the user vouches for come first and win."""
    given = parse(bibliography)
    found = {entry.key: entry for entry in given.entries}
    problems = list(given.problems)
    for text in texts:
        if text.path.lower().endswith(".bib"):
            parsed = parse(text.text, origin=Source(path=text.path))
            problems += [f"{text.path}, {problem}" for problem in parsed.problems]
            for entry in parsed.entries:
                found.setdefault(entry.key, entry)
    return tuple(found.values()), tuple(problems)


def _as_text(table: Table) -> str:
    head = "\t".join(f"{c.name} ({c.unit})" if c.unit else c.name for c in table.columns)
    rows = [
        "\t".join(
            c.texts[i] if c.texts else "" if c.values[i] is None else f"{c.values[i]:.12g}" for c in table.columns
        )
        for i in range(min(len(table.rows), TABLE_ROWS))
    ]
    more = len(table.rows) - len(rows)
    title = [f"[{table.name}]"] if table.name else []
    return "\n".join([*title, head, *rows, *([f"[{more} more rows]"] if more > 0 else [])])


def _as_json(table: Table) -> JsonValue:
    return {
        "name": table.name,
        "columns": [{"name": c.name, "unit": c.unit, "values": list(c.values)} for c in table.columns],
    }
