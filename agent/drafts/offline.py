"""A whole report without a model: scan, readings and figures in, LaTeX and every number it prints out."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from agent.drafts.frame import framed, style_of
from agent.drafts.latex import name, place, quantity, short_path, shortened
from agent.drafts.plots import plans
from agent.drafts.sections import Writer
from agent.drafts.study import Study, study
from agent.drafts.words import Words, words_of
from agent.figures.draw import draw_own
from agent.readers.records import Readings
from agent.records import Figure, Quantity, Scan, Settings
from harness.sandbox.base import Sandbox

MOST_SOURCES = 600


class Draft(NamedTuple):
    """A report and where its numbers are from."""

    tex: str
    quantities: tuple[Quantity, ...]


class Drawn(NamedTuple):
    """Figures of a draft."""

    figures: tuple[Figure, ...]
    refused: Mapping[str, str]
    """By label: why a planned figure is not there."""


def draw_figures(found: Study, readings: Readings, settings: Settings, work: Path, sandbox: Sandbox | None) -> Drawn:
    """All figures a draft of ours has. Raises SandboxUnavailable when the sandbox breaks."""
    if not settings.figures:
        return Drawn((), {})
    planned = plans(found, readings, words_of(settings.language))
    made = draw_own(planned, work, sandbox)
    return Drawn(
        tuple(m for m in made if isinstance(m, Figure)),
        {p.label: m for p, m in zip(planned, made, strict=True) if isinstance(m, str)},
    )


def offline_draft(
    scan: Scan, readings: Readings, drawn: Drawn, settings: Settings, found: Study | None = None
) -> Draft:
    """The draft of R14. The same input gives the same bytes. Raises UsageError for a template that cannot be used."""
    words = words_of(settings.language)
    writer = Writer(scan, readings, found or study(readings), drawn.figures, dict(drawn.refused), words)
    headings = words.headings[style_of(settings)]
    abstract = writer.abstract()
    sections = [(key, getattr(writer, key)()) for key in ("material", "settings", "data", "results", "limits")]
    body = "\n\n".join(
        rf"\section{{{headings[key]}}}\label{{sec:{key}}}" + f"\n\n{text}" for key, text in sections if text
    )
    register = writer.register
    cells = sum(1 for q in register.quantities if q.kind == "cell")
    if settings.appendix and cells:
        register.count(cells, "cells of tables that are given in full")
    quantities = register.quantities
    end = appendix(quantities, words, headings["sources"]) if settings.appendix else ""
    parts = {
        "notice": words.notice,
        "abstract": abstract,
        "body": body,
        "appendix": end,
    }
    return Draft(framed(parts, settings), quantities)


def appendix(quantities: Sequence[Quantity], words: Words, title: str) -> str:
    """A table of all numbers and their sources; cells of tables that are given in full are counted, not repeated."""
    say = words.say
    cells = sum(1 for q in quantities if q.kind == "cell")
    told = [q for q in quantities if q.kind != "cell" and q.sources][:MOST_SOURCES]
    rows = []
    for q in told:
        where = "; ".join(
            name(short_path(s.path, 46)) + (f", {place(shortened(words.told(s.place), 80))}" if s.place else "")
            for s in q.sources[:2]
        )
        how = say[f"kind_{q.kind}"] + (f": {place(shortened(words.told(q.formula), 70))}" if q.formula else "")
        rows.append(rf"{quantity(q)} & {how} & {where} \\")
    spec = (
        r"@{}>{\raggedright\arraybackslash}p{0.17\linewidth}>{\raggedright\arraybackslash}p{0.3\linewidth}"
        r">{\raggedright\arraybackslash}p{0.45\linewidth}@{}"
    )
    first = rf"{say['number']} & {say['how']} & {say['source']} \\"
    lines = [
        r"\appendix",
        rf"\section{{{title}}}\label{{sec:sources}}",
        say["sources_text"] + (" " + say["sources_cells"].format(n=rf"\num{{{cells}}}") if cells else ""),
        r"{\footnotesize",
        rf"\begin{{longtable}}{{{spec}}}",
        *(r"\toprule", first, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"),
        *rows,
        r"\end{longtable}",
        "}",
    ]
    return "\n".join(lines)
