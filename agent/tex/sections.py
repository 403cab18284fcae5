"""A document as sections with anchors, and the exchange of one of them that leaves all others as they are, byte for byte.

A section reaches from its heading to the next heading of the same or a higher level; the bibliography and the appendix end it.
So a section contains its subsections, which have anchors of their own.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent.records import Change, Edited
from agent.tex.balance import imbalance
from agent.tex.source import Span, argument, body, environments, line_of, mask, option

LEVELS = {"part": -1, "chapter": 0, "section": 1, "subsection": 2, "subsubsection": 3}
_HEADING = re.compile(r"\\(part|chapter|section|subsection|subsubsection)\b\s*\*?")
_STOP = re.compile(r"\\(?:bibliography|printbibliography|appendix|begin\s*\{thebibliography\})(?![A-Za-z])")
_WHOLE = re.compile(r"\\documentclass\b|\\(?:begin|end)\s*\{document\}|\\endinput\b")
_NUMBER = re.compile(r"^(?:section|§)?\s*[\d.]+\s+", re.IGNORECASE)


class Section(NamedTuple):
    """A part of a document."""

    anchor: str
    """`n1`, `n2` ... in order of the text."""
    title: str
    """Plain words of its heading, `Abstract` for the abstract."""
    level: int
    """0 chapter, 1 section or abstract, 2 subsection, 3 subsubsection (-1 part)."""
    start: int
    """Offset of its heading."""
    end: int
    """Offset behind its last character."""


class _Heading(NamedTuple):
    level: int
    title: str
    start: int
    end: int
    """0 when the next heading ends it."""


def sections(tex: str) -> tuple[Section, ...]:
    """All sections in order. Headings in comments, verbatim material and the preamble are none."""
    inside = body(tex)
    stops = [m.start() for m in _STOP.finditer(mask(tex), inside.start, inside.end)] + [inside.end]
    headings = sorted([*_headings(tex, inside), *_abstracts(tex, inside)], key=lambda h: h.start)
    found = []
    for number, heading in enumerate(headings):
        later = (h.start for h in headings[number + 1 :] if h.level <= heading.level)
        stop = next(s for s in stops if s >= heading.start)
        end = heading.end or min(next(later, stop), stop)
        found.append(Section(f"n{number + 1}", heading.title, heading.level, heading.start, end))
    return tuple(found)


def _headings(tex: str, inside: Span) -> Iterator[_Heading]:
    masked = mask(tex)
    for found in _HEADING.finditer(masked, inside.start, inside.end):
        short = option(masked, found.end())
        title = argument(masked, short.end + 1 if short else found.end())
        if title is not None:
            yield _Heading(LEVELS[found[1]], _plain(tex[title.start : title.end]), found.start(), 0)


def _abstracts(tex: str, inside: Span) -> Iterator[_Heading]:
    for one in environments(tex):
        if one.name == "abstract" and one.closed and inside.start <= one.start < inside.end:
            yield _Heading(1, "Abstract", one.start, one.end)


def _plain(title: str) -> str:
    text = re.sub(r"\\label\s*\{[^}]*\}", "", title)
    return " ".join(re.sub(r"\\[A-Za-z]+\*?|[{}$~\\]", " ", text).split())


def resolve(anchor_or_title: str, tex: str) -> Section | None:
    """The section meant: by anchor, else by exact title, else the one with the longest title contained in the words."""
    asked = anchor_or_title.strip()
    found = sections(tex)
    for one in found:
        if one.anchor == asked.lower():
            return one
    words = _key(asked)
    for one in found:
        if one.title and _key(one.title) == words:
            return one
    contained = [one for one in found if one.title and _key(one.title) in words]
    return max(contained, key=lambda s: len(s.title), default=None)


def _key(title: str) -> str:
    return " ".join(_NUMBER.sub("", _plain(title)).casefold().split())


def splice(tex: str, section: Section, fragment: str) -> Edited | str:
    """`tex` with `section` replaced by `fragment`, or the reason why not.

    The fragment must have text, be balanced in braces and environments, be no document of its own, and have as many headings of
    the section's level and above as what it replaces. White space at the section's end stays.
    """
    old = tex[section.start : section.end]
    new = fragment.strip()
    if not new:
        return "the fragment is empty"
    if _WHOLE.search(mask(new)):
        return "the fragment is a document of its own"
    if problem := imbalance(new):
        return f"the fragment is not balanced: {problem}"
    for command, level in LEVELS.items():
        if level <= max(section.level, 1):
            before, after = _count(command, old), _count(command, new)
            if before != after:
                return f"the fragment has {after} \\{command} instead of {before}"
    trailing = old[len(old.rstrip()) :] or "\n"
    text = tex[: section.start] + new + trailing + tex[section.end :]
    if not _others_identical(tex, text, section, len(new) + len(trailing)):
        return "the fragment would change other sections"
    what = f"Replaced section {section.anchor} ({section.title})"
    return Edited(text=text, changes=(Change(rule="splice", line=line_of(tex, section.start), what=what),))


def _count(command: str, text: str) -> int:
    return len(re.findall(rf"\\{command}(?![A-Za-z])", mask(text)))


def _others_identical(before: str, after: str, section: Section, length: int) -> bool:
    """Whether all sections that do not touch the replaced one are there as they were, and no one else is."""
    end = section.start + length
    old = [before[s.start : s.end] for s in sections(before) if s.end <= section.start or s.start >= section.end]
    new = [after[s.start : s.end] for s in sections(after) if s.end <= section.start or s.start >= end]
    return old == new and mask(before)[section.end :] == mask(after)[end:]
