"""The last sections: what follows from the data, and what the report leaves open."""

import re
from collections.abc import Sequence

from agent.drafts.latex import escaped, name, short_path, shortened
from agent.drafts.page import Page
from agent.drafts.results import fits_table, spectra_table

MOST_REASONS, MOST_NAMES = 20, 6


class Closing(Page):
    """What follows."""

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
        return "\n\n".join(parts or [say["no_results" if self._study.studied else "no_series"]])

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
        for reason, paths in list(merged.items())[:MOST_REASONS]:
            names = [name(short_path(p)) for p in dict.fromkeys(paths)]
            if len(names) > MOST_NAMES:
                rest = self._count(len(names) - MOST_NAMES, "files more")
                names = [*names[:MOST_NAMES], say["more"].format(n=rest)]
            text = say["limit_file"].format(
                file=say["comma"].join(names), reason=escaped(shortened(self._words.told(reason), 160).rstrip(".。 "))
            )
            lines.append(rf"\item {self._traced(text, reason)}")
        if len(merged) > MOST_REASONS:
            lines.append(
                rf"\item {say['more'].format(n=self._count(len(merged) - MOST_REASONS, 'more of these'))}{say['stop']}"
            )
        return "\n".join([r"\begin{itemize}\small\raggedright\setlength{\itemsep}{0pt}", *lines, r"\end{itemize}"])

    def _traced(self, text: str, reason: str) -> str:
        """Numbers in a reader's own remark are counts of its making."""
        for found in re.findall(r"\d+(?:\.\d+)?", reason):
            self.register.add(
                float(found), found, kind="count", sources=[], formula="counted by the reader of the file"
            )
        return text
