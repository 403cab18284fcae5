r"""Closes the citations of a draft: unknown keys out, the bibliography of exactly what is cited in, and nothing without a use."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from agent.records import BibEntry, Change
from agent.tex.bib import close, drop_unknown
from agent.tex.source import line_of, mask

NAME = "references"
_BIBLIOGRAPHY = re.compile(r"\\bibliography\s*\{([^{}]*)\}[ \t]*\n?")
_STYLE = re.compile(r"\\bibliographystyle\s*\{[^{}]*\}[ \t]*\n?")
_END = "\\end{document}"


class Cited(NamedTuple):
    """A text whose citations are closed."""

    tex: str
    bib: str
    """Content of `references.bib`, '' for none."""
    unknown: tuple[str, ...]
    """Keys that were taken out."""
    changes: tuple[Change, ...]


def closed(tex: str, entries: Iterable[BibEntry]) -> Cited:
    """The text with `\bibliography{references}` where something is cited, and without one where nothing is."""
    found = close(tex, entries)
    dropped = drop_unknown(tex, found.unknown)
    text, changes = dropped.text, list(dropped.changes)
    if found.bib:
        text, change = _with_bibliography(text)
    else:
        text, change = _without_bibliography(text)
    return Cited(text, found.bib, found.unknown, (*changes, *change))


def _with_bibliography(tex: str) -> tuple[str, list[Change]]:
    asked = _BIBLIOGRAPHY.search(mask(tex))
    if asked is None:
        at = tex.rfind(_END)
        if at < 0:
            return tex, []
        style = "" if _STYLE.search(mask(tex)) else "\\bibliographystyle{unsrt}\n"
        change = Change(
            rule="bibliography-missing", line=line_of(tex, at), what="Added the bibliography of what is cited"
        )
        return f"{tex[:at]}{style}\\bibliography{{{NAME}}}\n{tex[at:]}", [change]
    if asked[1].strip() == NAME:
        return tex, []
    change = Change(rule="bibliography-name", line=line_of(tex, asked.start()), what=f"Named the bibliography {NAME}")
    return tex[: asked.start(1)] + NAME + tex[asked.end(1) :], [change]


def _without_bibliography(tex: str) -> tuple[str, list[Change]]:
    """Nothing is cited: BibTeX would stop at the empty list."""
    changes = []
    for pattern in (_BIBLIOGRAPHY, _STYLE):
        while asked := pattern.search(mask(tex)):
            what = "Took out the bibliography: nothing is cited"
            changes.append(Change(rule="bibliography-empty", line=line_of(tex, asked.start()), what=what))
            tex = tex[: asked.start()] + tex[asked.end() :]
    return tex, changes[:1]
