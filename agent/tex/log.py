"""What went wrong in a compilation: the log of xelatex, the log of bibtex, and what neither tells.

Made for logs written with `-file-line-error` and long lines; logs cut at 79 columns are put together again. TeX reports the
place where it noticed, which for an open brace is the end of the file: there the text it had swallowed is looked up in the
document. What TeX lets pass (an undefined key, a glyph no font has, a label given twice, text behind the end, a figure that is
not there, a refused shell command) is reported as well, after what stopped it, with `fatal` false.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from agent.records import Diagnosis, TexError
from agent.tex.figures import missing
from agent.tex.forbidden import forbidden
from agent.tex.kinds import SECONDARY, kind_of
from agent.tex.source import line_of, mask

EXCERPT_CHARS = 1800
FINGERPRINT_CHARS = 120
_MAX_ERRORS = 200
_WRAP = 79
_HEADER = re.compile(
    r"^(?:! (?P<bare>.+)|(?P<file>(?:\./|/)?[^\s:()\[\]{}\\][^:\n]*\.\w{1,6}):(?P<line>\d+): (?P<said>.+))$"
)
_CONTEXT_LINE = re.compile(r"^l\.(\d+) ?(.*)$")
_CONTINUATION = re.compile(r"^\([\w-]+\)\s{2,}(.*)$")
_CHARACTER = re.compile(r"^Missing character: There is no (\S+) .*?in font ([^!]+?)[!.]?$")
_KEY_WARNING = re.compile(
    r"(?:LaTeX|Package natbib|Package biblatex) Warning: (Citation|Reference) [`'](.+?)' (?:on page \S+ )?undefined"
    r"(?: on input line (\d+))?"
)
_LABEL_TWICE = re.compile(r"LaTeX Warning: Label `(.+?)' multiply defined")
_SHELL = re.compile(r"^runsystem\((.*)\)\.\.\.(?:disabled|\w+)")
_LOADS = r"\\(?:usepackage|RequirePackage|documentclass|input|include|bibliography|LoadClass)"
_ENDING = ("Here is how much of TeX's memory", "Output written on", "No pages of output")
_AFTER_END = re.compile(r"\\end\s*\{document\}")
_FENCE = re.compile(r"^```\w*[ \t]*$", re.MULTILINE)
_BLG = re.compile(r"^(?P<said>.*?)---?line (?P<line>\d+) of file (?P<file>\S+)", re.MULTILINE)
_BLG_MISSING = re.compile(
    r"^(?:Warning--)?I (?:didn't find a database entry for|couldn't open (?:database|style) file) \"?(\S+?)\"?$",
    re.MULTILINE,
)


class _Entry(NamedTuple):
    """A message of the log with what stands around it."""

    said: str
    """The message."""
    file: str
    """Its file, '' when the log names none."""
    line: int | None
    """Its line."""
    runaway: str
    """What TeX had swallowed before."""
    context: str
    """The innermost text TeX was reading, up to where it was."""


def diagnose(log: str, tex: str, *, blg: str = "", work: Path | None = None) -> Diagnosis:
    """What is wrong with `tex` according to its log, most telling first.

    `blg` is the log of bibtex. With `work`, figures that `tex` names are looked for there. An empty `log` means that nothing
    was run, and then only the document itself is looked at.
    """
    lines = _unwrap(log)
    entries = list(_entries(lines))
    errors = [_error(entry, tex) for entry in entries]
    primary = [e for e in errors if e.kind not in SECONDARY]
    stopped = [e for e in errors if e.kind in SECONDARY]
    found = primary or stopped
    found += _unfinished(lines) if log and not found else []
    found += _bibtex(blg)
    found += _of_the_document(tex, work, {(e.kind, e.token) for e in found})
    found += _silent(lines, tex, {(e.kind, e.token) for e in found})
    found = [*forbidden(tex), *found]
    unique = tuple(dict.fromkeys(found))[:_MAX_ERRORS]
    excerpt = _excerpt(lines) or _listed(unique)
    return Diagnosis(errors=unique, excerpt=excerpt, fingerprint=_fingerprint(unique, excerpt))


def _unwrap(log: str) -> list[str]:
    lines = log.replace("\r\n", "\n").split("\n")
    if any(len(line) > _WRAP + 1 for line in lines):
        return lines
    whole: list[str] = []
    joining = False
    for line in lines:
        if joining:
            whole[-1] += line
        else:
            whole.append(line)
        joining = len(line) == _WRAP
    return whole


def _entries(lines: list[str]) -> Iterator[_Entry]:
    runaway = ""
    for number, line in enumerate(lines):
        if line.startswith("Runaway "):
            runaway = "\n".join(_until_header(lines, number + 1))
            continue
        found = _HEADER.match(line)
        if found is None:
            continue
        said = found["bare"] or found["said"]
        after = list(_until_header(lines, number + 1))
        for extra in after:
            more = _CONTINUATION.match(extra)
            if more is None:
                break
            said += " " + more[1]
        yield _Entry(
            said=said.strip(),
            file=_own(found["file"] or ""),
            line=int(found["line"]) if found["line"] else None,
            runaway=runaway,
            context=_context(after),
        )
        runaway = ""


def _until_header(lines: list[str], start: int) -> Iterator[str]:
    for line in lines[start : start + 40]:
        if _HEADER.match(line) or line.startswith("Runaway "):
            return
        yield line


def _context(after: list[str]) -> str:
    """The innermost text TeX was reading, up to where it was: the first line behind the message that is no part of it."""
    return next((line for line in after if line.strip() and not _CONTINUATION.match(line)), "")


def _own(path: str) -> str:
    return path.removeprefix("./")


def _error(entry: _Entry, tex: str) -> TexError:
    kind, token = kind_of(entry.said)
    file, line = entry.file, entry.line
    if kind == "undefined-control-sequence":
        token = _last_command(entry.context) or token
    if kind == "missing-character":
        token = _glyph(token)
    where: int | None = None
    if kind in ("missing-package", "missing-file"):
        name = re.escape(token.removesuffix(".tex"))
        where = _find(tex, _LOADS + r"\b[^{}]*\{[^{}]*" + name)
    elif line is None and entry.runaway:
        where = _swallowed(tex, entry.runaway, token)
    if where is not None:
        file, line = file or "", where
    return TexError(kind=kind, message=_one_line(entry.said), file=file, line=line, token=token)


def _last_command(context: str) -> str:
    """The last control sequence of the text TeX had read: the one it does not know. Context lines break behind it."""
    found = re.findall(r"\\(?:[A-Za-z@]+|[^A-Za-z\s])", context)
    return found[-1] if found else ""


def _glyph(token: str) -> str:
    return token if len(token) == 1 else token[:1]


def _find(tex: str, pattern: str) -> int | None:
    found = re.search(pattern, mask(tex))
    return line_of(tex, found.start()) if found else None


def _swallowed(tex: str, runaway: str, command: str) -> int | None:
    """The line on which the text that TeX swallowed begins: its first words, behind the command when that is in the text."""
    first = re.split(r"\\par\b", runaway.replace("^^M", "\n").strip(), maxsplit=1)[0]
    words = re.findall(r"[^\s{}\\$&#^_~%]{2,}|[^\s{}\\$&#^_~%]", first)[:3]
    name = re.escape(command.strip()) + r"[^\n]{0,40}?" if re.fullmatch(r"\\[A-Za-z]+ ?", command) else ""
    gap = r"[^\w\n]*\n?[^\w\n]*"
    for count in range(len(words), 0, -1):
        swallowed = gap.join(map(re.escape, words[:count]))
        for pattern in (name + swallowed, swallowed):
            found = re.search(pattern, mask(tex)) or re.search(pattern, tex)
            if found:
                return line_of(tex, found.start())
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _unfinished(lines: list[str]) -> list[TexError]:
    if any(line.startswith(_ENDING) for line in lines[-40:]):
        return []
    return [
        TexError(kind="unfinished", message="The log ends in the middle: TeX was stopped before it came to an end.")
    ]


def _bibtex(blg: str) -> list[TexError]:
    found = [
        TexError(kind="bibtex-error", message=_one_line(m["said"]), file=_own(m["file"]), line=int(m["line"]))
        for m in _BLG.finditer(blg)
        if not m["said"].startswith("Warning--")
    ]
    absent = (m for m in _BLG_MISSING.finditer(blg) if "couldn't" in m[0])
    return found + [TexError(kind="missing-file", message=_one_line(m[0]), token=m[1]) for m in absent]


def _silent(lines: list[str], tex: str, known: set[tuple[str, str]]) -> Iterator[TexError]:
    """What the log only warns of."""
    for line in lines:
        if found := _CHARACTER.match(line):
            glyph = _glyph(found[1])
            if "nullfont" in found[2] or ("missing-character", glyph) in known:
                continue
            where = mask(tex).find(glyph)
            at = line_of(tex, where) if where >= 0 else None
            known.add(("missing-character", glyph))
            yield TexError(kind="missing-character", message=_one_line(line), line=at, token=glyph, fatal=False)
        elif found := _KEY_WARNING.search(line):
            kind = f"undefined-{found[1].lower()}"
            at = int(found[3]) if found[3] else None
            yield TexError(kind=kind, message=_one_line(found[0]), line=at, token=found[2], fatal=False)
        elif (found := _LABEL_TWICE.search(line)) and ("duplicate-label", found[1]) not in known:
            yield _label_twice(tex, found[1])
        elif found := _SHELL.match(line):
            at = _find(tex, r"\\write18|\\ShellEscape")
            yield TexError(kind="shell-escape", message=_one_line(line), line=at, token=found[1], fatal=False)


def _label_twice(tex: str, label: str) -> TexError:
    places = list(re.finditer(r"\\label\s*\{" + re.escape(label) + r"\}", mask(tex)))
    at = line_of(tex, places[1].start()) if len(places) > 1 else None
    said = f"Label `{label}' multiply defined"
    return TexError(kind="duplicate-label", message=said, line=at, token=label, fatal=False)


def _of_the_document(tex: str, work: Path | None, known: set[tuple[str, str]]) -> Iterator[TexError]:
    """What the document shows by itself."""
    masked = mask(tex)
    if fence := _FENCE.search(masked):
        said = "A Markdown code fence stands in the document"
        yield TexError(kind="markdown", message=said, line=line_of(tex, fence.start()), token="```", fatal=False)
    if end := _AFTER_END.search(masked):
        rest = masked[end.end() :]
        if _AFTER_END.sub("", _FENCE.sub("", rest)).strip():
            at = line_of(tex, end.end() + len(rest) - len(rest.lstrip()))
            said = "Text behind \\end{document} is dropped"
            yield TexError(kind="text-after-end", message=said, line=at, fatal=False)
    labels = re.findall(r"\\label\s*\{([^{}]+)\}", re.sub(r"\\(?:re)?newcommand.*", "", masked))
    for label in dict.fromkeys(name for name in labels if labels.count(name) > 1 and "#" not in name):
        if ("duplicate-label", label) not in known:
            yield _label_twice(tex, label)
    if work is not None:
        for one in missing(tex, work):
            if ("missing-figure", one.path) not in known:
                said, at = f"The figure {one.path} is not there", line_of(tex, one.start)
                yield TexError(kind="missing-figure", message=said, line=at, token=one.path, fatal=False)


def _excerpt(lines: list[str]) -> str:
    """Error lines, their `l.N` lines with what follows, runaway and emergency-stop lines; whole lines, bounded.

    After an undefined command comes the line that ends with it: inside of an argument or a macro nothing else names it.
    """
    kept: list[str] = []
    size = 0
    follow = 0
    for line in lines:
        header = _HEADER.match(line)
        if header or _CONTEXT_LINE.match(line) or line.startswith(("Runaway ", "*** (")):
            follow = 0 if line.startswith("***") or (header and "Undefined control sequence" not in line) else 1
        elif follow:
            follow -= 1
        else:
            continue
        text = line[:240]
        if size + len(text) + 1 > EXCERPT_CHARS:
            break
        kept.append(text)
        size += len(text) + 1
    return "\n".join(kept)


def _listed(errors: Iterable[TexError]) -> str:
    lines = (f"{e.file or 'document'}:{e.line or '?'}: {e.message}" for e in errors)
    return "\n".join(lines)[:EXCERPT_CHARS]


def _fingerprint(errors: tuple[TexError, ...], excerpt: str) -> str:
    """The first message with its token, numbers of lines taken out."""
    if not errors:
        return ""
    first = errors[0]
    said = re.sub(r"\b(on input line|lines?|l\.) ?\d+(?:--\d+)?", r"\1 N", first.message)
    token = "" if first.token in said else f" {first.token}"
    return (f"{said}{token}" or excerpt)[:FINGERPRINT_CHARS]
