"""Python text brought down, in place, to a grammar that any supported interpreter parses.

Each f- or t-string becomes a tuple of the expressions in its fields, which stay where they are; type parameters,
`type` statements and `except A, B` become what the old grammar has. Every line keeps its number and every token that
is left its column in UTF-8 bytes, so that the positions of the nodes are those of the original.
"""

import re
from typing import NamedTuple

from harness.source.scan import Field, Generic, Group, Scan, Span, Text


class Lowered(NamedTuple):
    """What to parse in place of the original."""

    main: str
    """The whole text."""
    aside: str
    """A tuple of the expressions for which `main` has no place, '' without any."""
    spans: tuple[Span, ...]
    """Where those stand, in order; a span yields `elements` of them."""


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


def lower(text: str, found: Scan) -> Lowered:
    """`text` without what `found` names."""
    strings = [edit for group in found.groups for edit in _group_edits(text, group)]
    spans = sorted((*found.clauses, *_spans(found.generics)))
    edits = [*strings]
    aliases = set(found.aliases)
    edits += [_generic_edit(text, generic, alias=generic.owner in aliases) for generic in found.generics]
    opened = {generic.owner for generic in found.generics}
    edits += [_Edit(at, at + 4, "0; (" if at in opened else "0;  ") for at in (*found.aliases, *found.lazy)]
    edits += [_Edit(s.start, s.end, f"({blank(text[s.start : s.end])[1:-1]})") for s in found.clauses]
    main = _stitched(text, _outermost(edits))
    if not spans:
        return Lowered(main, "", ())
    return Lowered(
        main, _stitched(text, sorted([*_inside(strings, spans), *_around(text, spans)])) + "\n)", tuple(spans)
    )


def blank(text: str) -> str:
    """Spaces in place of everything but line ends, as many as the text has bytes in UTF-8."""
    if text.isascii():
        return re.sub(r"[^\n]", " ", text)
    return re.sub(r"[^\n]", lambda match: " " * len(match.group().encode("utf-8", "surrogatepass")), text)


def fields(parts: tuple[Text | Field, ...]) -> list[Field]:
    """Every field of an f-string, those of a format specification after the field they belong to."""
    found = []
    for part in parts:
        if isinstance(part, Field):
            found.append(part)
            found += fields(part.spec)
    return found


def expressions(code: Span) -> int:
    """How many elements of the tuple a field gives: `{a, b}` two, `{yield}` none."""
    return 0 if code.first == "yield" and code.end == code.start + len("yield") else code.elements


def _group_edits(text: str, group: Group) -> list[_Edit]:
    edits = []
    at, opening = group.start, "("
    for literal in group.literals:
        for field in fields(literal.parts):
            code = field.code
            edits.append(_Edit(at, code.start, opening + blank(text[at + len(opening) : code.start])))
            if code.first == "yield":
                edits.append(_yield_edit(text, code))
            at, opening = code.stop, "," if expressions(code) > code.commas else ""
    rest = text[at : group.end - 1]
    edits.append(_Edit(at, group.end, opening + blank(rest[len(opening) :]) + ")"))
    return edits


def _yield_edit(text: str, code: Span) -> _Edit:
    match = re.compile(r"yield(?:\s+from\b)?").match(text, code.start)
    end = match.end() if match else code.start
    return _Edit(code.start, end, blank(text[code.start : end]))


def _generic_edit(text: str, generic: Generic, *, alias: bool) -> _Edit:
    opening, closing, paren = generic.opening, generic.closing, generic.paren
    if paren >= 0:
        return _Edit(opening, paren + 1, "(" + blank(text[opening + 1 : paren + 1]))
    left = " " if alias else "("  # the name of an alias stands in brackets that were opened before it
    return _Edit(opening, closing + 1, left + blank(text[opening + 1 : closing]) + ")")


def _spans(generics: list[Generic]) -> list[Span]:
    return [s for g in generics for p in g.parameters for s in (p.bound, p.default) if s is not None]


def _outermost(edits: list[_Edit]) -> list[_Edit]:
    """The edits in order, without those inside another (a string in a bound that is blanked as a whole)."""
    kept: list[_Edit] = []
    for edit in sorted(edits, key=lambda e: (e.start, -e.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept


def _inside(edits: list[_Edit], spans: list[Span]) -> list[_Edit]:
    kept = []
    remaining = iter(spans)
    span = next(remaining, None)
    for edit in sorted(edits):
        while span is not None and span.end <= edit.start:
            span = next(remaining, None)
        if span is not None and edit.start >= span.start:
            kept.append(edit)
    return kept


def _around(text: str, spans: list[Span]) -> list[_Edit]:
    """Everything that is not in a span, blanked: an opening bracket first, a comma after each span that has none."""
    edits = []
    at = len(text) - len(text.lstrip("\n"))  # a bracket after spaces would be an indentation
    mark = "("
    for span in spans:
        edits.append(_Edit(at, span.start, mark + blank(text[at : span.start])[len(mark) :]))
        at, mark = span.stop, "," if span.elements > span.commas else ""
    edits.append(_Edit(at, len(text), mark + blank(text[at:])[len(mark) :]))
    return edits


def _stitched(text: str, edits: list[_Edit]) -> str:
    pieces = []
    at = 0
    for edit in edits:
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    pieces.append(text[at:])
    return "".join(pieces)
