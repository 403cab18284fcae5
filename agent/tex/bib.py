r"""The bibliography: keys the text cites, entries that may be cited, and the file that holds exactly what is cited.

Nothing is invented here: an entry comes from the material or was verified by the user, and a key without one is reported
and marked in the text. A `.bib` is mended at its source (bare `&`, `%`, `#`, `_` in fields), never the `.bbl` made of it.
"""

import contextlib
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from bibtexparser.entrypoint import parse_string
from bibtexparser.model import DuplicateBlockKeyBlock, Entry, Field, ParsingFailedBlock

from agent.records import BibEntry, Change, Edited, Source
from agent.tex.quality import cited
from agent.tex.source import CITE, line_of, mask

_RAW_FIELDS = frozenset({"url", "doi", "eprint", "file", "crossref", "isbn", "issn"})
"""Fields that hold names, not text; bibliography styles print url and doi through commands that read them raw."""
_BARE = re.compile(r"(?<!\\)([&%#])")
_UNDERSCORE = re.compile(r"(?<!\\)_")
_PART = re.compile(r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\"(?:[^\"{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\"|[^\s#{}\"]+")
"""One operand of a value: braced, quoted, or a name or number."""
_KEY = re.compile(r"^[^\s{},%#~\\\"']+$")


class Closed(NamedTuple):
    """A bibliography that holds what a text cites."""

    bib: str
    """The `.bib`, entries in order of their keys."""
    unknown: tuple[str, ...]
    """Cited keys without an entry, sorted."""


class Parsed(NamedTuple):
    """What a `.bib` holds."""

    entries: tuple[BibEntry, ...]
    """Good entries, mended; of several with one key the first."""
    problems: tuple[str, ...]
    """Blocks that could not be read, and keys given twice."""


def parse(text: str, *, origin: Source | None = None) -> Parsed:
    """The entries of a `.bib`; broken ones are reported and the rest kept. Never raises on any text."""
    with _quiet():
        library = parse_string(text, parse_stack=[])
    strings = {string.key.lower(): str(string.value) for string in library.strings}
    found: dict[str, BibEntry] = {}
    problems = [_problem(block) for block in library.failed_blocks]
    for entry in library.entries:
        if not _KEY.match(entry.key):
            problems.append(f"an entry with the key {entry.key!r}, which cannot be cited")
        elif entry.key in found:
            problems.append(f"the key {entry.key} is given twice")
        else:
            found[entry.key] = BibEntry(key=entry.key, entry=_written(entry, strings), origin=origin)
    return Parsed(tuple(found.values()), tuple(problems))


def close(tex: str, entries: Iterable[BibEntry]) -> Closed:
    """The bibliography of exactly the keys that `tex` cites, and the keys it lacks. `\\bibitem`s of the text count as entries."""
    known = {entry.key: entry for entry in entries}
    own = frozenset(re.findall(r"\\bibitem\s*(?:\[[^\]]*\])?\s*\{([^{}]+)\}", mask(tex)))
    keys = cited(tex)
    bib = "\n\n".join(known[key].entry for key in sorted(keys & known.keys()))
    return Closed(bib + "\n" if bib else "", tuple(sorted(keys - known.keys() - own)))


def drop_unknown(tex: str, unknown: Iterable[str]) -> Edited:
    """`tex` with citations of unknown keys taken out, each marked in the text where a reader would look for the source."""
    gone = frozenset(unknown)
    changes: list[Change] = []
    parts: list[str] = []
    at = 0
    for found in CITE.finditer(mask(tex)):
        keys = [key.strip() for key in found[1].split(",") if key.strip()]
        lost = [key for key in keys if key in gone]
        if not lost:
            continue
        kept = [key for key in keys if key not in gone]
        gap = f"[source missing: \\texttt{{\\detokenize{{{', '.join(lost)}}}}}]"
        command = tex[found.start() : found.start(1)] + ",".join(kept) + tex[found.end(1) : found.end()]
        parts += (tex[at : found.start()], f"{command}~{gap}" if kept else gap)
        at = found.end()
        what = f"Marked {', '.join(lost)}: no such source in the material"
        changes.append(Change(rule="unknown-citation", line=line_of(tex, found.start()), what=what))
    return Edited(text="".join([*parts, tex[at:]]), changes=tuple(changes))


def _problem(block: ParsingFailedBlock) -> str:
    line = "?" if block.start_line is None else block.start_line + 1
    if isinstance(block, DuplicateBlockKeyBlock):
        return f"line {line}: the key {block.key} is given twice"
    return f"line {line}: not readable"


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The parser logs what it reports anyway."""
    logger = logging.getLogger("bibtexparser")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def _written(entry: Entry, strings: Mapping[str, str]) -> str:
    fields = "".join(f",\n  {field.key} = {_value(field, strings)}" for field in entry.fields)
    return f"@{entry.entry_type}{{{entry.key}{fields}\n}}"


def _value(field: Field, strings: Mapping[str, str]) -> str:
    """As it was written: names of `@string`s filled in, bare special characters escaped where the field is text."""
    parts = [strings.get(part.lower(), part) for part in _PART.findall(" ".join(str(field.value).split()))]
    raw = field.key.lower() in _RAW_FIELDS
    return " # ".join(part if raw or part[0] not in '{"' else _escaped(part) for part in parts) or "{}"


def _escaped(text: str) -> str:
    text = _BARE.sub(r"\\\1", text)
    return "".join(
        part if part.startswith("$") else _UNDERSCORE.sub(r"\\_", part) for part in re.split(r"(\$[^$]*\$)", text)
    )
